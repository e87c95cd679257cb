import type { ForgetTarget } from '../../src/model/forget-target.ts';
import type { AppContext } from './app-context.ts';
import type { StoredMessage } from './store/message-table.ts';

/**
 * Blanks the messages that became turns which `forget` of this target would remove, and the answers whose citations have
 * no other sources. Call it before the engine forgets: its proof searches this store too, and removes further copies
 * of the texts then.
 */
export async function forgetTexts(
  context: Pick<AppContext, 'engine' | 'store' | 'events' | 'running'>,
  scope: string,
  target: ForgetTarget,
  options: { readonly quotations?: boolean } = {},
): Promise<void> {
  const { engine, store, events, running } = context;
  // An answer that is being written may quote what is forgotten.
  for (const id of running.conversations)
    if (store.conversations.find(id)?.scope === scope) await running.stop(id);
  const { episodes } = await engine.scope(scope).previewForget(target, options);
  const gone: ReadonlySet<string> = new Set(episodes);
  const touched = store.messages.withTurns(episodes);
  for (const message of touched) blank(store, message, gone);
  await erase(store, touched);
  for (const conversation of new Set(touched.map((message) => message.conversation)))
    events.emit({ type: 'conversation', conversation, isDeleted: false });
}

/** Blanks the messages of a scope whose turns memory no longer has, such as after a retention rule removed them. */
export async function forgetMissing(
  context: Pick<AppContext, 'engine' | 'store' | 'events'>,
  scope: string,
): Promise<void> {
  const { engine, store, events } = context;
  const known = store.messages.turnsIn(scope);
  if (known.length === 0) return;
  const kept = await engine.scope(scope).episodes(known);
  const texts: ReadonlySet<string> = new Set(kept.flatMap(({ id, content }) => (content === '' ? [] : [id])));
  const gone = new Set(known.filter((id) => !texts.has(id)));
  const touched = store.messages.withTurns([...gone]);
  for (const message of touched) blank(store, message, gone);
  await erase(store, touched);
  for (const conversation of new Set(touched.map((message) => message.conversation)))
    events.emit({ type: 'conversation', conversation, isDeleted: false });
}

function blank(
  { messages, conversations, file }: AppContext['store'],
  message: StoredMessage,
  gone: ReadonlySet<string>,
): void {
  const isOwn = message.own.some((id) => gone.has(id));
  const citations = message.citations.filter(
    ({ sources }) => !sources.some(({ episode }) => gone.has(episode)),
  );
  const restsOnIt = message.citations.length > 0 && citations.length === 0;
  file.transaction(() => {
    messages.update(message.id, {
      citations,
      ...(isOwn || restsOnIt ? { text: '', state: 'forgotten' as const, citations: [], why: null } : {}),
    });
    messages.unlink(message.id, [...gone]);
    const conversation = conversations.get(message.conversation);
    // The title is the beginning of the first message, unless the user set one.
    if (
      isOwn &&
      message.role === 'user' &&
      message.parent === null &&
      !conversations.hasOwnTitle(conversation.id)
    )
      conversations.update(conversation.id, { title: '' });
  });
}

async function erase(store: AppContext['store'], touched: readonly StoredMessage[]): Promise<void> {
  // What such a run would remember is an answer to what is forgotten, or depends on it.
  for (const { id, remembered } of touched)
    if (remembered?.decision === 'pending') {
      await store.checkpoints.deleteThread(id);
      store.messages.update(id, { remembered: { decision: 'none', turns: [] } });
    }
  store.file.erase();
}
