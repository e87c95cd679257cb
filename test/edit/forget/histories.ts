import fc from 'fast-check';
import type { TurnInput } from '../../../src/model/turn-input.ts';

/** One thing that somebody does to a memory. Picks are taken from what there is at the time, modulo its number. */
export type Step =
  | { readonly do: 'add'; readonly session: string; readonly says: readonly Said[] }
  /** The words of a forgotten turn, as a new one. */
  | { readonly do: 'say again'; readonly session: string; readonly pick: number }
  /** What a turn of now says, corrected. */
  | { readonly do: 'correct turn'; readonly pick: number; readonly says: string }
  | { readonly do: 'flush' }
  | { readonly do: 'edit fact'; readonly pick: number; readonly to: string }
  | { readonly do: 'reject fact' | 'pin fact'; readonly pick: number }
  | { readonly do: 'merge' | 'keep apart'; readonly pick: number; readonly other: number }
  | { readonly do: 'edit profile'; readonly pick: number; readonly name: string }
  | { readonly do: 'split'; readonly pick: number; readonly other: number; readonly name: string }
  | {
      readonly do: 'give';
      readonly picks: readonly number[];
      readonly statement: string;
      readonly subject: string;
    }
  | { readonly do: 'undo'; readonly pick: number }
  | { readonly do: 'forget session'; readonly pick: number }
  | { readonly do: 'forget turns'; readonly picks: readonly number[] }
  /** One forgetting for each turn. */
  | { readonly do: 'forget one by one'; readonly picks: readonly number[] }
  /** The next thing that is done breaks off at its nth commit, and memory is opened anew. */
  | { readonly do: 'crash'; readonly commit: number; readonly late: boolean };

/** A line of a conversation; without a speaker, Ann and Bob take turns. */
export interface Said {
  readonly speaker?: string;
  readonly content: string;
}

export type History = readonly Step[];

/** A step in one of several scopes of one memory. */
export interface ScopedStep {
  readonly scope: number;
  readonly step: Step;
}
export type ScopedHistory = readonly ScopedStep[];

const NAMES = ['Mia', 'Omar', 'Lena', 'Mia Stone'];
const PLACES = ['Ghent', 'Lisbon', 'Bruges'];
const FIRMS = ['Acme', 'Globex'];
const LIKES = ['coffee', 'tea', 'climbing'];
/** In no list of places. */
const SMALL_TOWNS = ['Whitby', 'Aalst', 'Quito'];
const COARSE_DATES = ['in March', 'last month', 'this year', 'in spring', 'yesterday', 'today'];
const ATTRIBUTES = [
  ['My favourite colour', ['blue', 'green']],
  ['My e-mail', ['ann@example.org', 'ann@example.net']],
  ['My job title', ['analyst', 'head nurse']],
  ['The deadline', ['5 May', '12 May']],
] as const;
/** One name for relatives, teachers and speakers alike, so that resolution has to tell them apart. */
const SHARED_NAMES = ['Yusuf', 'Mia', 'Carla'];
const RELATIONS = ['sister', 'brother', 'mother', 'cousin', 'teacher', 'boss', 'neighbour'];
const SKILLS = [
  ['chess', 'Najdorf'],
  ['bouldering', 'Kilter'],
  ['piano', 'Suzuki'],
] as const;
const SPEAKERS = ['Carla', 'Tomas', 'Nora', 'Yusuf', 'Ann'];

/** Sentences of which some repeat, contradict, correct or follow each other. */
const sentence = fc.oneof(
  fc.constantFrom(...PLACES).map((place) => `I live in ${place}.`),
  fc.constantFrom(...PLACES).map((place) => `I moved to ${place} last week.`),
  fc.constantFrom(...PLACES).map((place) => `No, I meant ${place}.`),
  fc.constantFrom(...FIRMS).map((firm) => `I work at ${firm}.`),
  fc.constantFrom(...LIKES).map((like) => `I love ${like}.`),
  fc.constantFrom(...LIKES).map((like) => `I no longer like ${like}.`),
  fc.constantFrom(...NAMES).map((name) => `My sister is called ${name}.`),
  fc
    .tuple(fc.constantFrom(...NAMES), fc.constantFrom(...PLACES))
    .map(([name, place]) => `${name} lives in ${place}.`),
  fc
    .tuple(fc.constantFrom(...NAMES), fc.constantFrom(...NAMES))
    .map(([a, b]) => `${a} visited ${b} yesterday.`),
  fc.constantFrom('Ok.', 'How are you?', 'Thanks!'),
  fc
    .tuple(fc.constantFrom(...PLACES, ...SMALL_TOWNS), fc.constantFrom(...COARSE_DATES))
    .map(([place, when]) => `I moved to ${place} ${when}.`),
  fc
    .constantFrom(...ATTRIBUTES)
    .chain(([attribute, values]) => fc.constantFrom(...values).map((value) => `${attribute} is ${value}.`)),
  fc.integer({ min: 2, max: 4 }).map((count) => `I have ${count} kids now.`),
  fc.constantFrom(...PLACES).map((place) => `The user lives in ${place}.`),
  fc.constantFrom(...PLACES).map((place) => `Lives in ${place}.`),
  fc.constantFrom('Thursday', 'Friday').map((day) => `The meeting was moved to ${day}.`),
);
/** Relatives and teachers of one name, several speakers, and speakers who quote each other. */
const wideSentence = fc.oneof(
  { weight: 3, arbitrary: sentence },
  fc
    .tuple(fc.constantFrom(...RELATIONS), fc.constantFrom(...SHARED_NAMES), fc.constantFrom(...PLACES))
    .map(([relation, name, place]) => `My ${relation} ${name} works at the library in ${place}.`),
  fc
    .tuple(
      fc.constantFrom('Dr.', 'Prof.', 'J. R.'),
      fc.constantFrom(...SHARED_NAMES),
      fc.constantFrom(...FIRMS),
    )
    .map(([title, name, firm]) => `My boss ${title} ${name} Klein left ${firm}. We met at St. Anna's.`),
  fc
    .tuple(fc.constantFrom(...SKILLS), fc.constantFrom(...SHARED_NAMES))
    .map(
      ([[skill, method], name]) =>
        `I started ${skill} yesterday; my teacher ${name} recommended the ${method} method.`,
    ),
  fc
    .tuple(fc.constantFrom(...SPEAKERS), fc.constantFrom(...LIKES), fc.constantFrom(...PLACES))
    .map(
      ([speaker, like, place]) =>
        `${speaker} said "${like} is the best" when I told her that I live in ${place}.`,
    ),
  fc.tuple(fc.constantFrom(...SPEAKERS), sentence).map(([speaker, said]) => `${speaker} told me: “${said}”`),
  fc
    .tuple(fc.constantFrom(...SHARED_NAMES), fc.constantFrom(...RELATIONS), fc.constantFrom(...SHARED_NAMES))
    .map(([one, relation, other]) => `${one}'s ${relation} is called ${other}.`),
  fc.constantFrom(...SHARED_NAMES).map((name) => `${name} is my best friend and we met ${name}'s dog Rex.`),
);
const session = fc.constantFrom('monday', 'tuesday', 'friday');
const pick = fc.nat({ max: 50 });

/** A step with its weight among all. */
function one<K extends Step['do'], T extends object>(
  weight: number,
  kind: K,
  columns: { [C in keyof T]: fc.Arbitrary<T[C]> },
) {
  return {
    weight,
    arbitrary: fc.record({ do: fc.constant(kind), ...columns }) as unknown as fc.Arbitrary<Step>,
  };
}

const to = fc.constantFrom('Ann lives in Antwerp.', 'Ann loves cocoa.');
const name = fc.constantFrom('Lena', 'Zed', 'Mia Two');
const few = fc.array(pick, { minLength: 1, maxLength: 3 });
const given = {
  picks: few,
  statement: fc.constantFrom('Ann plays chess.', 'Ann lives in Ghent'),
  subject: fc.constantFrom('Ann', 'Mia'),
};
const said = sentence.map((content): Said => ({ content }));
const otherSteps = [
  one(2, 'correct turn', { pick, says: sentence }),
  one(6, 'flush', {}),
  one(2, 'edit fact', { pick, to }),
  one(2, 'reject fact', { pick }),
  one(1, 'pin fact', { pick }),
  one(2, 'merge', { pick, other: pick }),
  one(1, 'keep apart', { pick, other: pick }),
  one(1, 'split', { pick, other: pick, name }),
  one(1, 'edit profile', { pick, name }),
  one(2, 'give', given),
  one(2, 'undo', { pick }),
  one(2, 'forget session', { pick }),
  one(4, 'forget turns', { picks: few }),
  one(4, 'say again', { session, pick }),
  one(2, 'crash', { commit: fc.integer({ min: 1, max: 4 }), late: fc.boolean() }),
];
const step: fc.Arbitrary<Step> = fc.oneof(
  one(12, 'add', { session, says: fc.array(said, { minLength: 1, maxLength: 3 }) }),
  ...otherSteps,
);

export const wideSaid: fc.Arbitrary<Said> = fc.record({
  speaker: fc.constantFrom(...SPEAKERS),
  content: wideSentence,
});
const wideStep: fc.Arbitrary<Step> = fc.oneof(
  one(14, 'add', { session, says: fc.array(wideSaid, { minLength: 1, maxLength: 3 }) }),
  one(8, 'forget one by one', { picks: few }),
  ...otherSteps,
);

/** At random; fast-check shrinks one that fails to the smallest that does. */
export const histories: fc.Arbitrary<History> = fc.array(step, { minLength: 3, maxLength: 14 });

/** The same over conversations of several speakers, in several scopes of one memory. */
export function scopedHistories({
  scopes,
  steps,
}: {
  readonly scopes: number;
  readonly steps: number;
}): fc.Arbitrary<ScopedHistory> {
  const scoped = fc.record({ scope: fc.nat({ max: scopes - 1 }), step: wideStep });
  return fc.array(scoped, { minLength: Math.min(3, steps), maxLength: steps, size: 'max' });
}

/** Turns as `add` takes them; speakers take turns. */
export function turnsOf(
  { session, says }: { readonly session: string; readonly says: readonly Said[] },
  { index, at }: { readonly index: number; readonly at: number },
): TurnInput[] {
  return says.map(({ speaker, content }, position) => ({
    session,
    index: index + position,
    speaker: speaker ?? ((index + position) % 3 === 2 ? 'Bob' : 'Ann'),
    at: at + position * 60_000,
    content,
  }));
}
