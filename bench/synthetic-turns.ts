import type { TurnInput } from '../src/model/turn-input.ts';

const TURNS_PER_SESSION = 20;
const VOCABULARY = 30_000;
const FIRST_DAY = Date.UTC(2020, 0, 1);
const HOUR = 3_600_000;

const SYLLABLES =
  'ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu'.split(' ');
const VERBS = ['visited', 'painted', 'bought', 'repaired', 'described', 'photographed', 'sold', 'found'];
const SPEAKERS = ['Ada', 'Boris'];

/** A small generator of reproducible numbers in [0, 1) (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A distinct, pronounceable word for each rank. */
export function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length]!;
  return word;
}

/** Ranks by Zipf's law, by inversion of its continuous form. */
function zipf(random: () => number): number {
  return Math.min(VOCABULARY - 1, Math.floor(VOCABULARY ** random()) - 1);
}

/**
 * A long conversation of two people in sessions of twenty turns: each turn states in the first person an action on a
 * thing, in about thirty words by Zipf's law, which gives one fact and a few entities, like real turns.
 */
export function* syntheticTurns(count: number, seed = 1): Generator<TurnInput> {
  const random = randomNumbers(seed);
  for (let turn = 0; turn < count; turn++) {
    const session = Math.floor(turn / TURNS_PER_SESSION);
    const index = turn % TURNS_PER_SESSION;
    yield {
      content: syntheticText(random),
      speaker: SPEAKERS[turn % 2]!,
      session: `session ${session}`,
      index,
      at: FIRST_DAY + session * 24 * HOUR + index * 60_000,
      source: 'synthetic',
    };
  }
}

/**
 * "And" prevents the filler from being read as one long name, and things have separate words, so a turn gives one fact
 * and three mentions (its speaker, the thing, the day). LoCoMo's turns give 0.9 and 2.8.
 */
function syntheticText(random: () => number): string {
  const words = Array.from({ length: 24 }, () => wordOf(zipf(random)));
  const verb = VERBS[Math.floor(random() * VERBS.length)]!;
  return `I ${verb} the old ${wordOf(zipf(random))}nt yesterday. Maybe ${words.join(' and ')}${random() < 0.2 ? '?' : '.'}`;
}

/** Questions of up to eight words from the same distribution. */
export function syntheticQuestions(count: number, seed = 2): string[] {
  const random = randomNumbers(seed);
  return Array.from({ length: count }, () => {
    const words = Array.from({ length: 3 + Math.floor(random() * 6) }, () => wordOf(zipf(random)));
    return `What did Ada say about ${words.join(' ')}?`;
  });
}
