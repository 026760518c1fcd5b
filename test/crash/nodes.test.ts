// A loop of nodes is killed at every moment and tells the same story.
import { survives } from "./survive.js";

survives("nodes");
