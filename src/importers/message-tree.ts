/** A tree of messages by what each one follows. Made by strangers: parents may be missing or follow each other. */
export interface MessageTree {
  /** In the file's order. */
  readonly ids: ReadonlySet<string>;
  parentOf(id: string): string | null;
}

/** A line of messages that follow each other, without those that an earlier branch has. */
export interface Branch {
  readonly ids: readonly string[];
  /** True of the path that leads to the leaf asked for. */
  readonly isActive: boolean;
}

/** The path to `leaf`, then what is left, branch by branch; every message in exactly one of them. */
export function branchesOf(leaf: string, tree: MessageTree): Branch[] {
  const taken = new Set<string>();
  const branches: Branch[] = [];
  const take = (end: string, isActive: boolean) => {
    const ids = untaken(end, { tree, taken });
    for (const id of ids) taken.add(id);
    if (ids.length > 0) branches.push({ ids, isActive });
  };
  take(leaf, true);
  for (const end of leavesOf(tree)) take(end, false);
  for (const end of tree.ids) if (!taken.has(end)) take(end, false); // a circle has no leaf
  return branches;
}

/** What no message follows, in the file's order. */
export function leavesOf(tree: MessageTree): string[] {
  const ids = [...tree.ids];
  const parents = new Set(ids.map((id) => tree.parentOf(id)));
  return ids.filter((id) => !parents.has(id));
}

/** From the root down, or from where messages are taken, missing or come round again: so all branches together cost no more than the tree. */
function untaken(end: string, { tree, taken }: { tree: MessageTree; taken: ReadonlySet<string> }): string[] {
  const path: string[] = [];
  const seen = new Set<string>();
  for (let id: string | null = end; id !== null && tree.ids.has(id); id = tree.parentOf(id)) {
    if (taken.has(id) || seen.has(id)) break;
    seen.add(id);
    path.push(id);
  }
  return path.reverse();
}
