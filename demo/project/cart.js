/** What a cart costs, in cents. */
export function total(items) {
  let sum = 0;
  for (const { cents } of items) sum += cents;
  return sum;
}
