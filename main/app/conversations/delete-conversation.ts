import type { OutputOf } from '../../contract.ts';
import type { AppContext } from '../app-context.ts';
import { forgetTexts } from '../forgetting.ts';

type DeleteEvent = OutputOf<'deleteConversation'>;

const STEPS = {
  removing: 'Removing what memory learned',
  checking: 'Searching for what is left',
  rederiving: 'Reading neighbouring turns again',
} as const;

/**
 * Deletes a conversation, and with `forget` its turns of memory. The conversation is gone first: a forgetting that is
 * interrupted then is completed by the engine.
 */
export async function* deleteConversation(
  context: AppContext,
  request: {
    readonly conversation: string;
    readonly memory: 'keep' | 'forget';
    readonly signal?: AbortSignal | undefined;
  },
): AsyncGenerator<DeleteEvent, void> {
  const { store, engine, events, running } = context;
  const { conversation: id, memory, signal } = request;
  const { scope } = store.conversations.get(id);
  await running.stop(id);
  const turns = memory === 'forget' ? await engine.scope(scope).turns(id) : [];
  const pending = store.messages.of(id).filter(({ remembered }) => remembered?.decision === 'pending');
  store.file.transaction(() => {
    store.messages.deleteOf(id);
    store.conversations.delete(id);
  });
  for (const message of pending) await store.checkpoints.deleteThread(message.id);
  store.file.erase();
  events.emit({ type: 'conversation', conversation: id, isDeleted: true });
  events.emit({ type: 'folders' });
  let forgotten = 0;
  if (turns.length > 0) {
    yield { type: 'progress', text: 'The conversation is deleted' };
    await forgetTexts(context, scope, { session: id });
    for await (const event of engine.scope(scope).forget({ session: id }, signal ? { signal } : {})) {
      if (event.type === 'progress') yield { type: 'progress', text: STEPS[event.step] };
      else forgotten = event.removed.episode ?? 0;
    }
  }
  yield { type: 'done', forgotten };
}
