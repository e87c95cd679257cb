import type { Categorizer } from './categorizer.ts';

/** More than any memory has: all due nodes are asked about at once. */
const ALL = Number.MAX_SAFE_INTEGER;

/**
 * A categorizer that looks at the whole, kept to the nodes that have no category yet: what another one has made stays
 * as it is, and under that one's name.
 */
export function pieceByPiece(categorizer: Categorizer, name: string): Categorizer {
  return {
    name,
    nodesAtOnce: ALL,
    async categorize(request, calls) {
      const { categories, ...rest } = await categorizer.categorize(request, calls);
      const isOpen = (id: string) => request.due.has(id) || request.loose.has(id);
      return {
        ...rest,
        categories: categories.map((each) => ({ ...each, nodes: each.nodes.filter(isOpen) })),
      };
    },
  };
}
