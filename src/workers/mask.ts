// Blots out secrets that were handed to a step by name, wherever they would reach a log, a note or the journal.

/** Shorter values would blot out ordinary text. */
const SECRET_CHARS_MIN = 6;

export function maskOf(secrets: string[]): (text: string) => string {
  const hidden = [...new Set(secrets)].filter((secret) => secret.length >= SECRET_CHARS_MIN);
  hidden.sort((a, b) => b.length - a.length); // a secret that contains another goes first
  return (text) => hidden.reduce((masked, secret) => masked.replaceAll(secret, "***"), text);
}
