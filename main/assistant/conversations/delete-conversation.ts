import type { OutputOf } from '../../contract.ts';
import type { AppContext } from '../app-context.ts';
import { heldIn, Removal } from '../forgetting.ts';

const STEPS = {
  removing: 'Removing what memory learned',
  checking: 'Searching for what is left',
  rederiving: 'Reading neighbouring turns again',
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
  const { store, engine, running } = context;
  const { scope } = store.conversations.get(id);
  await running.stop(id);
  const episodes = memory === 'forget' ? await turnsOf(context, id, scope) : [];
  if (episodes.length === 0) {
    await removeRows(context, id);
    yield { type: 'done', forgotten: 0 };
    return;
  }
  const removal = await Removal.begin(context, scope);
  let forgotten = 0;
  try {
    for await (const event of engine.scope(scope).forget({ episodes }, signal ? { signal } : {})) {
      if (store.conversations.find(id) !== undefined) {
        await removeRows(context, id);
        yield { type: 'progress', text: 'The conversation is deleted' };
      }
      if (event.type === 'progress') yield { type: 'progress', text: STEPS[event.step] };
      else forgotten = event.removed.episode ?? 0;
    }
  } finally {
    await removal.end();
  }
  yield { type: 'done', forgotten };
}

/** Its exchanges, and its attachments unless another conversation has the same document. */
async function turnsOf(context: AppContext, id: string, scope: string): Promise<string[]> {
  const { engine, store } = context;
  const said = (await engine.scope(scope).turns(id)).map((turn) => turn.id as string);
  const attached = await heldIn(context, scope, store.attachments.onlyOf(id));
  return [...new Set([...said, ...attached])];
}

async function removeRows({ store, events }: AppContext, id: string): Promise<void> {
  const pending = store.messages.of(id).filter(({ remembered }) => remembered?.decision === 'pending');
  store.file.transaction(() => {
    store.attachments.deleteOf(id);
    store.messages.deleteOf(id);
    store.conversations.delete(id);
    store.file.run('DELETE FROM usage_item WHERE conversation = ?', [id]);
  });
  for (const message of pending) await store.checkpoints.deleteThread(message.id);
  store.file.erase();
  events.emit({ type: 'conversation', conversation: id, isDeleted: true });
  events.emit({ type: 'folders' });
}
