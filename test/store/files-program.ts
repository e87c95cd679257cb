import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_KINDS } from '../../src/model/nodes.ts';
import { RELATIONSHIP_KINDS, RELATIONSHIPS } from '../../src/model/relationships.ts';
import { KuzuStore } from '../../src/store/kuzu/kuzu-store.ts';
import { aRowOf, edge, episode, fact, scopeOf } from '../contract/graph-rows.ts';

/**
 * Makes files of Kùzu in a folder: one without rows; one with rows of all tables, removed rows and several checkpoints;
 * the same compacted.
 */
const folder = process.argv[2]!;
const A = scopeOf('a');
/** Each close makes a checkpoint. */
const open = (name: string) => KuzuStore.open({ path: join(folder, name), leastFileBytes: 0 });

await (await KuzuStore.open({ path: join(folder, 'empty.db') })).close();
await fill('filled.db');
for (const end of ['', '.wal', '.seal'])
  copyFileSync(join(folder, `filled.db${end}`), join(folder, `compacted.db${end}`));
const store = await open('compacted.db');
await store.files().compact();
await store.close();

async function fill(name: string): Promise<void> {
  let store = await open(name);
  await store.commit(A, {
    nodes: Object.fromEntries(
      NODE_KINDS.map((kind) => [kind, [aRowOf[kind](`${kind}1`), aRowOf[kind](`${kind}2`)]]),
    ),
  });
  const extra = {
    ABOUT: { role: 'object' as const },
    RELATED: { relation: 'causal' as const, confidence: 0.7 },
    POSSIBLY_SAME: { confidence: 0.7 },
  };
  await store.commit(A, {
    nodes: {
      episode: Array.from({ length: 2500 }, (_, i) => episode(`e${i}`, { content: `said ${i}` })),
      fact: Array.from({ length: 2500 }, (_, i) => fact(`f${i}`, { confidence: (i % 100) / 100 })),
    },
    relationships: RELATIONSHIP_KINDS.flatMap((kind) =>
      RELATIONSHIPS[kind].pairs.map(([from, to]) =>
        edge(kind, `${from}1`, `${to}2`, kind in extra ? extra[kind as keyof typeof extra] : {}, [from, to]),
      ),
    ),
  });
  await store.close();
  // Rows that one transaction removes, and rows that several remove, are stored differently.
  for (const [first, end] of [
    [10, 20],
    [2100, 2300],
    [2300, 2350],
  ] as const) {
    store = await open(name);
    const removed = Array.from({ length: end - first }, (_, i) => `e${first + i}`);
    await store.commit(A, { removals: removed.map((id) => ({ kind: 'episode', id }) as const) });
    await store.close();
  }
}
