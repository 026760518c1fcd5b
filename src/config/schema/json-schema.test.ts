import { describe, expect, it } from "vitest";
import { BODY_KEYS, doerSchema, nodesSchema, skillsSchema, stepsSchema } from "./bodies.js";
import { loopJsonSchema } from "./json-schema.js";

interface Schema {
  title?: string;
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  items?: Schema;
  default?: unknown;
}

/** Every key below a schema, with its path. */
function keysOf(schema: Schema | undefined, path: string): [string, Schema][] {
  if (!schema) return [];
  const own = Object.entries(schema.properties ?? {}).map(([key, one]): [string, Schema] => [`${path}.${key}`, one]);
  const table = typeof schema.additionalProperties === "object" ? keysOf(schema.additionalProperties, `${path}.*`) : [];
  const inner = [...(schema.anyOf ?? []), schema.items].flatMap((one) => keysOf(one, path));
  return [...own, ...own.flatMap(([where, one]) => keysOf(one, where)), ...table, ...inner];
}

describe("the JSON Schema", () => {
  // It is the schema of plain JSON; the cast says which parts are read here.
  const schema = loopJsonSchema() as Schema;

  it("has the four bodies, each strict", () => {
    expect(schema.anyOf?.map((one) => [one.title, one.additionalProperties])).toEqual([
      ["skills loop", false],
      ["steps loop", false],
      ["doer/reviewer loop", false],
      ["nodes loop", false],
    ]);
  });

  it("describes every key", () => {
    const keys = keysOf(schema, "");
    expect(keys.length).toBeGreaterThan(200);
    expect(keys.filter(([, one]) => !one.description).map(([path]) => path)).toEqual([]);
  });

  it("knows the defaults", () => {
    const doer = schema.anyOf?.[2]?.properties ?? {};
    expect([
      doer.max_iter?.default,
      doer.max_resets?.default,
      doer.artifact?.default,
      doer.max_attempts?.default,
    ]).toEqual([5, 3, "REVIEW.md", 3]);
  });
});

it("the keys a complaint may name for a body are exactly those its schema has besides the common ones", () => {
  const keysOf = (schema: { shape: object }) => Object.keys(schema.shape);
  const own = { skills: skillsSchema(), steps: stepsSchema(), doer: doerSchema(), nodes: nodesSchema() };
  const common = keysOf(own.skills).filter((key) => keysOf(own.steps).includes(key));
  for (const [body, schema] of Object.entries(own)) {
    expect(keysOf(schema).filter((key) => !common.includes(key))).toEqual(BODY_KEYS[body as keyof typeof own]);
  }
});
