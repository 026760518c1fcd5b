// Leaves out the keys without a value, so that "absent" has one form only.
type Compact<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};
export function compact<T extends object>(values: T): Compact<T> {
  // What is left out are exactly the undefined ones.
  return Object.fromEntries(Object.entries(values).filter((entry) => entry[1] !== undefined)) as Compact<T>;
}
