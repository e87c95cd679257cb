import fc from 'fast-check';
import { expect, it } from 'vitest';
import { healNext, TurnList } from '../../../src/edit/forget/turns.ts';
import { nextEdges } from '../../../src/ingest/admit/plan-episodes.ts';
import { EpisodeIndex } from '../../../src/search/episode-index.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { episode, scopeOf } from '../../contract/graph-rows.ts';

const A = scopeOf('a');

/** Turns of a session come one after another, at any place; returns the NEXT edges that this gives. */
async function stored(indices: readonly number[], store = new InMemoryStore()) {
  const index = EpisodeIndex.empty(4);
  const edges = new Set<string>();
  for (const [at, place] of indices.entries()) {
    const row = episode(`t${place}`, { session: 's', index: place, key: `k${place}`, createdAt: at + 1 });
    const relationships = nextEdges([row], index, new Set());
    await store.commit(A, { nodes: { episode: [row] }, relationships });
    index.add(row);
    for (const { from, to } of relationships) edges.add(`${from} ${to}`);
  }
  return { store, edges };
}

it('gives the edges that the remaining turns would have without the others, in any order of arrival', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 2 }),
      fc.infiniteStream(fc.boolean()),
      async (indices, picks) => {
        const gone = new Set(
          [...indices]
            .sort()
            .filter(() => picks.next().value)
            .map((place) => `t${place}`),
        );
        const { store, edges } = await stored(indices);
        const list = await TurnList.read(store, A);
        const healed = await healNext({ store, scope: A, list, removed: gone }, list.withVersions(gone));
        const fresh = await stored(indices.filter((place) => !gone.has(`t${place}`)));
        const left = [...edges].filter((edge) => !edge.split(' ').some((id) => gone.has(id)));
        expect([...left, ...healed.map(({ from, to }) => `${from} ${to}`)].sort()).toEqual(
          [...fresh.edges].sort(),
        );
      },
    ),
    { numRuns: 300 },
  );
});
