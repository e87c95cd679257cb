import { wordSet } from '../../../util/collections.ts';
import { capitalized } from '../../../util/tidy.ts';
import type { LayerNode, ProposedCategory } from '../../categorizer.ts';
import { categoryKey, categoryNames } from '../../category-name.ts';
import type { Label } from './vocabulary.ts';
import words from './words.json' with { type: 'json' };
import { plural } from './words.ts';

const MOST_TAGS = 5;

/** A category under construction. */
export interface Draft {
  name: string;
  /** The labels it is named by or placed under. They become its tags, which the next layer reads. */
  readonly labels: readonly Label[];
  readonly nodes: Set<LayerNode>;
}

/** Categories of one layer; drafts with equal keys are merged. */
export class Drafts {
  readonly #byKey = new Map<string, Draft>();

  /** Returns null if the name is not allowed for a category. */
  add(proposed: string, labels: readonly Label[], nodes: Iterable<LayerNode>): Draft | null {
    const name = shownName(proposed);
    if (name === null) return null;
    const key = categoryKey(name);
    const known = this.#byKey.get(key);
    const draft = known ?? { name, labels, nodes: new Set() };
    for (const node of nodes) draft.nodes.add(node);
    if (known === undefined) this.#byKey.set(key, draft);
    return draft;
  }

  named(name: string): Draft | undefined {
    return this.#byKey.get(categoryKey(name));
  }

  remove(draft: Draft): void {
    this.#byKey.delete(categoryKey(draft.name));
  }

  all(): readonly Draft[] {
    return [...this.#byKey.values()];
  }

  placed(): ReadonlySet<LayerNode> {
    return new Set(this.all().flatMap(({ nodes }) => [...nodes]));
  }

  /** Sorted by name; the nodes of each in the order of `order`. */
  proposals(order: readonly LayerNode[]): readonly ProposedCategory[] {
    const place = new Map(order.map((node, index) => [node, index]));
    return this.all()
      .map(({ name, labels, nodes }) => ({
        name,
        tags: tagsOf(name, labels),
        ...(categorySynonyms(name).length > 0 && { aliases: categorySynonyms(name) }),
        nodes: [...nodes].sort((a, b) => place.get(a)! - place.get(b)!).map(({ id }) => id),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** Names of the labels above, nearest first; `upperParents` reads them. */
function tagsOf(name: string, labels: readonly Label[]): readonly string[] {
  const above = labels.flatMap((label) =>
    label.lineage.map((each, distance) => ({ name: each.name, distance })),
  );
  above.sort((a, b) => a.distance - b.distance);
  const names = above.map((each) => each.name).filter((each) => categoryKey(each) !== categoryKey(name));
  return [...new Set(names)].slice(0, MOST_TAGS);
}

/** Nouns whose category names are plural: "Trips", but "Pottery" and "Health". */
const COUNTABLE = new Set([
  'People',
  'Groups',
  'Places',
  'Events',
  'Things',
  'Travel',
  'Animals',
  'Pets',
  'Birds',
  'Trees',
  'Flowers',
  'Plants',
  'Books',
  'Films',
  'Stories',
  'Pictures',
  'Messages',
  'Documents',
  'Signs',
  'Games',
  'Projects',
  'Desserts',
  'Meals',
  'Vehicles',
  'Instruments',
  'Toys',
  'Goals',
  'Plans',
  'Problems',
  'Skills',
  'Relationships',
  'Topics',
]);
const UNCOUNTABLE = /(?:ing|ness|ity|ism|ship|hood|ment|tion|sion|ance|ence|ware|ics|wear|gear)$/;
const MASS = wordSet(words.mass);

/** Category name of a noun in its base form. */
export function categoryNameOf(noun: string, labels: readonly Label[], isSeenInPlural: boolean): string {
  const last = noun.slice(noun.lastIndexOf(' ') + 1);
  const start = noun.slice(0, noun.length - last.length);
  const many =
    isSeenInPlural ||
    (!MASS.has(last) &&
      !UNCOUNTABLE.test(last) &&
      labels.some((label) => label.lineage.some(({ name }) => COUNTABLE.has(name))));
  return capitalized(many && /^\p{Ll}/u.test(last) ? start + plural(last) : noun);
}

export function otherOf(name: string): string {
  if (name === 'Time') return 'Other times';
  return `Other ${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}

/** A valid category name, with joining signs replaced by spaces; null if none remains. */
function shownName(name: string): string | null {
  return categoryNames(name.replace(/\s*[&+/,;]+\s*/gu, ' '))[0] ?? null;
}

/** The name without its prefix "Other"; null if it has none. */
export function withoutOther(name: string): string | null {
  return /^Other (?=\p{L})/u.test(name) ? name.slice('Other '.length) : null;
}

/** Aliases of categories: other words that questions use for their contents. */
const CATEGORY_ALIASES: Readonly<Record<string, readonly string[]>> = {
  Professions: ['Occupations', 'Jobs', 'Careers', 'Trades'],
  Colleagues: ['Coworkers', 'Workmates'],
  Children: ['Kids', 'Youngsters'],
  Family: ['Relatives', 'Family members'],
  Friends: ['Buddies', 'Pals'],
  Students: ['Pupils', 'Classmates'],
  Artists: ['Performers'],
  Organisations: ['Organizations', 'Institutions'],
  Companies: ['Businesses', 'Firms', 'Employers', 'Brands'],
  Clubs: ['Associations', 'Societies'],
  Places: ['Locations', 'Spots', 'Destinations'],
  Cities: ['Towns', 'Villages'],
  Countries: ['Nations', 'States'],
  Regions: ['Areas', 'Districts'],
  Mountains: ['Hills', 'Peaks'],
  Waters: ['Lakes', 'Rivers', 'Seas'],
  Homes: ['Houses', 'Apartments', 'Flats'],
  Shops: ['Stores', 'Markets'],
  Restaurants: ['Cafes', 'Bars', 'Pubs'],
  Roads: ['Streets', 'Routes'],
  Travel: ['Journeys', 'Voyages'],
  Trips: ['Journeys', 'Vacations', 'Holidays', 'Travels', 'Excursions'],
  Exercise: ['Workouts', 'Exercises'],
  Hobbies: ['Pastimes', 'Interests'],
  Classes: ['Courses', 'Lessons'],
  Events: ['Occasions', 'Happenings'],
  Meetings: ['Appointments', 'Conferences'],
  Shows: ['Concerts', 'Performances'],
  Festivals: ['Celebrations', 'Parties', 'Holidays'],
  Competitions: ['Contests', 'Tournaments', 'Races'],
  Clothes: ['Garments', 'Outfits', 'Clothing'],
  Vehicles: ['Cars', 'Means of transport'],
  Devices: ['Gadgets', 'Machines', 'Electronics'],
  Instruments: ['Musical instruments'],
  Artworks: ['Works of art', 'Pictures', 'Paintings'],
  Software: ['Programs', 'Apps', 'Applications'],
  Food: ['Foods', 'Things to eat'],
  Dishes: ['Recipes', 'Meals'],
  Drinks: ['Beverages'],
  Desserts: ['Sweets', 'Cakes'],
  Seasonings: ['Spices', 'Herbs', 'Ingredients'],
  Animals: ['Creatures', 'Wildlife'],
  Pets: ['Pet animals'],
  Plants: ['Flowers', 'Trees'],
  Illnesses: ['Diseases', 'Sicknesses', 'Health problems', 'Health issues', 'Conditions'],
  Injuries: ['Wounds'],
  Treatments: ['Therapies', 'Procedures'],
  Medicines: ['Medications', 'Drugs'],
  Feelings: ['Emotions', 'Moods'],
  Films: ['Movies'],
  Series: ['TV shows', 'Shows'],
  Books: ['Novels', 'Literature'],
  Songs: ['Tunes', 'Tracks'],
  Goals: ['Aims', 'Plans', 'Ambitions', 'Dreams'],
  Problems: ['Difficulties', 'Troubles', 'Challenges'],
};

const NONE: readonly string[] = [];

function categorySynonyms(category: string): readonly string[] {
  return Object.hasOwn(CATEGORY_ALIASES, category) ? CATEGORY_ALIASES[category]! : NONE;
}
