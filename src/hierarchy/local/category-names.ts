import { wordSet } from '../../util/collections.ts';
import { capitalized } from '../../util/tidy.ts';
import { categoryNames } from '../category-name.ts';
import type { Label } from './vocabulary.ts';
import words from './words.json' with { type: 'json' };
import { plural } from './words.ts';

/** Where one speaks of several: "Trips", but "Pottery" and "Health". */
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
  'Choices',
  'Skills',
  'Relationships',
  'Topics',
]);
const UNCOUNTABLE = /(?:ing|ness|ity|ism|ship|hood|ment|tion|sion|ance|ence|ware|ics|wear|gear)$/;
const MASS = wordSet(words.mass);

/** How a noun in its base form is shown as a category. */
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

/** As categories may be named: what is joined by a sign is put side by side; null where nothing usable is left. */
export function shownName(name: string): string | null {
  return categoryNames(name.replace(/\s*[&+/,;]+\s*/gu, ' '))[0] ?? null;
}

/** The name without "Other", if it has it. */
export function withoutOther(name: string): string | null {
  return /^Other (?=\p{L})/u.test(name) ? name.slice('Other '.length) : null;
}
