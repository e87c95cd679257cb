import { randomUUID } from 'node:crypto';
import { replyToSmallTalk } from '../../../graphs/assistant/small-talk.ts';
import { CancelledError, InvalidInputError } from '../../../src/errors/index.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { follow } from '../../../src/util/follow.ts';
import type { chatMethods } from '../../contract/chat.ts';
import type { ChatEvent, InputOf } from '../../contract.ts';
import type { AppContext } from '../app-context.ts';
import type { AppHandlers } from '../app-handlers.ts';
import { deleteAttachment, type ReadAttachment, readAttachment } from '../jobs/read-attachment.ts';
import { messageOf, NO_DETAILS, type StoredMessage } from '../store/message-table.ts';
import { readPreferences } from '../store/read-preferences.ts';
import { AnswerModels } from './answer-models.ts';
import { decideExchange, type Exchange, runExchange } from './exchange.ts';
import { imagesOf } from './message-images.ts';
import { whyOf } from './why.ts';

/** Messages of the branch that may go into a prompt; what fits is decided by their tokens. */
const MOST_EARLIER = 40;
const MOST_WHY = 200;

type Manner = Pick<
  InputOf<'regenerate'>,
  'isPrivate' | 'tier' | 'model' | 'recipe' | 'tools' | 'speaker' | 'confirm'
>;
type Stored = Pick<Exchange, 'conversation' | 'question' | 'answer' | 'earlier'>;

export function chatHandlers(context: AppContext): AppHandlers<keyof typeof chatMethods> {
  const { store, running } = context;
  const models = new AnswerModels(context.config, context.environment);
  const deciding = new Set<string>();
  return {
    async *chat(
      { conversation, scope, message, text, parent, replaces, attachments = [], captions = {}, ...manner },
      { signal },
    ) {
      if (attachments.length > 0 && manner.isPrivate)
        throw new InvalidInputError('Attachments go into memory, and a private message leaves memory out');
      yield* answered(conversation, manner, signal, async (stop) => {
        const read: ReadAttachment[] = [];
        for (const upload of attachments) {
          const each = await readAttachment(context, upload, { signal: stop });
          const caption = each.image === null ? '' : (captions[upload] ?? '');
          read.push({ ...each, attachment: { ...each.attachment, caption } });
        }
        const stored = storeExchange(context, {
          conversation,
          scope,
          message,
          text,
          parent,
          replaces,
          manner,
          attachments: read,
        });
        const turns = read.flatMap((each) => each.turns);
        const prepare: Exchange['prepare'] = async (emit, stop) => {
          await rememberDocuments(context, stored, { turns, emit, signal: stop });
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

    stopAnswer: async ({ conversation }) => ({ wasRunning: await running.stop(conversation) }),

    async decide({ message, decision, question: asked, answer: said }) {
      const answer = store.messages.get(message);
      if (answer.remembered?.decision !== 'pending' || deciding.has(message))
        throw new InvalidInputError('This answer does not wait for a decision');
      const turn = running.begin(answer.conversation, 'decision');
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
        turn.end();
      }
    },

    checkAttachment: async ({ upload }, { signal }) =>
      (await readAttachment(context, upload, { signal })).attachment,

    seesImages: async ({ model }) => ({ sees: models.sees(model) }),

    async image({ scope, image: id }) {
      const image = store.images.find(id, scope);
      return { image: image && { type: image.type, data: Buffer.from(image.data).toString('base64') } };
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
    const turn = running.begin(id);
    let isStored = false;
    const answer = async (emit: (event: ChatEvent) => void, signal: AbortSignal) => {
      try {
        const preferences = readPreferences(store);
        const isPrivate = manner.isPrivate ?? false;
        const { conversation, question, answer, earlier, prepare } = await begin(signal);
        const changed = () =>
          context.events.emit({ type: 'conversation', conversation: id, isDeleted: false });
        isStored = true;
        emit({ type: 'begun', conversation, question: messageOf(question), answer: messageOf(answer) });
        changed();
        const last = await runExchange(
          context,
          {
            conversation,
            question,
            answer,
            prepare,
            earlier,
            findModel: async () => (manner.tier === 'local' ? null : models.find(wanted)),
            manner: {
              isPrivate,
              confirm: manner.confirm ?? preferences.confirm,
              tier: manner.tier ?? 'llm',
              recipe: manner.recipe ?? context.config.recipe,
              tools: manner.tools ?? 'all',
              speaker: (manner.speaker ?? preferences.name) || undefined,
            },
          },
          { emit, signal },
        );
        changed();
        emit({ type: 'done', conversation: store.conversations.get(id), answer: messageOf(last) });
      } finally {
        turn.end();
      }
    };
    yield* follow(answer, turn.signal, { signal, goesOn: () => isStored });
    if (signal?.aborted) throw new CancelledError('what was said so far is kept', signal.reason);
  }
}

interface NewMessage
  extends Pick<InputOf<'chat'>, 'conversation' | 'scope' | 'message' | 'text' | 'parent' | 'replaces'> {
  readonly manner: Omit<Manner, 'model'>;
  readonly attachments: readonly Pick<ReadAttachment, 'attachment' | 'image'>[];
}

/** Of the turns that are stored at once; further ones wait, so that the progress is seen. */
const BATCH = { turns: 200, characters: 500_000 };

interface DocumentTurns {
  readonly turns: readonly TurnInput[];
  readonly emit: (event: ChatEvent) => void;
  readonly signal: AbortSignal;
}

/** Stores the text of documents; what is stored already stays as it is. Notes which turns a message's became. */
async function rememberDocuments(
  { engine, reading, store }: AppContext,
  { conversation: { scope }, question }: Stored,
  { turns, emit, signal }: DocumentTurns,
): Promise<void> {
  const batches = batchesOf(turns);
  for (const [at, batch] of batches.entries()) {
    if (batches.length > 1) emit({ type: 'reading', share: at / batches.length });
    const { pending, outcomes } = await engine.scope(scope).add(batch, { signal });
    store.attachments.add(
      question.id,
      outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [] : [outcome.id])),
    );
    if (pending > 0) reading.note(scope);
  }
}

function batchesOf(turns: readonly TurnInput[]): TurnInput[][] {
  const batches: TurnInput[][] = [];
  let characters = 0;
  for (const turn of turns) {
    const last = batches.at(-1);
    if (last === undefined || last.length === BATCH.turns || characters > BATCH.characters) {
      batches.push([turn]);
      characters = 0;
    } else last.push(turn);
    characters += turn.content.length;
  }
  return batches;
}

/** Stores a message and its empty answer, and makes the conversation if there is none. @throws InvalidInputError */
function storeExchange(
  context: AppContext,
  {
    conversation: id,
    scope = context.config.scope,
    message,
    text,
    parent: named,
    replaces,
    manner,
    attachments,
  }: NewMessage,
): Stored {
  const { store, clock } = context;
  const at = clock();
  return store.file.transaction(() => {
    if (store.messages.find(message) !== undefined)
      throw new InvalidInputError('There already is a message with this id; nothing was sent');
    if (store.conversations.find(id) === undefined)
      store.conversations.create(id, { scope, folder: null, at });
    const conversation = store.conversations.get(id);
    const replaced = replaces === undefined ? null : store.messages.get(replaces, id);
    const parent = replaced === null ? (named === undefined ? conversation.leaf : named) : replaced.parent;
    if (replaced !== null && (replaced.role !== 'user' || (named !== undefined && named !== parent)))
      throw new InvalidInputError(
        'An edit replaces a message of the user at the same place; nothing was sent',
      );
    if (parent !== null && store.messages.get(parent, id).role !== 'assistant')
      throw new InvalidInputError('A message follows an answer; nothing was sent');
    const sent: StoredMessage = {
      ...NO_DETAILS,
      id: message,
      conversation: id,
      parent,
      role: 'user',
      text,
      at,
      state: 'complete',
      isPrivate: manner.isPrivate ?? false,
      memoryKey: replaced?.memoryKey ?? message,
    };
    const question = storeMessage(store, sent, { scope: conversation.scope, attachments, replaced });
    // "Hi" names no conversation: the first message that says something does. A private one would be kept in the title.
    const mayName = !question.isPrivate || store.file.isInMemory;
    const isUntitled =
      mayName &&
      conversation.session === null &&
      (parent === null || replyToSmallTalk(conversation.title) !== null);
    if (!store.conversations.hasOwnTitle(id) && isUntitled)
      store.conversations.update(id, { title: titleOf(text) });
    if (replaced === null) store.conversations.update(id, { draft: '' });
    return storeAnswer(context, question, manner);
  });
}

interface SentFiles {
  readonly scope: string;
  readonly attachments: NewMessage['attachments'];
  /** The message of which this one is an edit: its images stay with it. */
  readonly replaced: StoredMessage | null;
}

/** Stores a message with its attachments. */
function storeMessage(
  { messages, images }: AppContext['store'],
  question: StoredMessage,
  { scope, attachments, replaced }: SentFiles,
): StoredMessage {
  const { id: message } = question;
  const kept = replaced === null ? [] : imagesOf(replaced);
  const sent = attachments.map(({ attachment, image }) => {
    if (image === null) return attachment;
    const id = randomUUID();
    images.add({ id, scope, message, ...image });
    return { ...attachment, image: id };
  });
  const copied = kept.map((attachment) => {
    const as = randomUUID();
    images.copy(attachment.image, { as, message });
    return { ...attachment, image: as };
  });
  messages.insert({ ...question, attachments: [...copied, ...sent] });
  return messages.get(message);
}

/** Stores an empty answer beside those that the message has. */
function storeAnswer(
  { store, clock }: AppContext,
  question: StoredMessage,
  manner: Omit<Manner, 'model'>,
): Stored {
  const { conversation, id: parent, memoryKey } = question;
  const earlier = store.messages.pathTo(question.parent, MOST_EARLIER);
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
  return { conversation: store.conversations.get(conversation), question, answer, earlier };
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
