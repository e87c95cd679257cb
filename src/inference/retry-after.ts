/** A longer wait must be a mistake of the server. */
const LONGEST = 24 * 3_600_000;

/** How long a reply's headers ask to wait, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function readRetryAfter(headers: Headers | undefined, now: () => number): number | null {
  const milliseconds = amount(headers?.get('retry-after-ms'));
  if (milliseconds !== null) return limit(milliseconds);
  const header = headers?.get('retry-after');
  const seconds = amount(header);
  if (seconds !== null) return limit(seconds * 1000);
  // `Date.parse` reads a date into almost any number.
  const date = /[a-z]{3}/i.test(header ?? '') ? Date.parse(header ?? '') : Number.NaN;
  return Number.isNaN(date) ? null : limit(date - now());
}

function amount(text: string | null | undefined): number | null {
  return text != null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : null;
}

const limit = (milliseconds: number): number => Math.min(Math.max(0, milliseconds), LONGEST);
