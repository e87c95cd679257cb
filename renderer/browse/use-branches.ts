import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import type { CategoryTree, TreeReply } from '../../main/contract.ts';
import { useClient, useReply } from '../state/connection.tsx';

/** Nodes of a level at first. */
const LEVEL = 100;

interface Placed {
  /** The ids from the top, since a node may stand at several places. */
  readonly key: string;
  readonly parent: string | null;
  readonly level: number;
}

export interface NodeRow extends Placed {
  readonly kind: 'node';
  readonly node: CategoryTree;
  readonly isOpen: boolean;
  readonly place: number;
  readonly siblings: number;
}

/** What stands at the end of a level. */
interface EndRow extends Placed {
  readonly kind: 'more' | 'loading' | 'problem';
  readonly left: number;
}

export type TreeRow = NodeRow | EndRow;

const idIn = (key: string) => key.slice(key.lastIndexOf('/') + 1);

/** The rows of the tree: the top, and level by level what is open. */
export function useBranches(scope: string) {
  const client = useClient();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  /** How many nodes of a level are shown, by the key of its parent; '' is the top. */
  const [shown, setShown] = useState<ReadonlyMap<string, number>>(new Map());
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
      else {
        const kind = reply?.isPending ? 'loading' : 'problem';
        rows.push({ kind, key: `${key}/…`, parent: key, level: level + 1, left: 0 });
      }
    }
    if (more > 0) rows.push({ kind: 'more', key: `${parent ?? ''}/+`, parent, level, left: more });
  };
  if (top.data !== undefined) add(top.data.nodes, top.data.more, null, 1);
  return {
    rows,
    top,
    toggle: (key: string, isOpen: boolean) => {
      const next = new Set(open);
      if (isOpen) next.add(key);
      else next.delete(key);
      setOpen(next);
    },
    /** Loads what the row at the end of a level stands for. */
    load: ({ kind, parent, left }: EndRow) => {
      const level = parent ?? '';
      if (kind === 'more') setShown(new Map(shown).set(level, limitOf(level) + Math.min(left, 2 * LEVEL)));
      else if (kind === 'problem') void branches.get(level)?.refetch();
    },
  };
}
