import type { QueryClient } from '@tanstack/react-query';
import type { MethodName } from '../../main/contract.ts';

/** Methods whose replies show what memory holds: a correction, a forgetting or a restored backup may change each. */
export const SHOWS_MEMORY: readonly MethodName[] = [
  ...(['stats', 'learned', 'portrait', 'reminders', 'recentChanges', 'corrections', 'uncertain'] as const),
  ...(['session', 'imported', 'find', 'episodes', 'turns', 'facts', 'fact', 'entity'] as const),
  ...(['tree', 'names', 'entities', 'graph', 'entityPage', 'categoryPage'] as const),
  ...([
    'timeline',
    'supersessions',
    'ask',
    'review',
    'reviewItems',
    'previewForget',
    'previewRestore',
    'image',
  ] as const),
];

/**
 * Asks the replies of these methods again. A first reply that is still under way is not asked for twice, and may be from
 * before the change: it is asked for again once it is there.
 */
export function refreshReplies(queries: QueryClient, names: readonly MethodName[]): void {
  for (const name of names) {
    const first = queries.getQueryCache().findAll({
      queryKey: [name],
      fetchStatus: 'fetching',
      predicate: ({ state }) => state.data === undefined,
    });
    void queries.invalidateQueries({ queryKey: [name] });
    for (const { promise, queryKey } of first)
      void promise
        ?.catch(() => undefined) // the screen shows why
        .then(() => queries.invalidateQueries({ queryKey, exact: true }));
  }
}
