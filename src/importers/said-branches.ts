import type { ImportRecord } from './importer.ts';
import { branchesOf, type ConversationPlace } from './message-records.ts';
import { type SaidChat, type SaidMessage, saidRecords } from './said.ts';

/** A message of a chat with edited questions or repeated answers. */
export interface BranchedMessage extends SaidMessage {
  /** The id of the message before it. */
  readonly parent: string | null;
}

/**
 * The turns of the path to `leaf` (default: to the last message); those of other paths are left out, or are read as
 * chats of their own (`branches: 'all'`).
 */
export function* branchedRecords(
  messages: readonly BranchedMessage[],
  { leaf, ...chat }: SaidChat & { readonly leaf?: string | null | undefined },
  place: ConversationPlace,
): Generator<ImportRecord> {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const end = byId.get(leaf ?? '')?.id ?? messages.at(-1)?.id;
  if (end === undefined) return;
  const tree = { ids: new Set(byId.keys()), parentOf: (id: string) => byId.get(id)?.parent ?? null };
  for (const { ids, isActive } of branchesOf(end, tree)) {
    const path = ids.map((id) => byId.get(id)!);
    const session = `${chat.source}/${chat.id}${isActive ? '' : `/branch-${ids[0]}`}`;
    if (isActive || place.context.settings.branches === 'all')
      yield* saidRecords(path, { ...chat, session }, place);
    else
      for (const { where } of path)
        place.context.leftOut(where, 'on a branch that is not the one shown last');
  }
}
