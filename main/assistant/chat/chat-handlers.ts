import { randomUUID } from 'node:crypto';
import { replyToSmallTalk } from '../../../graphs/assistant/small-talk.ts';
import { CancelledError, InvalidInputError } from '../../../src/errors/index.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { inBatches } from '../../../src/util/collections.ts';
import { follow } from '../../../src/util/follow.ts';
import type { chatMethods } from '../../contract/chat.ts';
import type { ChatEvent, InputOf, Message } from '../../contract.ts';
import type { AppContext } from '../app-context.ts';
import type { AppHandlers } from '../app-handlers.ts';
import { deleteAttachment, readAttachment } from '../jobs/read-attachment.ts';
import { messageOf, NO_DETAILS, type StoredMessage } from '../store/message-table.ts';
import { readPreferences } from '../store/read-preferences.ts';
import { AnswerModels } from './answer-models.ts';
import { decideExchange, type Exchange, runExchange } from './exchange.ts';
import { whyOf } from './why.ts';

/** Messages of the branch that may go into a prompt; what fits is decided by their tokens. */
const MOST_EARLIER = 40;
const MOST_WHY = 200;

type Manner = Pick<InputOf<'regenerate'>, 'isPrivate' | 'tier' | 'model' | 'recipe' | 'confirm'>;
type Stored = Pick<Exchange, 'conversation' | 'question' | 'answer'>;

export function chatHandlers(context: AppContext): AppHandlers<keyof typeof chatMethods> {
  const { store, running } = context;
  const models = new AnswerModels(context.config, context.environment);
  const deciding = new Set<string>();
  return {
    async *chat({ conversation, message, text, parent, replaces, attachments = [], ...manner }, { signal }) {
      if (attachments.length > 0 && manner.isPrivate)
        throw new InvalidInputError('Attachments go into memory, and a private message leaves memory out');
      yield* answered(conversation, manner, signal, async (stop) => {
        const read = [];
        for (const upload of attachments) read.push(await readAttachment(context, upload, { signal: stop }));
        const stored = storeExchange(context, {
          conversation,
          message,
          text,
          parent,
          replaces,
          manner,
          attachments: read.map(({ attachment }) => attachment),
        });
        const turns = read.flatMap((each) => each.turns);
        const prepare = async (stop: AbortSignal) => {
          await rememberAttachments(context, stored, turns, stop);
          for (const upload of attachments) await deleteAttachment(context, upload);
        };
        return { ...stored, prepare };
      });
    },

    async *regenerate({ conversation, message, ...manner }, { signal }) {
      yield* answered(conversation, manner, signal, async () => {
        const found = store.messages.get(message, conversation);
        const question = found.role === 'user' ? found : store.messages.get(found.parent ?? '', conversation);
        if (question.state === 'forgotten')
          throw new InvalidInputError('This message was forgotten, so nothing can answer it');
        return { ...storeAnswer(context, question, manner), prepare: async () => undefined };
      });
    },

    async decide({ message, decision, question: asked, answer: said }) {
      const answer = store.messages.get(message);
      if (answer.remembered?.decision !== 'pending' || deciding.has(message))
        throw new InvalidInputError('This answer does not wait for a decision');
      deciding.add(message);
      try {
        const conversation = store.conversations.get(answer.conversation);
        const question = store.messages.get(answer.parent ?? '');
        const decided = await decideExchange(
          context,
          { conversation, question, answer },
          { action: decision, question: asked, answer: said },
        );
        context.events.emit({ type: 'conversation', conversation: conversation.id, isDeleted: false });
        return messageOf(decided);
      } finally {
        deciding.delete(message);
      }
    },

    async why({ message, limit = MOST_WHY }) {
      const answer = store.messages.get(message);
      if (answer.role === 'user') throw new InvalidInputError('Only answers have evidence');
      return whyOf(context, answer, limit);
    },
  };

  async function* answered(
    id: string,
    { model: wanted, ...manner }: Manner,
    signal: AbortSignal | undefined,
    begin: (signal: AbortSignal) => Promise<Stored & Pick<Exchange, 'prepare'>>,
  ): AsyncGenerator<ChatEvent, void> {
    const turn = running.begin(id, signal);
    try {
      const preferences = readPreferences(store);
      const isPrivate = manner.isPrivate ?? false;
      yield* follow<ChatEvent>(async (emit, signal) => {
        const { conversation, question, answer, prepare } = await begin(signal);
        const changed = () =>
          context.events.emit({ type: 'conversation', conversation: id, isDeleted: false });
        emit({ type: 'begun', conversation, question: messageOf(question), answer: messageOf(answer) });
        changed();
        const last = await runExchange(
          context,
          {
            conversation,
            question,
            answer,
            prepare,
            earlier: store.messages.pathTo(question.parent, MOST_EARLIER),
            findModel: async () => (manner.tier === 'local' ? null : models.find(wanted)),
            manner: {
              isPrivate,
              confirm: manner.confirm ?? preferences.confirm,
              tier: manner.tier ?? 'llm',
              recipe: manner.recipe ?? context.config.recipe,
              speaker: preferences.name === '' ? undefined : preferences.name,
            },
          },
          { emit, signal },
        );
        changed();
        emit({ type: 'done', conversation: store.conversations.get(id), answer: messageOf(last) });
      }, turn.signal);
    } finally {
      turn.end();
    }
    if (signal?.aborted) throw new CancelledError('what was said so far is kept', signal.reason);
  }
}

interface NewMessage
  extends Pick<InputOf<'chat'>, 'conversation' | 'message' | 'text' | 'parent' | 'replaces'> {
  readonly manner: Omit<Manner, 'model'>;
  readonly attachments: Message['attachments'];
}

/** Turns that are stored at once. */
const BATCH = 200;

/** Stores the text of attachments; what is stored already stays as it is. Notes which turns a message's became. */
async function rememberAttachments(
  { engine, reading, store }: AppContext,
  { conversation: { scope }, question }: Stored,
  turns: readonly TurnInput[],
  signal: AbortSignal,
): Promise<void> {
  for (const batch of inBatches([...turns], BATCH)) {
    const { pending, outcomes } = await engine.scope(scope).add(batch, { signal });
    store.attachments.add(
      question.id,
      outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [] : [outcome.id])),
    );
    if (pending > 0) reading.note(scope);
  }
}

/** Stores a message and its empty answer, and makes the conversation if there is none. @throws InvalidInputError */
function storeExchange(
  context: AppContext,
  { conversation: id, message, text, parent: named, replaces, manner, attachments }: NewMessage,
): Stored {
  const { store, clock, config } = context;
  const at = clock();
  return store.file.transaction(() => {
    if (store.messages.find(message) !== undefined)
      throw new InvalidInputError('There already is a message with this id; nothing was sent');
    if (store.conversations.find(id) === undefined)
      store.conversations.create(id, { scope: config.scope, folder: null, at });
    const conversation = store.conversations.get(id);
    const replaced = replaces === undefined ? null : store.messages.get(replaces, id);
    const parent = replaced === null ? (named === undefined ? conversation.leaf : named) : replaced.parent;
    if (replaced !== null && (replaced.role !== 'user' || (named !== undefined && named !== parent)))
      throw new InvalidInputError(
        'An edit replaces a message of the user at the same place; nothing was sent',
      );
    if (parent !== null && store.messages.get(parent, id).role !== 'assistant')
      throw new InvalidInputError('A message follows an answer; nothing was sent');
    const question: StoredMessage = {
      ...NO_DETAILS,
      id: message,
      conversation: id,
      parent,
      role: 'user',
      text,
      at,
      state: 'complete',
      isPrivate: manner.isPrivate ?? false,
      attachments,
      memoryKey: replaced?.memoryKey ?? message,
    };
    store.messages.insert(question);
    // "Hi" names no conversation: the first message that says something does.
    const isUntitled = parent === null || replyToSmallTalk(conversation.title) !== null;
    if (!store.conversations.hasOwnTitle(id) && isUntitled)
      store.conversations.update(id, { title: titleOf(text) });
    if (replaced === null) store.conversations.update(id, { draft: '' });
    return storeAnswer(context, question, manner);
  });
}

/** Stores an empty answer beside those that the message has. */
function storeAnswer(
  { store, clock }: AppContext,
  question: StoredMessage,
  manner: Omit<Manner, 'model'>,
): Stored {
  const { conversation, id: parent, memoryKey } = question;
  const at = clock();
  const answer: StoredMessage = {
    ...NO_DETAILS,
    id: randomUUID(),
    conversation,
    parent,
    role: 'assistant',
    text: '',
    at,
    state: 'streaming',
    memoryKey,
    isPrivate: manner.isPrivate ?? false,
    remembered: { decision: 'none', turns: [] },
  };
  store.messages.insert(answer);
  store.conversations.update(conversation, { leaf: answer.id, updatedAt: at });
  return { conversation: store.conversations.get(conversation), question, answer };
}

const LONGEST = 60;

/** A title from the first message of a conversation: its first sentence, cut after a word. */
function titleOf(text: string): string {
  const line = text
    .trim()
    .split('\n', 1)[0]!
    .replaceAll(/\s+/g, ' ')
    .replace(/^[#>*\-\s]+/, '');
  const sentence = /^.*?[.!?。！？](?=\s|$)/u.exec(line)?.[0] ?? line;
  const plain = sentence.replace(/[.。]$/, '').trim() || text.trim();
  if (plain.length <= LONGEST) return plain;
  const cut = plain.slice(0, LONGEST);
  const end = cut.lastIndexOf(' ');
  return `${(end > LONGEST / 2 ? cut.slice(0, end) : cut).toWellFormed().trimEnd()}…`;
}
