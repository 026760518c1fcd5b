// All tests of the engine as one file: a mutant then loads the modules once, not once a test file.
import "../../src/core/run-skills.test.js";
import "../../src/core/run-steps.test.js";
import "../../src/core/run-doer.test.js";
import "../../src/core/run-nodes.test.js";
import "../../src/core/run-fan.test.js";
import "../../src/core/run-rest.test.js";
import "../../src/core/run-stops.test.js";
import "../../src/core/run-closing.test.js";
import "../../src/core/run-hooks.test.js";
import "../../src/core/pay.test.js";
import "../../src/core/place.test.js";
import "../../src/core/run.property.test.js";
