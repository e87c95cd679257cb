import { expect, it } from 'vitest';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { bufferTurns } from '../../../src/ingest/admit/admit-turns.ts';
import type { Superseder } from '../../../src/ingest/supersede/superseder.ts';
import { type FactsContext, ingestFacts } from '../../../src/ingest/write/write-facts.ts';
import type { Fact } from '../../../src/model/nodes.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { ScopeIndex } from '../../../src/search/scope-index.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { scopeOf } from '../../contract/graph-rows.ts';

const MOVES = ['Mara moved to Oslo', 'Mara moved to Lisbon'];

/** How many of two facts have ended after both are written in order. */
async function ended(superseder?: Superseder | null): Promise<number> {
  const [store, scope] = [new InMemoryStore(), scopeOf('a')];
  let ids = 0;
  const context: FactsContext = {
    ...{ store, scope, index: ScopeIndex.empty(16) },
    embedder: new HashingEmbedder({ analyze, dimension: 16 }),
    admission: { redactsSecrets: false, neverRemember: null },
    clock: () => Date.UTC(2026, 0),
    newId: () => String(++ids).padStart(6, '0'),
    ...(superseder === undefined ? {} : { superseder }),
  };
  await store.setFingerprint(context.embedder.fingerprint);
  await bufferTurns(context, [{ speaker: 'Mara', session: 's', at: '2025-05-01', content: 'Hello.' }]);
  for (const [year, statement] of MOVES.entries())
    await ingestFacts(context, [
      { statement, subject: 'Mara', validAt: `202${year}-01-01`, evidence: [{ session: 's', index: 0 }] },
    ]);
  const rows: Fact[] = [];
  for await (const batch of store.scan(scope, 'fact')) rows.push(...(batch as readonly Fact[]));
  expect(rows).toHaveLength(2);
  return rows.filter(({ invalidAt }) => invalidAt !== null).length;
}

it('given facts supersede others by rules, unless another superseder or none is configured', async () => {
  expect(await ended()).toBe(1);
  expect(await ended(null)).toBe(0);
  expect(await ended({ concerns: () => true, supersede: async () => [] })).toBe(0);
});
