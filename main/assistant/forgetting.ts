import { randomUUID } from 'node:crypto';
import { MnemisError } from '../../src/errors/index.ts';
import { isEmptied } from '../../src/model/turn-input.ts';
import type { AppContext } from './app-context.ts';
import { type StoredMessage, withoutTurns } from './store/message-table.ts';

type Context = Pick<AppContext, 'engine' | 'store' | 'events' | 'running' | 'logger'>;

/**
 * A removal of turns from a scope, for the conversations beside it. Begin it before memory removes anything and end it
 * afterwards, also where the removal failed or was cancelled: `end` blanks the messages whose turns are gone, and the
 * answers whose citations have no other sources. A removal that never began leaves every message. What a crash
 * leaves is blanked when the app is opened next.
 */
export class Removal {
  readonly #context: Context;
  readonly #scope: string;
  readonly #id: string;

  private constructor(context: Context, scope: string, id: string) {
    this.#context = context;
    this.#scope = scope;
    this.#id = id;
  }

  /** Notes which turns of the scope memory has now, and stops answers that may quote them. */
  static async begin(context: Context, scope: string): Promise<Removal> {
    const { store } = context;
    const removal = new Removal(context, scope, randomUUID());
    await removal.#stopAnswers();
    const held = await heldIn(context, scope, store.messages.turnsIn(scope));
    store.removals.add({ id: removal.#id, scope, episodes: held });
    await context.running.movesEnded(); // a later one sees the removal
    return removal;
  }

  /** Ends the removals that a crash broke off. */
  static async endBrokenOff(context: Context): Promise<void> {
    for (const { id, scope } of context.store.removals.list()) await new Removal(context, scope, id).end();
  }

  /** Never throws: what fails is tried again when the app is opened next. */
  async end(): Promise<void> {
    const { store, logger } = this.#context;
    try {
      // Such an answer began while turns were removed, so it may use one of them.
      for (const conversation of await this.#stopAnswers()) blankLast(store, conversation);
      const noted = store.removals.episodes(this.#id);
      const held = new Set(await heldIn(this.#context, this.#scope, noted));
      await this.#blank(new Set(noted.filter((id) => !held.has(id))));
      store.removals.delete(this.#id);
    } catch (error) {
      const code = MnemisError.isInstance(error) ? error.code : 'internal';
      logger.warn(
        `Conversations could not be cleaned of what memory no longer has (${code}); the next start of the engine does it.`,
      );
    }
  }

  /** Has the windows ask again once memory has derived what stood beside the forgotten turns. */
  tellWhenDerived(): void {
    const { engine, events } = this.#context;
    const scope = this.#scope;
    void engine
      .scope(scope)
      .settle()
      .then(() => events.emit({ type: 'memory', scope }))
      .catch(() => undefined); // memory tries again, and logs it
  }

  async #stopAnswers(): Promise<readonly string[]> {
    const { running, store } = this.#context;
    const own = running.conversations.filter((id) => store.conversations.find(id)?.scope === this.#scope);
    for (const id of own) await running.stop(id);
    return own;
  }

  /** An imported conversation whose turns are all gone has nothing left but what was said in the app, and no title. */
  async #removeEmpty(): Promise<void> {
    const { engine, store, events } = this.#context;
    const { knowledge } = engine.scope(this.#scope);
    for (const { id, session, title } of store.conversations.continued(this.#scope)) {
      if ((await knowledge.sessionLine(session)) !== null) continue;
      const isDeleted = store.messages.of(id).length === 0;
      if (isDeleted) {
        store.removals.bury(id);
        store.conversations.delete(id);
      } else if (title === null) store.conversations.update(id, { title: '' });
      events.emit({ type: 'conversation', conversation: id, isDeleted });
    }
  }

  async #blank(gone: ReadonlySet<string>): Promise<void> {
    const { store, events } = this.#context;
    const touched = store.messages.withTurns([...gone]);
    for (const message of touched) blank(store, message, gone);
    store.attachments.forget([...gone]);
    // What such a run would remember is an answer to what is forgotten, or depends on it.
    for (const { id, remembered } of touched)
      if (remembered?.decision === 'pending') {
        await store.checkpoints.deleteThread(id);
        store.messages.update(id, { remembered: { decision: 'none', turns: [] } });
      }
    await this.#removeEmpty();
    store.file.erase();
    for (const conversation of new Set(touched.map((message) => message.conversation)))
      events.emit({ type: 'conversation', conversation, isDeleted: false });
  }
}

/** Those of the turns that memory has, without those whose text a retention rule removed. */
export async function heldIn(
  { engine }: Pick<AppContext, 'engine'>,
  scope: string,
  turns: readonly string[],
): Promise<string[]> {
  if (turns.length === 0) return [];
  const found = await engine.scope(scope).episodes(turns);
  return found.flatMap((turn) => (isEmptied(turn) ? [] : [turn.id]));
}

function blankLast({ conversations, messages }: AppContext['store'], conversation: string): void {
  const leaf = conversations.find(conversation)?.leaf;
  const last = leaf == null ? undefined : messages.find(leaf);
  if (last?.role === 'assistant') messages.update(last.id, { text: '', citations: [], calls: [], why: null });
}

function blank(store: AppContext['store'], message: StoredMessage, gone: ReadonlySet<string>): void {
  const isOwn = message.own.some((id) => gone.has(id));
  const { messages, conversations, file } = store;
  file.transaction(() => {
    messages.update(message.id, withoutTurns(message, gone));
    messages.unlink(message.id, [...gone]);
    // What tools were asked for are the words of the question.
    if (isOwn && message.role === 'user')
      for (const { id, parent, calls } of messages.of(message.conversation))
        if (parent === message.id && calls.length > 0) messages.update(id, { calls: [] });
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
