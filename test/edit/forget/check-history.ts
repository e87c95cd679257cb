import { Mnemis } from '../../../src/engine.ts';
import type { Scope } from '../../../src/model/ids.ts';
import type { GraphStore } from '../../../src/store/graph-store.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { KuzuStore } from '../../../src/store/kuzu/kuzu-store.ts';
import { freshPath } from '../../engine/memory-fixture.ts';
import { differences } from '../rederive/canonical-graph.ts';
import { embedder } from '../rederive/local-memory.ts';
import type { History, ScopedHistory } from './histories.ts';
import { LivedMemory } from './lived-memory.ts';

/** How a memory after a history differs from one that never held what it has forgotten; empty where it does not. */
export async function checkHistory(history: History, store: GraphStore): Promise<string> {
  const lived = await LivedMemory.over(store);
  await lived.live(history);
  return differenceOf(lived);
}

/** The same in a file, and whether that is sound once its log has been replayed. */
export async function checkHistoryInFile(history: History): Promise<string> {
  return inFile((store) => checkHistory(history, store));
}

/**
 * The same over several scopes of one memory. After each step the scope must search, answer, add and export.
 *
 * @throws what the first step throws that leaves its scope unusable.
 */
export async function checkScopedHistory(history: ScopedHistory, store: GraphStore): Promise<string> {
  const scopes = new Map<number, LivedMemory>();
  const file = freshPath('.jsonl');
  for (const { scope, step } of history) {
    const lived = scopes.get(scope) ?? (await LivedMemory.over(store, `s${scope}` as Scope));
    scopes.set(scope, lived);
    await lived.take(step);
    await lived.checkUse(file);
  }
  const found: string[] = [];
  for (const lived of scopes.values()) {
    await lived.end();
    found.push(await differenceOf(lived));
  }
  return found.join('');
}

export async function checkScopedHistoryInFile(history: ScopedHistory): Promise<string> {
  return inFile((store) => checkScopedHistory(history, store));
}

async function differenceOf(lived: LivedMemory): Promise<string> {
  const other = await LivedMemory.over(new InMemoryStore(), lived.scope);
  await lived.withoutForgotten(other);
  return differences(await lived.graph(), await other.graph());
}

async function inFile(check: (store: GraphStore) => Promise<string>): Promise<string> {
  const path = freshPath();
  const store = await KuzuStore.open({ path });
  const difference = await check(store).finally(() => store.close());
  const engine = await Mnemis.open({ path, embedder, automatic: false });
  const { sound, findings } = await engine.verify().finally(() => engine.close());
  return difference + (sound ? '' : JSON.stringify(findings));
}
