import type { IngestContext } from '../ingest-context.ts';
import { collect } from './collect.ts';
import { completeRemoval, type RemovalOptions } from './complete-removal.ts';
import type { Removal } from './removal.ts';

/**
 * What goes with an entity whose turns stay: itself, its profiles, the facts that it has a part in, descriptions of it,
 * and that turns mention it. Nothing is written.
 */
export async function entityRemovalOf(
  context: IngestContext,
  entity: string,
  options: RemovalOptions = {},
): Promise<Removal> {
  const { store, scope } = context;
  const [row] = await store.get(scope, 'entity', [entity]);
  const allDescriptions = await collect(store.scan(scope, 'description', ['id', 'entity', 'segment']));
  const facts = await collect(store.relationships(scope, 'ABOUT', { to: [entity] }));
  const gone = new Set(facts.map(({ from }) => from));
  const about =
    gone.size === 0 ? [] : await collect(store.relationships(scope, 'ABOUT', { from: [...gone] }));
  const there = row === undefined ? [] : [entity];
  const completed = await completeRemoval(
    context,
    {
      turns: new Set(),
      allTurns: new Set(),
      since: null,
      saidAgain: new Set(),
      facts: gone,
      segments: [],
      descriptions: allDescriptions.filter((each) => each.entity === entity),
      allDescriptions,
      entities: new Set(there),
      failures: new Set(),
      touched: new Set([...there, ...about.map(({ to }) => to)]),
      unlinks: [],
      updates: [],
      relationships: [],
    },
    options,
  );
  return { ...completed, reread: [], former: [] };
}
