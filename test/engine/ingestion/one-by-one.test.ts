import { expect, it } from 'vitest';
import { seededRandom } from '../../search/random.ts';
import { inTier } from '../../tier.ts';
import { graphOf } from '../memory-fixture.ts';
import { dialogue } from './dialogues.ts';
import { upToIds } from './graph-up-to-ids.ts';
import { expectConsistent } from './invariants.ts';
import { memoryOver, watchedStore } from './memory-over.ts';
import { randomConversation } from './random-conversation.ts';

/** What a conversation leaves when it comes in pieces, with work behind the caller's back between them. */
async function inPieces(turns: ReturnType<typeof randomConversation>, size: () => number) {
  const { memory } = await memoryOver(watchedStore().store, { automatic: true });
  for (let at = 0; at < turns.length; ) {
    const piece = turns.slice(at, at + size());
    await memory.add(piece);
    at += piece.length;
    // The work behind the caller's back gets its turn, or not.
    await new Promise((resolve) => setTimeout(resolve, at % 3 === 0 ? 5 : 0));
  }
  await memory.flush();
  return graphOf(memory);
}

it.each(Array.from({ length: inTier({ fast: 3, slow: 15, long: 100 }) }, (_, at) => at + 1))(
  'memory is the same up to ids, however turns are added: conversation %i',
  async (seed) => {
    const random = seededRandom(seed);
    const turns = randomConversation(random, { turns: 12 + seed, sessions: 1 + (seed % 3) });
    const { memory } = await memoryOver(watchedStore().store);
    await memory.add(turns);
    await memory.flush();
    const atOnce = await graphOf(memory);
    expectConsistent(atOnce);
    const expected = upToIds(atOnce);
    expect(expected.facts.length).toBeGreaterThan(2);
    const oneByOne = await inPieces(turns, () => 1);
    expectConsistent(oneByOne);
    expect(upToIds(oneByOne)).toEqual(expected);
    expect(upToIds(await inPieces(turns, () => 1 + Math.floor(random() * 6)))).toEqual(expected);
  },
);

it('names of one session are known in the next, read together or one after the other', async () => {
  const sessions = [
    dialogue(['I started piano lessons with Dmitri.', 'Lovely!'], { session: 's' }),
    dialogue(['Dmitri is allergic to peanuts.', 'Thanks.'], { session: 't' }),
  ];
  const [together, apart] = await Promise.all(
    [[sessions.flat()], sessions].map(async (pieces) => {
      const { memory } = await memoryOver(watchedStore().store);
      for (const piece of pieces) {
        await memory.add(piece);
        await memory.flush();
      }
      return graphOf(memory);
    }),
  );
  const sure = together!.nodes.fact.find(({ statement }) => statement.includes('peanuts'));
  expect(sure?.confidence).toBe(0.9);
  expect(upToIds(together!)).toEqual(upToIds(apart!));
});
