import { entityNameKey } from '../../util/tidy.ts';

const STATES =
  'alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana nebraska nevada new-hampshire new-jersey new-mexico north-carolina north-dakota ohio oklahoma oregon pennsylvania rhode-island south-carolina south-dakota tennessee texas utah vermont virginia west-virginia wisconsin wyoming england scotland wales northern-ireland bavaria tuscany sicily catalonia andalusia provence normandy brittany ontario quebec british-columbia europe asia africa america north-america south-america uk usa us midwest scandinavia'
    .split(' ')
    .map((name) => name.replaceAll('-', ' '));

let regions: ReadonlySet<string> | null = null;

/** Whether it is a country, a large part of one or a continent: one lives in it and in a town of it at once. */
export function isRegion(place: string): boolean {
  regions ??= new Set([...STATES, ...countries()]);
  return regions.has(entityNameKey(place).replace(/^the /, ''));
}

/** All that the runtime knows by a code of two letters. */
function countries(): string[] {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  return codes.flatMap((code) => names.of(code) ?? []).map(entityNameKey);
}
