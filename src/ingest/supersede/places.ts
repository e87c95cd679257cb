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
  // Countries and the towns of time zones are those that ICU names; to ask it takes longer than to read ten notes.
  known ??= {
    regions: new Set([...named(places.regions), ...listed(places.countries)]),
    towns: new Set([...named(places.towns), ...listed(places.zones)]),
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

function listed(lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(', '));
}
