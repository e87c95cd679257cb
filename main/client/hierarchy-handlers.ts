import type { ScopeHierarchy } from '../../src/engine/hierarchy/scope-hierarchy.ts';
import type { Mnemis } from '../../src/engine.ts';
import type { InputOf, TreeReply } from '../contract.ts';
import { given } from './given.ts';
import type { Handlers } from './handlers.ts';
import { withBudget } from './with-budget.ts';

/** The methods on the category hierarchy, by an engine in this process. Runs on one scope wait for each other. */
export function hierarchyHandlers(engine: Mnemis) {
  return {
    tree: async ({ scope, ...options }) => treeOf(engine.scope(scope).hierarchy, options),
    hierarchy: async ({ scope }) => engine.scope(scope).hierarchy.status(),
    async *updateHierarchy({ scope, ...options }, calls) {
      yield* engine.scope(scope).hierarchy.update(withBudget(options, calls));
    },
    async *rebuildHierarchy({ scope, ...options }, calls) {
      yield* engine.scope(scope).hierarchy.rebuild(withBudget(options, calls));
    },
    async *refreshSummaries({ scope, ...options }, calls) {
      const { by, all, least, ...settings } = withBudget(options, calls);
      const refreshed = await engine
        .scope(scope)
        .hierarchy.refresh({ ...settings, ...given({ by, all, least }) });
      yield { type: 'done', refreshed };
    },
  } satisfies Partial<Handlers>;
}

async function treeOf(
  hierarchy: ScopeHierarchy,
  { summaries = false, ...options }: Omit<InputOf<'tree'>, 'scope'>,
): Promise<TreeReply> {
  const { nodes, more } = await hierarchy.browse(given(options));
  const told = summaries ? await hierarchy.summaries(idsIn(nodes)) : [];
  const { entities, waiting } = await hierarchy.status();
  return { nodes, more, summaries: Object.fromEntries(told), entities, waiting };
}

function idsIn(nodes: TreeReply['nodes']): string[] {
  return [...new Set(nodes.flatMap(({ id, children }) => [id as string, ...idsIn(children)]))];
}
