import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import type { HistoryMemory } from '../../../src/langchain/index.ts';
import { graphOf } from '../../engine/memory-fixture.ts';

/** A scope that can be read session by session: by itself where it can, else through its export. */
export function historyMemory(memory: MemoryScope): HistoryMemory {
  if ('turns' in memory) return memory as unknown as HistoryMemory;
  const scope = memory as MemoryScope;
  return {
    add: (turns, options) => scope.add(turns, options),
    forget: (target, options) => scope.forget(target, options),
    async turns(session) {
      const { nodes } = await graphOf(scope);
      return nodes.episode
        .filter((episode) => episode.session === session && episode.expiredAt === null)
        .sort((a, b) => a.index - b.index);
    },
  };
}
