import { useQueries } from '@tanstack/react-query';
import type { CategoryTree, TreeReply } from '../../main/contract.ts';
import { useClient, useReply } from '../state/connection.tsx';

/** Nodes of a level at first, and on each further request. */
export const LEVEL = 100;

/** A row of the tree: a node, or what stands at the end of a level. */
export type TreeRow =
  | {
      readonly kind: 'node';
      /** The ids from the top, since a node may stand at several places. */
      readonly key: string;
      readonly parent: string | null;
      readonly level: number;
      readonly node: CategoryTree;
      readonly isOpen: boolean;
      readonly place: number;
      readonly siblings: number;
    }
  | {
      readonly kind: 'more' | 'loading' | 'problem';
      readonly key: string;
      readonly parent: string | null;
      readonly level: number;
      readonly left: number;
    };

interface Options {
  readonly scope: string;
  /** Keys of rows whose children are shown. */
  readonly open: ReadonlySet<string>;
  /** How many nodes of a level are shown, by the key of its parent; '' is the top. */
  readonly shown: ReadonlyMap<string, number>;
}

const idIn = (key: string) => key.slice(key.lastIndexOf('/') + 1);

/** The rows of the tree: the top, and level by level what is open. */
export function useBranches({ scope, open, shown }: Options) {
  const client = useClient();
  const limitOf = (key: string) => shown.get(key) ?? LEVEL;
  const top = useReply('tree', { scope, depth: 0, limit: limitOf('') }, { keep: true });
  const keys = [...open];
  const replies = useQueries({
    queries: keys.map((key) => {
      const input = { scope, of: idIn(key), depth: 1, limit: limitOf(key) };
      return {
        queryKey: ['tree', input],
        queryFn: ({ signal }: { signal: AbortSignal }) => client.tree(input, { signal }),
        placeholderData: (earlier: TreeReply | undefined) => earlier,
      };
    }),
  });
  const branches = new Map(keys.map((key, at) => [key, replies[at]!]));
  const rows: TreeRow[] = [];
  const add = (nodes: readonly CategoryTree[], more: number, parent: string | null, level: number) => {
    for (const [at, node] of nodes.entries()) {
      const key = parent === null ? node.id : `${parent}/${node.id}`;
      const isOpen = node.layer > 0 && open.has(key);
      const place = { place: at + 1, siblings: nodes.length + more };
      rows.push({ kind: 'node', key, parent, level, node, isOpen, ...place });
      if (!isOpen) continue;
      const reply = branches.get(key);
      const below = reply?.data?.nodes[0];
      if (below !== undefined) add(below.children, below.more, key, level + 1);
      else if (reply?.isPending)
        rows.push({ kind: 'loading', key: `${key}/…`, parent: key, level: level + 1, left: 0 });
      else rows.push({ kind: 'problem', key: `${key}/…`, parent: key, level: level + 1, left: 0 });
    }
    if (more > 0) rows.push({ kind: 'more', key: `${parent ?? ''}/+`, parent, level, left: more });
  };
  if (top.data !== undefined) add(top.data.nodes, top.data.more, null, 1);
  const retry = (key: string) => void branches.get(key)?.refetch();
  return { rows, top, retry };
}
