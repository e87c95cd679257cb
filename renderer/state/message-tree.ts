import type { Message } from '../../main/contract.ts';

/** A message on the branch that is shown, with its place among its siblings. */
export interface ShownMessage {
  readonly message: Message;
  /** Ids of the messages at this place of the tree, the oldest first. */
  readonly siblings: readonly string[];
}

/** The branch that ends below `leaf`, from the first message on. Where nothing is chosen, the newest goes on. */
export function shownPath(messages: readonly Message[], leaf: string | null): readonly ShownMessage[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const children = childrenOf(messages, byId);
  const upward: Message[] = [];
  const seen = new Set<string>();
  let at = leaf === null ? undefined : byId.get(leaf);
  for (; at !== undefined && !seen.has(at.id); at = at.parent === null ? undefined : byId.get(at.parent)) {
    upward.push(at);
    seen.add(at.id);
  }
  const path = upward.reverse();
  for (;;) {
    const next = children.get(path.at(-1)?.id ?? null)?.at(-1);
    if (next === undefined || seen.has(next)) break;
    seen.add(next);
    path.push(byId.get(next)!);
  }
  return path.map((message) => ({
    message,
    siblings: children.get(placeOf(message, byId)) ?? [message.id],
  }));
}

/** The newest message at or below a message: stepping away from a branch and back shows the same branch again. */
export function newestBelow(messages: readonly Message[], id: string): string {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const below = new Set([id]);
  let newest = id;
  for (const message of messages) {
    // Messages are listed after their parents.
    if (message.parent === null || !below.has(message.parent)) continue;
    below.add(message.id);
    if (message.at >= (byId.get(newest)?.at ?? 0)) newest = message.id;
  }
  return newest;
}

/** Messages with others added, which replace those with the same id. */
export function withMessages(messages: readonly Message[], others: readonly Message[]): readonly Message[] {
  if (others.length === 0) return messages;
  const changed = new Map(others.map((message) => [message.id, message]));
  const kept = messages.map((message) => {
    const other = changed.get(message.id);
    changed.delete(message.id);
    return other ?? message;
  });
  return [...kept, ...changed.values()];
}

function childrenOf(
  messages: readonly Message[],
  byId: ReadonlyMap<string, Message>,
): ReadonlyMap<string | null, readonly string[]> {
  const children = new Map<string | null, string[]>();
  for (const message of messages) {
    const place = placeOf(message, byId);
    const there = children.get(place);
    if (there === undefined) children.set(place, [message.id]);
    else there.push(message.id);
  }
  return children;
}

/** A message whose parent is missing counts as a first one, so that it is never lost from view. */
function placeOf({ parent }: Message, byId: ReadonlyMap<string, Message>): string | null {
  return parent !== null && byId.has(parent) ? parent : null;
}
