import { wordSet } from '../../util/collections.ts';
import { entityNameKey } from '../../util/tidy.ts';
import places from './places.json' with { type: 'json' };

/** "Knoxville", "San Rafael". */
const LOOKS_LIKE_A_TOWN =
  /^\p{Lu}\p{Ll}{2,}(?:ville|burgh?|borough|stad|stadt|haven|hagen|dorf|heim|chester|cester|mouth|minster|polis|grad|abad|shire|sund|fjord)$|^(?:San|Santa|Santo|São|Sao|Los|Las|Saint|St\.?|Fort|Mount|Puerto|Ciudad|Rio|Bad|Lake) \p{Lu}\p{Ll}|(?: |-)(?:upon|sur|am)(?: |-)\p{Lu}| (?:City|Beach|Village|Springs|Heights|Island|Islands|Valley|Falls|Bay|County)$/u;

let known: { readonly regions: ReadonlySet<string>; readonly towns: ReadonlySet<string> } | null = null;

/** A region (a country, a large part of one, a continent) contains towns, so a person lives in both at once. */
export type PlaceKind = 'region' | 'town';

/** The kind of place with this name, without a map; null for other names and for small places that no list has. */
export function placeKind(name: string): PlaceKind | null {
  known ??= {
    regions: new Set([...named(places.regions), ...countries()]),
    towns: new Set([...named(places.towns), ...timeZones()]),
  };
  const key = entityNameKey(name).replace(/^the /, '');
  if (known.regions.has(key)) return 'region';
  const plain = key.replaceAll('ø', 'o').replaceAll('-', ' ');
  const isTown = known.towns.has(plain) || known.towns.has(plain.replace(/^(?:central|downtown) /, ''));
  return isTown || LOOKS_LIKE_A_TOWN.test(name) ? 'town' : null;
}

/** The lists write "new-york". */
function named(lines: readonly string[]): string[] {
  return [...wordSet(lines)].map((name) => name.replaceAll('-', ' '));
}

/** All countries that the runtime knows by a code of two letters. */
function countries(): string[] {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  return codes.flatMap((code) => names.of(code) ?? []).map(entityNameKey);
}

/** The runtime's time zones are each named after a town: "Europe/Lisbon". */
function timeZones(): string[] {
  return Intl.supportedValuesOf('timeZone').map((zone) =>
    zone.split('/').at(-1)!.toLowerCase().replaceAll('_', ' '),
  );
}
