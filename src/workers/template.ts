// Templates with {names}: an unknown name is an error at load, and at run time every name has a value.

const NAME = /\{([^{}\s]*)\}/g;

/** Names in a template that are not among `known`. */
export const unknownNames = (template: string, known: readonly string[]): string[] =>
  [...template.matchAll(NAME)].flatMap(([, name = ""]) => (known.includes(name) ? [] : [name]));

/** Only the names of `values` are replaced; text that a value brings in is not looked at again. */
export const fillIn = (template: string, values: Record<string, string>): string =>
  template.replace(NAME, (whole, name: string) => (Object.hasOwn(values, name) ? (values[name] ?? whole) : whole));
