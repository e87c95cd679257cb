import { create } from 'zustand';
import type { ChatEvent, InputOf, MemoryClient, Message } from '../../main/contract.ts';
import { EngineProblem } from '../client/engine-problem.ts';
import { changeReply, refresh } from './connection.tsx';
import { withMessages } from './message-tree.ts';

/** What memory showed to whoever answers. */
export type Recalled = Extract<ChatEvent, { readonly type: 'recalled' }>;

/** An answer that is being written, or that ended without being stored whole. */
export interface RunningChat {
  readonly question: Message;
  /** Without its text, so that it stays the same while the text grows. */
  readonly answer: Message;
  readonly text: string;
  readonly isRunning: boolean;
  /** How much of the attached documents memory has, from 0 to 1; null: it does not read any. */
  readonly reading: number | null;
  /** The answer is whole and memory takes it in: it cannot be stopped any more. */
  readonly isRemembering: boolean;
  /** Code of the failure, which the stored answer does not have. */
  readonly code: string | null;
  readonly stop: () => void;
  /** Sends the same again. */
  readonly retry: () => void;
}

interface RunningChats {
  /** By conversation. */
  readonly chats: Readonly<Record<string, RunningChat>>;
  /** By answer; of the answers that this window asked for. */
  readonly recalled: Readonly<Record<string, Recalled>>;
}

/** Answers in progress, which go on while other screens are open. */
export const useRunningChats = create<RunningChats>()(() => ({ chats: {}, recalled: {} }));

/** Milliseconds between two steps of the text: each step parses its last paragraph. */
const STEP = 33;

type Manner = Pick<InputOf<'regenerate'>, 'isPrivate' | 'tier' | 'model' | 'recipe' | 'confirm'>;

/** A file that goes with a message. */
export interface SentFile {
  readonly upload: string;
  readonly name: string;
  readonly bytes: number;
  /** What an image shows, where the person is asked for it. */
  readonly caption?: string;
}

interface NewMessage {
  readonly conversation: string;
  readonly text: string;
  readonly parent: string | null;
  readonly replaces?: string;
  readonly attachments?: readonly SentFile[];
  /** Of the new conversation. */
  readonly folder?: string | null;
  /** What the conversation continues, which may not be stored in the app yet. */
  readonly continues?: { readonly scope: string; readonly session: string } | undefined;
}

/** Sends a message; its conversation is created if it is new. */
export function sendMessage(client: MemoryClient, message: NewMessage, manner: Manner): void {
  const { conversation, text, parent, replaces, attachments = [], folder, continues } = message;
  const question: Message = {
    ...EMPTY,
    id: crypto.randomUUID(),
    conversation,
    parent,
    text,
    at: Date.now(),
    isPrivate: manner.isPrivate ?? false,
    attachments: attachments.map(({ name, bytes, caption = '' }) => ({
      ...{ name, bytes, caption, kind: '', characters: 0, image: null },
    })),
  };
  const input: InputOf<'chat'> = {
    conversation,
    text,
    parent,
    message: question.id,
    ...(replaces !== undefined && { replaces }),
    ...(attachments.length > 0 && {
      attachments: attachments.map(({ upload }) => upload),
      captions: Object.fromEntries(
        attachments.flatMap(({ upload, caption }) => (caption === undefined ? [] : [[upload, caption]])),
      ),
    }),
    ...manner,
  };
  run(client, question, manner, async function* (signal) {
    const isHidden = (manner.isPrivate ?? false) && parent === null && continues === undefined;
    if (!isHidden && (folder != null || continues !== undefined))
      await client.saveConversation(
        { conversation, ...continues, ...(folder != null && { folder }) },
        { signal },
      );
    yield* client.chat(input, { signal });
  });
}

/** Answers a message once more. */
export function answerAgain(client: MemoryClient, question: Message, manner: Manner): void {
  const { conversation, id: message } = question;
  run(client, question, manner, (signal) =>
    client.regenerate({ conversation, message, ...manner }, { signal }),
  );
}

export const isAnswering = (conversation: string): boolean =>
  useRunningChats.getState().chats[conversation]?.isRunning ?? false;

/** Stops the answer of a conversation, also one that another window, or this one before it was loaded, asked for. */
export function stopAnswer(client: MemoryClient, conversation: string): void {
  const chat = useRunningChats.getState().chats[conversation];
  if (chat?.isRunning === true) chat.stop();
  else void client.stopAnswer({ conversation }).then(() => refresh('conversation'));
}

const EMPTY: Omit<Message, 'id' | 'conversation' | 'text' | 'at'> = {
  parent: null,
  role: 'user',
  state: 'complete',
  problem: null,
  isPrivate: false,
  model: null,
  citations: [],
  attachments: [],
  calls: [],
  remembered: null,
  usage: null,
};

function run(
  client: MemoryClient,
  question: Message,
  manner: Manner,
  begin: (signal: AbortSignal) => AsyncGenerator<ChatEvent, void>,
) {
  const { conversation } = question;
  if (isAnswering(conversation)) return;
  const controller = new AbortController();
  const change = (part: Partial<RunningChat>) =>
    useRunningChats.setState(({ chats }) => {
      const chat = chats[conversation];
      return chat === undefined ? {} : { chats: { ...chats, [conversation]: { ...chat, ...part } } };
    });
  const running: RunningChat = {
    question,
    answer: {
      ...EMPTY,
      id: `answer-${question.id}`,
      conversation,
      parent: question.id,
      role: 'assistant',
      text: '',
      at: Date.now(),
      state: 'streaming',
      isPrivate: manner.isPrivate ?? false,
    },
    text: '',
    isRunning: true,
    reading: null,
    isRemembering: false,
    code: null,
    stop: () => {
      const now = useRunningChats.getState().chats[conversation];
      if (now?.isRemembering === true) return;
      // Before its message is stored, nothing goes on.
      if (now === undefined || now.answer.id === running.answer.id) controller.abort();
      else void client.stopAnswer({ conversation }).catch(() => controller.abort());
    },
    retry: () => run(client, question, manner, begin),
  };
  useRunningChats.setState(({ chats }) => ({ chats: { ...chats, [conversation]: running } }));
  void follow(begin(controller.signal), change).then(
    (last) => {
      if (last !== null) keep(last.conversation.id, last.conversation, [last.answer]);
      useRunningChats.setState(({ chats: { [conversation]: _, ...chats } }) => ({ chats }));
      refresh('conversations', 'imported');
    },
    (error: unknown) => {
      const current = useRunningChats.getState().chats[conversation] ?? running;
      const isStopped = controller.signal.aborted;
      change({
        isRunning: false,
        code: isStopped ? null : codeOf(error),
        answer: {
          ...current.answer,
          text: current.text,
          state: isStopped ? 'stopped' : 'failed',
          problem: isStopped || !(error instanceof Error) ? null : error.message,
          ...(!isStopped && EngineProblem.isInstance(error) && { failure: failureOf(error) }),
        },
      });
      refresh('conversation', 'conversations');
    },
  );
}

type Last = Extract<ChatEvent, { readonly type: 'done' }>;

async function follow(
  events: AsyncGenerator<ChatEvent, void>,
  change: (part: Partial<RunningChat>) => void,
): Promise<Last | null> {
  let [text, timer, answer, last] = ['', 0, null as Message | null, null as Last | null];
  const show = () => {
    timer = 0;
    change({ text });
  };
  try {
    for await (const event of events) {
      if (event.type === 'begun') {
        keep(event.conversation.id, event.conversation, [event.question, event.answer]);
        change({ question: event.question, answer: event.answer });
        answer = event.answer;
        refresh('conversations');
      } else if (event.type === 'reading') change({ reading: event.share });
      else if (event.type === 'recalled' && answer !== null) {
        const { id } = answer;
        useRunningChats.setState(({ recalled }) => ({ recalled: { ...recalled, [id]: event } }));
      } else if (event.type === 'calls' && answer !== null) {
        answer = { ...answer, calls: event.calls };
        change({ answer });
      } else if (event.type === 'text') {
        text += event.text;
        if (timer === 0) timer = window.setTimeout(show, STEP);
      } else if (event.type === 'answer') {
        text = event.answer.text;
        change({ answer: event.answer, text, isRemembering: true });
      } else if (event.type === 'done') last = event;
    }
    return last;
  } finally {
    window.clearTimeout(timer);
    change({ text });
  }
}

/** Writes what was stored into the reply that screens show, which saves asking for the whole conversation again. */
function keep(id: string, conversation: Last['conversation'], messages: readonly Message[]): void {
  changeReply('conversation', { conversation: id }, (earlier) =>
    // What it continues is asked for.
    earlier === undefined && conversation.session !== null
      ? undefined
      : {
          conversation,
          messages: [...withMessages(earlier?.messages ?? [], messages)],
          imported: earlier?.imported ?? null,
        },
  );
}

const failureOf = ({ code, reason }: EngineProblem) => ({ code, reason });

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null;
}
