/** Whether the text is a time zone as IANA names it, such as "Europe/Oslo". */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** How far the clock of this computer is ahead of UTC at a time, in milliseconds. */
export function localOffset(at: number): number {
  return -new Date(at).getTimezoneOffset() * 60_000;
}

/** How far the clocks of a zone are ahead of UTC at a time, in milliseconds. @throws RangeError for no zone */
export function zoneOffset(timeZone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at);
  const shown = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(shown) ?? [];
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return sign === '-' ? -offset : offset;
}
