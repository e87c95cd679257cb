export const APP_ORIGIN = 'app://mnemis';
const LONGEST_LINK = 2_000;

/** Whether a message may come from this frame: it must show the app's own page. */
export function isOwnPage(address: string | undefined): boolean {
  const url = address !== undefined && URL.canParse(address) ? new URL(address) : null;
  return (
    url !== null && url.protocol === 'app:' && url.host === 'mnemis' && url.username + url.password === ''
  );
}

/** The address to open in the system's browser; null for one that is not a plain web page. */
export function webLink(address: string): string | null {
  if (address.length > LONGEST_LINK || !URL.canParse(address)) return null;
  const url = new URL(address);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  return isWeb && url.username + url.password === '' ? url.href : null;
}

/** A place within the app, such as `/c/ID`. */
export function isPlace(value: unknown): value is string {
  return typeof value === 'string' && /^\/[\w\-/%.~]{0,6000}$/.test(value);
}
