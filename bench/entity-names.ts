import { randomNumbers } from './synthetic-turns.ts';

/** Names in order of arrival. */
export interface EntityMixture {
  readonly names: readonly string[];
  readonly before: number;
}

/** Everyday things of mixed kinds, which the grouping has to discover. */
const HEADS =
  'apple pear plum cherry lemon carrot onion potato soup pie bread cheese tea coffee juice wine salmon pasta salad cake dog cat rabbit parrot horse goat owl swan turtle hedgehog oak birch tulip rose fern guitar piano violin flute trumpet drum concert opera festival wedding birthday funeral picnic dinner lecture workshop class course exam degree job salary project deadline meeting interview office factory bakery hospital school library museum theatre church bridge river lake beach forest mountain valley village city garden kitchen balcony attic cellar sofa desk lamp carpet mirror clock kettle oven phone laptop camera printer car van bicycle motorcycle train boat canoe tent backpack suitcase coat scarf hat boots ring necklace novel poem diary magazine film podcast painting statue quilt sweater vase fear joy grief pride hope headache flu allergy therapy diet vaccine nurse dentist teacher lawyer plumber singer painter neighbour cousin uncle aunt grandmother colleague friend rent mortgage tax loan budget promise dream idea plan mistake storm snow drought sunrise marathon regatta match tournament hike swim race yoga dance choir club league committee union bank company charity party army law vote strike protest visa passport ticket'.split(
    ' ',
  );
const MODIFIERS =
  'old new red blue green black white small large little wooden silver golden plastic leather woollen electric broken lost borrowed spare second-hand local northern southern coastal rural foreign private public daily weekly annual winter summer spring autumn morning evening midnight weekend holiday family school office village city mountain river garden kitchen wedding birthday charity jazz rock folk classical modern ancient vintage digital secret famous favourite first last final half double open closed hot cold sweet sour spicy bitter fresh dried frozen'.split(
    ' ',
  );
const FIRST =
  'Ada Boris Clara Dimitri Elena Felix Greta Hugo Ines Jonas Karin Leo Mona Nils Olga Pavel'.split(' ');
const SYLLABLES = 'ber dal fen gar hol kes lin mar nor pel ros sten tor vik wen zel'.split(' ');
const ENDINGS = ['burg', 'ford', 'stad', 'by', 'ville'];
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** Different names of things with and without a modifier, people, towns and dates, in random order. */
export function entityNames({ count, seed }: { readonly count: number; readonly seed: number }): string[] {
  const random = randomNumbers(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const surname = () => capital(pick(SYLLABLES) + pick(SYLLABLES) + pick(['son', 'er', 'i', 'ova']));
  const kinds: readonly (readonly [number, () => string])[] = [
    [0.78, () => `${pick(MODIFIERS)} ${pick(HEADS)}`],
    [0.86, () => `${pick(HEADS)} ${pick(HEADS)}`],
    [0.93, () => `${pick(FIRST)} ${surname()}`],
    [0.97, () => capital(pick(SYLLABLES) + pick(SYLLABLES) + pick(ENDINGS))],
    [1, () => `${1 + Math.floor(random() * 28)} ${pick(MONTHS)} ${2010 + Math.floor(random() * 14)}`],
  ];
  const names = new Set<string>(HEADS);
  while (names.size < count) {
    const drawn = random();
    names.add(kinds.find(([upTo]) => drawn < upTo)![1]());
  }
  return shuffled([...names].slice(0, count), random);
}

function shuffled<T>(values: T[], random: () => number): T[] {
  for (let at = values.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [values[at], values[other]] = [values[other]!, values[at]!];
  }
  return values;
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
