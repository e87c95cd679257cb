import { expect, it } from 'vitest';
import { proveForgotten } from '../../../src/edit/proof/prove.ts';
import type { IngestContext } from '../../../src/ingest/ingest-context.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { edge, episode, fact, profile, scopeOf } from '../../contract/graph-rows.ts';

const A = scopeOf('a');
const SUMMARY = 'Ann sang at the fire. Lena danced (until 2026-03-01).';

/** The proof after the summary was removed from one profile, while another, newer one has it. */
async function proof(...stated: string[]) {
  const store = new InMemoryStore();
  const facts = stated.map((statement, at) => fact(`f${at}`, { statement }));
  await store.commit(A, {
    nodes: {
      episode: [episode('e')],
      fact: facts,
      profile: [profile('p', { summary: SUMMARY, createdAt: 9 as never })],
    },
    relationships: facts.map(({ id }) => edge('EVIDENCED_BY', id, 'e')),
  });
  const holders = {
    store,
    snapshotFolder: null,
    indexes: () => [],
    recalled: () => [],
    cachedWords: () => [],
  };
  const texts = { said: new Set<string>(), derived: new Set([SUMMARY]) };
  const context = { store, scope: A } as unknown as IngestContext;
  return proveForgotten(context, texts, { holders, turnsStay: false, since: 1 as never });
}

it('a summary whose statements are all derived from remaining turns is no remnant', async () => {
  expect(await proof('Ann sang at the fire', 'Lena danced')).toMatchObject({ clean: true, alsoElsewhere: 1 });
});

it('a summary with a statement that no remaining turn supports is one', async () => {
  const found = [{ holder: 'graph', where: 'profile.summary', texts: 1 }];
  expect(await proof('Ann sang at the fire')).toMatchObject({ clean: false, findings: found });
});

it('a statement that is only the beginning of a remaining one does not count', async () => {
  expect(await proof('Ann sang at the fire of Lena', 'Lena danced')).toMatchObject({ clean: false });
});
