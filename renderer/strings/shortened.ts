const LONGEST = 60;

/** The beginning of what was said, as a name of it. */
export const shortened = (said: string): string =>
  said.length > LONGEST ? `${said.slice(0, LONGEST).trimEnd()}…` : said;
