import { expect } from 'vitest';
import type { Mnemis } from '../../src/engine.ts';
import { answersTo, asSet, CONVERSATION, graphOf, QUERIES, remember } from './memory-fixture.ts';

/** Writes the same words to two scopes of an empty memory, and compares what either has with what it had alone. */
export async function expectScopesApart(mnemis: Mnemis): Promise<void> {
  const one = mnemis.scope('users/1');
  const ten = mnemis.scope('users/10');
  await remember(one, CONVERSATION);
  const [before, stats, graph] = [await answersTo(one, QUERIES), await one.stats(), await graphOf(one)];

  await remember(
    ten,
    CONVERSATION.map((input) => ({ ...input, content: `${input.content} Rex Oslo piano.` })),
  );
  await ten.addFacts([
    { statement: 'Rex is a cat', subject: 'Rex', evidence: [{ session: 's1', index: 0 }] },
  ]);

  // Ranking, scores (so BM25's statistics too), counts and rows are what they were.
  expect(await answersTo(one, QUERIES)).toEqual(before);
  expect(await one.stats()).toEqual(stats);
  expect(asSet(await graphOf(one))).toEqual(asSet(graph));
  const idsOf = ({ nodes }: typeof graph) => Object.values(nodes).flatMap((rows) => rows.map(({ id }) => id));
  const others = new Set(idsOf(await graphOf(ten)));
  expect(idsOf(graph).filter((id) => others.has(id))).toEqual([]);
  expect((await one.search('Rex is a cat')).facts.map(({ statement }) => statement)).not.toContain(
    'Rex is a cat',
  );
  expect(await mnemis.scopes()).toEqual(['users/1', 'users/10']);
}
