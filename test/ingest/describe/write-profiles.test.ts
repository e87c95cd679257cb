import { expect, it } from 'vitest';
import type { ConsolidationContext } from '../../../src/ingest/consolidation-context.ts';
import { writeProfiles } from '../../../src/ingest/describe/write-profiles.ts';
import { LocalFallback } from '../../../src/ingest/local-fallback.ts';
import { profileNamed } from '../../../src/ingest/profile.ts';
import type { EntityId } from '../../../src/model/ids.ts';
import { ScopeIndex } from '../../../src/search/scope-index.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { entity, profile, scopeOf } from '../../contract/graph-rows.ts';

const MARA = 'mara' as EntityId;

/** Mara's profile of the llm tier after an update without a model for descriptions. */
async function written(outdated: ReadonlySet<EntityId>): Promise<string> {
  const [store, index, scope] = [new InMemoryStore(), ScopeIndex.empty(4), scopeOf('a')];
  const row = { owner: MARA, name: 'Mara', aliases: [], tags: ['person'] };
  const before = profile('old', { ...row, summary: 'Mara is a nurse in Oslo.' });
  const changes = { nodes: { entity: [entity(MARA)], profile: [before] } };
  await store.commit(scope, changes);
  index.apply(changes);
  const context = {
    ...{ store, index, scope },
    profile: profileNamed('default'),
    stages: { describer: null },
    calls: {},
  } as unknown as ConsolidationContext;
  const created = profile('new', { ...row, summary: 'Mara works as a nurse.' });
  const descriptions = new Map([[MARA, { texts: ['Mara moved to Lisbon.'], tags: [] }]]);
  const [profiles] = [
    await writeProfiles(context, [created], { descriptions, outdated, fallback: new LocalFallback() }),
  ];
  return profiles[0]!.summary;
}

it('extends the stored summary', async () => {
  expect(await written(new Set())).toBe('Mara moved to Lisbon. Mara is a nurse in Oslo.');
});

it('rebuilds the summary from live facts if the stored one may contain deleted or ended facts', async () => {
  expect(await written(new Set([MARA]))).toBe('Mara moved to Lisbon. Mara works as a nurse.');
});
