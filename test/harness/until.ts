// Waits for the world, with a limit: tests look instead of sleeping.
const LOOK_MS = 20;

export async function until(holds: () => boolean | Promise<boolean>, what: string, limitMs = 15_000): Promise<void> {
  for (let waitedMs = 0; waitedMs < limitMs; waitedMs += LOOK_MS) {
    if (await holds()) return;
    await new Promise((done) => setTimeout(done, LOOK_MS));
  }
  throw new Error(`after ${limitMs / 1000} s still not: ${what}`);
}
