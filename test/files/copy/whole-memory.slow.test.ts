import { beforeAll, describe, expect, it } from 'vitest';
import { Mnemis } from '../../../src/engine.ts';
import { verifyMemory } from '../../../src/files/backup/verify.ts';
import { openStoreAt } from '../../../src/files/open-store.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { openGrouped } from '../../engine/hierarchy/grouped-memory.ts';
import {
  answersTo,
  asSet,
  CONVERSATION,
  freshPath,
  graphOf,
  QUERIES,
  turn,
} from '../../engine/memory-fixture.ts';
import { copyAll } from './copy-rows.ts';

const embedder = new HashingEmbedder({ analyze, dimension: 64 });
const SCOPES = ['ann', 'bob'];

/** All that a scope holds and answers. */
async function stateOf(mnemis: Mnemis) {
  const state: Record<string, unknown> = {};
  for (const name of await mnemis.scopes()) {
    const scope = mnemis.scope(name);
    const tree = await scope.hierarchy.tree();
    const graph = asSet(await graphOf(scope));
    const items = await scope.items.search(['notes']);
    state[name] = { graph, answers: await answersTo(scope, QUERIES.slice(0, 3)), tree, items };
  }
  return state;
}

describe('a memory that was used', () => {
  const path = freshPath('.db');
  let before: Awaited<ReturnType<typeof stateOf>>;

  beforeAll(async () => {
    await using mnemis = await openGrouped(path);
    for (const name of SCOPES) {
      const memory = mnemis.scope(name);
      const turns = name === 'ann' ? CONVERSATION : CONVERSATION.slice(0, 2);
      await memory.add([...turns, turn('Zoe keeps bees in Turku.', { session: 'bees' })]);
      await memory.flush();
      await memory.hierarchy.rebuild();
      await memory.items.put(['notes', 'kitchen'], 'tea', { text: 'green tea, 80 degrees' });
    }
    const ann = mnemis.scope(SCOPES[0]!);
    const { facts } = await ann.search('Where does Carla work?');
    await ann.corrections.rejectFact(facts[0]!.id);
    await ann.forget({ session: 'bees' });
    for (const scope of SCOPES) await mnemis.scope(scope).settle();
    before = await stateOf(mnemis);
  });

  it('is the same after it was copied from Kùzu to SQLite and back', async () => {
    const [sqlite, kuzu] = [freshPath('.sqlite'), freshPath('.db')];
    for (const [source, target] of [
      [path, sqlite],
      [sqlite, kuzu],
    ] as const) {
      const [from, to] = [await openStoreAt(source), await openStoreAt(target)];
      await copyAll({ from, to });
      await from.close();
      await to.close();
      const copy = await openGrouped(target);
      expect(await stateOf(copy)).toEqual(before);
      await copy.close();
      expect(await verifyMemory(target)).toMatchObject({ sound: true, findings: [] });
    }
    await using copy = await openGrouped(kuzu);
    const ann = copy.scope(SCOPES[0]!);
    expect(await ann.add(turn('Zoe keeps bees in Turku.', { session: 'bees' }))).toMatchObject({ added: 0 }); // forgotten
    await ann.add(turn('Rex won a prize.', { session: 'later' }));
    expect((await ann.search('prize')).episodes[0]?.content).toContain('Rex');
  });

  it('is not opened, but found unfinished, while its copy is incomplete', async () => {
    const target = freshPath('.db');
    const stop = new AbortController();
    const from = await openStoreAt(path);
    const to = await openStoreAt(target);
    const copying = copyAll({ from, to, signal: stop.signal }, () => stop.abort());
    await expect(copying).rejects.toMatchObject({ code: 'cancelled' });
    await to.close();
    for (const each of [embedder, null])
      await expect(Mnemis.open({ path: target, embedder: each })).rejects.toMatchObject({
        code: 'unfinished-copy',
        message: expect.stringContaining(`${target} is an unfinished copy`),
      });
    expect((await verifyMemory(target)).findings).toMatchObject([
      { code: 'unfinished-copy', advice: expect.stringContaining('"mnemis copy"') },
    ]);
    const again = await openStoreAt(target);
    await copyAll({ from, to: again });
    await again.close();
    await from.close();
    await (await openGrouped(target)).close();
  });
});
