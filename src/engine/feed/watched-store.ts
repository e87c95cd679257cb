import type { GraphChanges } from '../../model/graph-changes.ts';
import type { Scope } from '../../model/ids.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import type { ChangeFeed } from './change-feed.ts';

/**
 * A store whose commits the feed tells: the one place where all of them pass. It stands inside of what keeps rows in
 * memory, so that the engine's store is still the one that can be asked to drop them.
 */
export function watchedStore(store: GraphStore, feed: ChangeFeed): GraphStore {
  const commit = async (scope: Scope, changes: GraphChanges): Promise<number> => {
    const tell = feed.note(scope, changes);
    const sequence = await store.commit(scope, changes);
    tell();
    return sequence;
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === 'commit') return commit;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
