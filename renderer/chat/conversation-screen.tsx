import { MessageCircleOff } from 'lucide-react';
import { type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { navigate } from 'wouter/use-hash-location';
import type { Conversation, InputOf, Message } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Empty, Notice } from '../kit/feedback.tsx';
import { lazily } from '../kit/lazily.ts';
import { useClient, useReply } from '../state/connection.tsx';
import { mannerFor, useManner } from '../state/manner.ts';
import { newestBelow, type ShownMessage, shownPath, withMessages } from '../state/message-tree.ts';
import { answerAgain, isAnswering, sendMessage, useRunningChats } from '../state/running-chats.ts';
import { text } from '../strings/text.ts';
import { ChatHeader } from './chat-header.tsx';
import styles from './chat-screen.module.css';
import composerStyles from './composer.module.css';
import { Composer, type ComposerHandle, type Sent } from './composer.tsx';
import type { Continued } from './draft.ts';
import { DropArea } from './drop-area.tsx';
import { NewChat } from './new-chat.tsx';
import { ThreadView } from './thread.tsx';
import { type Thread, ThreadContext } from './thread-context.ts';
import { useTurns } from './use-turns.ts';

const ToolTroubles = lazily(() => import('./tool-troubles.tsx'), 'ToolTroubles');

interface ConversationProps {
  readonly of: InputOf<'conversation'>;
  /** The message, or the imported turn, to open at. */
  readonly target: string | null;
}

export function ConversationScreen({ of, target }: ConversationProps) {
  const shown = useShownConversation(of, target);
  const { id, conversation, rows, imported, isRunning, error, isGone } = shown;
  const isMessage = rows.some(({ message }) => message.id === target);
  const turns = useTurns(imported, isMessage ? null : target);
  const usually = useReply('settings', {}).data?.preferences.isPrivate ?? false;
  const chosen = useManner((manner) => manner.isPrivate[id]);
  const isHidden = conversation?.isPrivate ?? false;
  const isPrivate = isHidden || (chosen ?? rows.at(-1)?.message.isPrivate ?? usually);
  const { thread, send } = useThreadActions(id, { ...shown, isPrivate });
  const composer = useRef<ComposerHandle>(null);
  const continues = useContinued(conversation);
  const scope = conversation?.scope ?? '';
  if (isGone || (conversation === null && rows.length === 0))
    return error === null ? (
      <div className={styles.screen} />
    ) : (
      <Missing message={error.message} {...shown} />
    );
  const header = <ChatHeader conversation={conversation} imported={imported} isPrivate={isPrivate} />;
  return (
    <ThreadContext value={thread}>
      <DropArea className={styles.screen} isPrivate={isPrivate}>
        {(attachments, open) => {
          const field = (
            <Composer
              ref={composer}
              conversation={id}
              privacyKey={id}
              isPrivate={isPrivate}
              isHidden={isHidden}
              draft={conversation?.draft ?? ''}
              continues={continues}
              isAnswered={shown.isElsewhere}
              attachments={attachments}
              onAttach={open}
              onSend={send}
            />
          );
          if (rows.length === 0 && imported === null)
            return (
              <>
                {header}
                <NewChat
                  scope={scope}
                  project={null}
                  canLeave={false}
                  isPrivate={isPrivate}
                  onAsk={(words) => send({ text: words, attachments: [] })}
                  onWrite={(words) => composer.current?.write(words)}
                  composer={field}
                />
              </>
            );
          return (
            <>
              {header}
              {turns.isReady ? (
                <ThreadView
                  rows={rows}
                  turns={turns}
                  scope={scope}
                  target={target}
                  sent={isRunning ? shown.question : null}
                />
              ) : (
                <div className="grows" />
              )}
              <div className={composerStyles.dock}>
                <Suspense>
                  <ToolTroubles />
                </Suspense>
                {field}
                <p className={composerStyles.hint}>{text.chat.composer.hint}</p>
              </div>
            </>
          );
        }}
      </DropArea>
      <Announcer rows={rows} />
    </ThreadContext>
  );
}

const NONE: readonly Message[] = [];

/** What a conversation continues, so that it is stored with it. */
function useContinued(conversation: Conversation | null): Continued | undefined {
  const { scope, session } = conversation ?? { session: null };
  return useMemo(() => (session === null ? undefined : { scope: scope!, session }), [scope, session]);
}

/** Milliseconds between two looks at an answer that is being written; it is stored as often. */
const GROWS = 1_000;

/** The messages as stored and as they are being written, and the branch of them that is in view. */
function useShownConversation(of: InputOf<'conversation'>, target: string | null) {
  const [isElsewhere, setElsewhere] = useState(false);
  // An answer that goes on since the page was loaded again, or that another window asked for, grows as it is stored.
  const { data, error, refetch } = useReply('conversation', of, isElsewhere ? { every: GROWS } : {});
  const id = 'conversation' in of ? of.conversation : (data?.conversation.id ?? '');
  const question = useRunningChats(({ chats }) => chats[id]?.question);
  const answer = useRunningChats(({ chats }) => chats[id]?.answer);
  const isRunning = useRunningChats(({ chats }) => chats[id]?.isRunning ?? false);
  const [leaf, setLeaf] = useState<string | null>(null);
  const conversation = data?.conversation ?? null;
  const stored = data?.messages ?? NONE;
  const isWritten = !isRunning && stored.some(({ state }) => state === 'streaming');
  useEffect(() => setElsewhere(isWritten), [isWritten]);
  const messages = useMemo(() => {
    if (question === undefined || answer === undefined) return stored;
    const known = stored.find((each) => each.id === answer.id);
    // What was stored counts, once the answer has ended there too.
    if (!isRunning && known !== undefined && known.state !== 'streaming') return stored;
    return withMessages(stored, [question, answer]);
  }, [stored, question, answer, isRunning]);
  // The branch that is being answered is in view.
  const writing = isRunning && leaf === null ? (answer?.id ?? null) : null;
  const end = writing ?? leaf ?? target ?? conversation?.leaf ?? null;
  const rows = useMemo(() => shownPath(messages, end), [messages, end]);
  // It was deleted in another window, so what is known of it counts no more.
  const isGone =
    data !== undefined && !isRunning && (error as { code?: unknown } | null)?.code === 'invalid-input';
  return {
    id,
    conversation,
    imported: data?.imported ?? null,
    stored,
    messages,
    rows,
    question: question?.id ?? null,
    isRunning,
    isElsewhere: isWritten,
    isGone,
    error,
    refetch,
    setLeaf,
  };
}

interface ActionsContext {
  readonly conversation: Conversation | null;
  readonly stored: readonly Message[];
  readonly messages: readonly Message[];
  readonly rows: readonly ShownMessage[];
  readonly isPrivate: boolean;
  readonly setLeaf: (leaf: string | null) => void;
}

/** What messages and the composer can do. The functions stay the same; they read the state when they act. */
function useThreadActions(id: string, state: ActionsContext) {
  const client = useClient();
  const now = useRef(state);
  now.current = state;
  const scope = state.conversation?.scope ?? '';
  const { setLeaf } = state;
  return useMemo(() => {
    const send = ({ text: words, attachments }: Sent) => {
      const { stored, rows, isPrivate } = now.current;
      // A message that could not be sent cannot be the parent of another one.
      const known = new Set(stored.map((each) => each.id));
      const parent = rows.findLast(({ message }) => known.has(message.id))?.message.id ?? null;
      setLeaf(null);
      const { scope, session = null } = now.current.conversation ?? {};
      const continues = session === null ? undefined : { scope: scope!, session };
      const message = { conversation: id, text: words, parent, attachments, continues };
      sendMessage(client, message, mannerFor(isPrivate));
    };
    const thread: Thread = {
      conversation: id,
      scope,
      show(message) {
        const leaf = newestBelow(now.current.messages, message);
        setLeaf(leaf);
        client.saveConversation({ conversation: id, leaf }).catch(() => undefined); // shown here all the same
      },
      edit(message, words) {
        if (isAnswering(id)) return;
        setLeaf(null);
        const isStored = now.current.stored.some((each) => each.id === message.id);
        const replaces = isStored ? { replaces: message.id } : {};
        sendMessage(
          client,
          { conversation: id, text: words, parent: message.parent, ...replaces },
          mannerFor(message.isPrivate),
        );
      },
      regenerate({ parent, isPrivate }) {
        const asked = now.current.messages.find((each) => each.id === parent);
        if (asked === undefined || isAnswering(id)) return;
        setLeaf(null);
        answerAgain(client, asked, mannerFor(isPrivate));
      },
    };
    return { thread, send };
  }, [client, id, scope, setLeaf]);
}

interface MissingProps {
  readonly message: string;
  readonly refetch: () => Promise<unknown>;
}

function Missing({ message, refetch }: MissingProps) {
  return (
    <ChatProblem title={text.chat.missing.title}>
      <p>{text.chat.missing.text}</p>
      <Notice kind="warning">{message}</Notice>
      <div className="flex gap-2">
        <Button onClick={() => void refetch()}>{text.app.retry}</Button>
        <Button kind="primary" onClick={() => navigate('/')}>
          {text.chat.missing.begin}
        </Button>
      </div>
    </ChatProblem>
  );
}

/** A chat that cannot be shown. */
export function ChatProblem({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className={styles.screen}>
      <ChatHeader conversation={null} isPrivate={false} />
      <div className="grid grows">
        <Empty icon={MessageCircleOff} title={title}>
          {children}
        </Empty>
      </div>
    </div>
  );
}

/** As much of an answer as is read out; the rest is in the page. */
const LONGEST = 400;

/** Reads a finished answer to those who do not see it; the pieces before are silent. */
function Announcer({ rows }: { readonly rows: readonly ShownMessage[] }) {
  const [words, setWords] = useState('');
  const writing = useRef<string | null>(null);
  const last = rows.at(-1)?.message;
  useEffect(() => {
    if (last?.role !== 'assistant') return;
    if (last.state === 'streaming') {
      writing.current = last.parent;
      setWords('');
    } else if (writing.current !== null && writing.current === last.parent) {
      writing.current = null;
      setWords(
        last.state === 'failed'
          ? text.chat.thread.failed
          : text.chat.thread.finished(last.text.slice(0, LONGEST)),
      );
    }
  }, [last]);
  return (
    <p className="visually-hidden" role="status" aria-live="polite">
      {words}
    </p>
  );
}
