// Moments that an event tells, as numbers and back. The time itself comes from a port; this only reckons.

export const msOf = (moment: string): number =>
  // biome-ignore lint/style/noRestrictedGlobals: it reads a text that is given, not the clock
  Date.parse(moment);
export const later = (moment: string, ms: number): string =>
  // biome-ignore lint/style/noRestrictedGlobals: as above
  new Date(msOf(moment) + ms).toISOString();
