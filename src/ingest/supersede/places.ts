import { append, wordSet } from '../../util/collections.ts';
import { entityNameKey } from '../../util/tidy.ts';
import noPlaces from './no-places.json' with { type: 'json' };
import places from './places.json' with { type: 'json' };

/** "Knoxville", "San Rafael". */
const LOOKS_LIKE_A_TOWN =
  /^\p{Lu}\p{Ll}{2,}(?:ville|burgh?|borough|stad|stadt|haven|hagen|dorf|heim|chester|cester|mouth|minster|polis|grad|abad|shire|sund|fjord)$|^(?:San|Santa|Santo|São|Sao|Los|Las|Saint|St\.?|Fort|Mount|Puerto|Ciudad|Rio|Bad|Lake) \p{Lu}\p{Ll}|(?: |-)(?:upon|sur|am)(?: |-)\p{Lu}| (?:City|Beach|Village|Springs|Heights|Island|Islands|Valley|Falls|Bay|County)$/u;

interface Places {
  readonly regions: ReadonlySet<string>;
  readonly towns: ReadonlySet<string>;
  /** Keys of the regions that contain a town or region of this name; several for a name of several places. */
  readonly within: ReadonlyMap<string, readonly string[]>;
}

let known: Places | null = null;

/** A region (a country, a large part of one, a continent) contains towns, so a person lives in both at once. */
export type PlaceKind = 'region' | 'town';

/** The kind of place with this name, without a map; null for other names and for small places that no list has. */
export function placeKind(name: string): PlaceKind | null {
  const { regions, towns, within } = listedPlaces();
  const key = keyOf(name);
  const plain = plainKeyOf(name);
  // New York is a town in New York.
  if (regions.has(key) && !(towns.has(plain) && within.get(plain)?.includes(plain))) return 'region';
  return towns.has(plain) || LOOKS_LIKE_A_TOWN.test(name) ? 'town' : null;
}

/** Whether a place may lie in another: by the list, which knows no more of a continent than that it contains all. */
export function mayLieIn(inner: string, outer: string): boolean {
  const [place, region] = [plainKeyOf(inner), plainKeyOf(outer)];
  if (CONTINENTS.has(region)) return true;
  const around = regionsAround(place);
  if (around.has(region) || around.has(SAME_REGION[region] ?? '')) return true;
  // The parts of most countries have no list of their towns.
  const { regions, within } = listedPlaces();
  const parts = regions.has(region) ? (within.get(region) ?? []) : [];
  return (
    !LISTED_PARTS.has(parts[0] ?? '') && parts.some((country) => around.has(country) && country !== place)
  );
}

const CONTINENTS = wordSet(places.continents);
const SAME_REGION: Readonly<Record<string, string>> = {
  uk: 'united kingdom',
  'great britain': 'united kingdom',
  britain: 'united kingdom',
  usa: 'united states',
  us: 'united states',
  america: 'united states',
  'the states': 'united states',
  holland: 'netherlands',
  turkey: 'turkiye',
};
/** Countries whose parts have their own lists of towns. */
const LISTED_PARTS: ReadonlySet<string> = new Set(['united states', 'united kingdom']);

function regionsAround(place: string): ReadonlySet<string> {
  const { within } = listedPlaces();
  const found = new Set(within.get(SAME_REGION[place] ?? place) ?? []);
  for (const region of found)
    if (region !== place) for (const outer of within.get(region) ?? []) found.add(outer);
  return found;
}

function listedPlaces(): Places {
  if (known !== null) return known;
  const within = new Map<string, string[]>();
  const towns = new Set([...named(places.towns), ...listed(places.zones)]);
  const parts = Object.entries(places.within).flatMap(([region, lines]) =>
    named(lines).map((part) => [part, region] as const),
  );
  for (const [part, region] of parts) append(within, part, region);
  for (const [region, lines] of Object.entries(places.townsIn))
    for (const town of named(lines)) {
      towns.add(town);
      append(within, town, region);
    }
  const regions = new Set([
    ...[...CONTINENTS].map((name) => name.replaceAll('-', ' ')),
    ...named(places.regions),
    ...listed(places.countries),
    ...parts.map(([part]) => part),
  ]);
  known = { regions, towns, within };
  return known;
}

function keyOf(name: string): string {
  return entityNameKey(name).replace(/^the /, '');
}

function plainKeyOf(name: string): string {
  return keyOf(name)
    .replaceAll('ø', 'o')
    .replaceAll('ł', 'l')
    .replaceAll('-', ' ')
    .replace(/^(?:central|downtown) /, '');
}

/** Names of firms, products and languages: who moved to one has not moved house. */
const NO_PLACES = wordSet(noPlaces);
const OF_WORK =
  /\b(?:Inc|Ltd|LLC|GmbH|AG|Corp|Corporation|Company|Bank|Team|Department|Group|Labs?|Studios?|University|College|School|Hospital|Hotel|Hostel|Office|Room|Floor|Building|Desk|Class|Grade|Plan|Tier|Level|Phase|Act|Chapter|Part|Stage|Round|Step|Season|Episode|Division|Section|Page|Slide|Python|API|Cloud|OS)\b/;

/** Whether an unlisted name may be that of a place, such as a village. */
export function mayBePlace(name: string): boolean {
  if (placeKind(name) !== null) return true;
  if (!PROPER.test(name) || OF_WORK.test(name) || /^\p{Lu}{2,}$/u.test(name)) return false;
  return !name.split(' ').some((word) => NO_PLACES.has(entityNameKey(word)));
}

const PROPER =
  /^(?:the )?\p{Lu}[\p{L}\p{M}'’-]*(?:[ -](?:\p{Lu}[\p{L}\p{M}'’-]*|of|de|la|le|les|del|di|da|do|upon|sur|am|an|der|den|on|the))*$/u;

/** The lists write "new-york". */
function named(lines: readonly string[]): string[] {
  return [...wordSet(lines)].map((name) => name.replaceAll('-', ' '));
}

function listed(lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(', '));
}
