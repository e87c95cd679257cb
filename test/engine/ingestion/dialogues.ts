import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';

export const MINUTE = 60_000;
export const FIRST = Date.UTC(2023, 4, 8, 10);

const FERNS = ['I planted ferns in the garden.', 'The ferns in my garden need shade.'];
const TRAINS = ['The night train to Oslo was late.', 'I booked the night train to Oslo again.'];

/** Turns a minute apart, by Ann and Bob in turn, each with a `sourceId` of its session and place. */
export function dialogue(
  contents: readonly string[],
  { session = 's', start = FIRST, from = 0 }: { session?: string; start?: number; from?: number } = {},
): TurnInput[] {
  return contents.map((content, at) => ({
    content,
    speaker: (from + at) % 2 === 0 ? 'Ann' : 'Bob',
    session,
    at: start + (from + at) * MINUTE,
    sourceId: `${session} ${from + at}`,
  }));
}

/** Eight turns of two topics, with a boundary after the fourth. */
export const TWO_TOPICS: readonly string[] = [...FERNS, ...FERNS, ...TRAINS, ...TRAINS].map(
  (text, at) => `${text.slice(0, -1)}, number ${at}.`,
);

export async function pendingOf(memory: MemoryScope): Promise<number> {
  return (await memory.stats()).enrichment.pending;
}

/** Waits until so many turns wait, as background work leaves them; false when that does not come about. */
export async function waitForPending(memory: MemoryScope, wanted: number): Promise<boolean> {
  for (let tries = 0; tries < 500; tries++) {
    if ((await pendingOf(memory)) === wanted) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return false;
}
