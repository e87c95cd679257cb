import { forgetPrompts } from '../../../src/inference/prompt-keepers.ts';
import type { OutputOf } from '../../contract.ts';
import type { AppContext } from '../app-context.ts';
import { heldIn, Removal } from '../forgetting.ts';
import { settleMove } from './moved-turns.ts';

const STEPS = {
  removing: 'Removing what memory learned',
  checking: 'Searching for what is left',
} as const;

interface DeleteRequest {
  readonly conversation: string;
  readonly memory: 'keep' | 'forget';
  readonly signal?: AbortSignal | undefined;
}

/**
 * Deletes a conversation, and with `forget` its turns of memory, those of its attachments included. The conversation
 * goes with the first turns: one whose forgetting fails or is cancelled before that is kept as it was, and the
 * engine completes a forgetting that is interrupted after that.
 */
export async function* deleteConversation(
  context: AppContext,
  { conversation: id, memory, signal }: DeleteRequest,
): AsyncGenerator<OutputOf<'deleteConversation'>, void> {
  const { store, running } = context;
  store.conversations.get(id);
  await running.stop(id);
  const hold = running.begin(id, 'deletion');
  try {
    await settleMove(context, id);
    yield* deleteHeld(context, { conversation: id, memory, signal });
  } finally {
    hold.end();
  }
}

async function* deleteHeld(
  context: AppContext,
  { conversation: id, memory, signal }: DeleteRequest,
): AsyncGenerator<OutputOf<'deleteConversation'>, void> {
  const { store, engine } = context;
  const { scope, session } = store.conversations.get(id);
  const episodes = memory === 'forget' ? await turnsOf(context, { id, scope, session: session ?? id }) : [];
  if (episodes.length === 0) {
    await removeRows(context, id, memory);
    yield { type: 'done', forgotten: 0 };
    return;
  }
  const removal = await Removal.begin(context, scope);
  let forgotten = 0;
  try {
    for await (const event of engine.scope(scope).forget({ episodes }, signal ? { signal } : {})) {
      if (store.conversations.find(id) !== undefined) {
        await removeRows(context, id, memory);
        yield { type: 'progress', text: 'The conversation is deleted' };
      }
      if (event.type === 'progress') yield { type: 'progress', text: STEPS[event.step] };
      else forgotten = event.removed.episode ?? 0;
    }
  } finally {
    await removal.end();
  }
  removal.tellWhenDerived();
  yield { type: 'done', forgotten };
}

/** Its exchanges, and its attachments unless another conversation has the same document. */
export async function turnsOf(
  context: AppContext,
  { id, scope, session }: { readonly id: string; readonly scope: string; readonly session: string },
): Promise<string[]> {
  const { engine, store } = context;
  const said = (await engine.scope(scope).turns(session)).map((turn) => turn.id as string);
  const attached = await heldIn(context, scope, store.attachments.onlyOf(id));
  return [...new Set([...said, ...attached])];
}

async function removeRows(
  { store, events }: AppContext,
  id: string,
  memory: DeleteRequest['memory'],
): Promise<void> {
  const pending = store.messages.of(id).filter(({ remembered }) => remembered?.decision === 'pending');
  store.file.transaction(() => {
    // Memory keeps what it remembers: its turns still name their images.
    for (const { id: message, own } of store.messages.of(id))
      if (own.length === 0) store.images.deleteOf(message);
      else store.images.release(message);
    store.attachments.deleteOf(id);
    store.messages.deleteOf(id);
    store.conversations.delete(id);
    if (memory === 'forget') store.removals.bury(id);
    store.file.run('DELETE FROM usage_item WHERE conversation = ?', [id]);
  });
  for (const message of pending) await store.checkpoints.deleteThread(message.id);
  store.file.erase();
  forgetPrompts();
  events.emit({ type: 'conversation', conversation: id, isDeleted: true });
  events.emit({ type: 'folders' });
}
