import { describe, expect, it } from 'vitest';
import type { Correction } from '../../src/model/nodes.ts';
import { InMemoryStore } from '../../src/store/in-memory/in-memory-store.ts';
import { correction, edge, entity, episode, fact, scopeOf, tombstone } from '../contract/graph-rows.ts';
import { scopeOver } from '../engine/failing-store.ts';
import { asSet, freshPath, graphOf, using } from '../engine/memory-fixture.ts';

const DETAIL = {
  fact: { id: 'f1', statement: 'f1 is a statement, not an id', evidence: ['e1'] },
  journal: { created: [{ kind: 'fact', id: 0 }], since: 17, places: ['f1', 'stranger'] },
};
const ROWS = {
  episode: [episode('e1', { status: 'extracted' })],
  entity: [entity('n1')],
  fact: [fact('f1')],
  correction: [
    correction('c1', { targets: ['f1', 'e1'], detail: JSON.stringify(DETAIL), finishedAt: 7 }),
    correction('c2', { kind: 'undo', targets: ['c1'], detail: '{"correction":"c1"}', undoneAt: 9 }),
  ],
  tombstone: [tombstone('t1', { digest: 'ab'.repeat(32), salt: 'cd'.repeat(16) })],
};

async function exported(): Promise<string> {
  const store = new InMemoryStore();
  const memory = await scopeOver(store);
  await store.commit(scopeOf('a'), { nodes: ROWS, relationships: [edge('EVIDENCED_BY', 'f1', 'e1')] });
  const file = freshPath('.jsonl');
  await memory.exportTo(file);
  return file;
}

describe('an export of corrections and tombstones', () => {
  it('is restored unchanged, into a file too', async () => {
    const file = await exported();
    const store = new InMemoryStore();
    const copy = await scopeOver(store);
    await copy.importFrom(file);
    const { nodes } = await graphOf(copy);
    const sorted = (rows: readonly { readonly id: string }[]) =>
      rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(sorted(nodes.correction)).toEqual(ROWS.correction);
    expect(nodes.tombstone).toEqual(ROWS.tombstone);
    const wanted = asSet(await graphOf(copy));
    await using(freshPath(), async (engine) => {
      await expect(engine.scope('a').importFrom(file)).rejects.toMatchObject({ code: 'embedding-mismatch' });
    });
    const twice = await scopeOver(new InMemoryStore());
    await twice.importFrom(file);
    await twice.importFrom(file);
    expect(asSet(await graphOf(twice))).toEqual(wanted);
  });

  it('uses the new ids of rows, in its details too, and contains no text', async () => {
    const file = await exported();
    const copy = await scopeOver(new InMemoryStore());
    await copy.importFrom(file, { newIds: true });
    const { nodes } = await graphOf(copy);
    const [turn, row] = [nodes.episode[0]!, nodes.fact[0]!];
    const byKind = (kind: Correction['kind']) => nodes.correction.find((each) => each.kind === kind)!;
    const [edit, undo] = [byKind('edit-fact'), byKind('undo')];
    for (const id of [turn.id, row.id, edit.id, undo.id, nodes.tombstone[0]!.id])
      expect(id).not.toMatch(/^[efct]\d$/);
    expect(edit.targets).toEqual([row.id, turn.id]);
    expect(JSON.parse(edit.detail)).toEqual({
      fact: { ...DETAIL.fact, id: row.id, evidence: [turn.id] },
      journal: { ...DETAIL.journal, places: [row.id, 'stranger'] },
    });
    expect(undo.targets).toEqual([edit.id]);
    expect(JSON.parse(undo.detail)).toEqual({ correction: edit.id });
    const { digest, salt } = ROWS.tombstone[0]!;
    expect(nodes.tombstone).toMatchObject([{ digest, salt }]);
  });
});
