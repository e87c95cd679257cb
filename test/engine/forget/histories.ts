import fc from 'fast-check';
import type { TurnInput } from '../../../src/model/turn-input.ts';

/** One thing that somebody does to a memory. Picks are taken from what there is at the time, modulo its number. */
export type Step =
  | { readonly do: 'add'; readonly session: string; readonly says: readonly string[] }
  /** What a turn of now says, corrected. */
  | { readonly do: 'correct turn'; readonly pick: number; readonly says: string }
  | { readonly do: 'flush' }
  | { readonly do: 'edit fact'; readonly pick: number; readonly to: string }
  | { readonly do: 'reject fact'; readonly pick: number }
  | { readonly do: 'merge'; readonly pick: number; readonly other: number }
  | { readonly do: 'undo'; readonly pick: number }
  | { readonly do: 'forget session'; readonly pick: number }
  | { readonly do: 'forget turns'; readonly picks: readonly number[] }
  /** The next thing that is done breaks off at its nth commit, and memory is opened anew. */
  | { readonly do: 'crash'; readonly commit: number; readonly late: boolean };

export type History = readonly Step[];

const NAMES = ['Mia', 'Omar', 'Lena', 'Mia Stone'];
const PLACES = ['Ghent', 'Lisbon', 'Bruges'];
const FIRMS = ['Acme', 'Globex'];
const LIKES = ['coffee', 'tea', 'climbing'];

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
);
const session = fc.constantFrom('monday', 'tuesday', 'friday');
const pick = fc.nat({ max: 50 });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      session,
      says: fc.array(sentence, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('correct turn' as const), pick, says: sentence }) },
  { weight: 3, arbitrary: fc.constant({ do: 'flush' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('edit fact' as const),
      pick,
      to: fc.constantFrom('Ann lives in Antwerp.', 'Ann loves cocoa.'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reject fact' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('merge' as const), pick, other: pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('undo' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget session' as const), pick }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('forget turns' as const),
      picks: fc.array(pick, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('crash' as const),
      commit: fc.integer({ min: 1, max: 4 }),
      late: fc.boolean(),
    }),
  },
);

/** At random; fast-check shrinks one that fails to the smallest that does. */
export const histories: fc.Arbitrary<History> = fc.array(step, { minLength: 3, maxLength: 14 });

/** Turns as `add` takes them; speakers take turns. */
export function turnsOf(
  { session, says }: { readonly session: string; readonly says: readonly string[] },
  { index, at }: { readonly index: number; readonly at: number },
): TurnInput[] {
  return says.map((content, position) => ({
    session,
    index: index + position,
    speaker: (index + position) % 3 === 2 ? 'Bob' : 'Ann',
    at: at + position * 60_000,
    content,
  }));
}
