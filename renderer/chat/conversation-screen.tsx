import { MessageCircleOff } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { navigate } from 'wouter/use-hash-location';
import type { Message } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Empty, Notice } from '../kit/feedback.tsx';
import { useClient, useReply } from '../state/connection.tsx';
import { mannerFor, useManner } from '../state/manner.ts';
import { newestBelow, type ShownMessage, shownPath, withMessages } from '../state/message-tree.ts';
import { answerAgain, isAnswering, sendMessage, useRunningChats } from '../state/running-chats.ts';
import { text } from '../strings/text.ts';
import { ChatHeader } from './chat-header.tsx';
import styles from './chat-screen.module.css';
import composerStyles from './composer.module.css';
import { Composer, type ComposerHandle, type Sent } from './composer.tsx';
import { DropArea } from './drop-area.tsx';
import { NewChat } from './new-chat.tsx';
import { ThreadView } from './thread.tsx';
import { type Thread, ThreadContext } from './thread-context.ts';

interface ConversationProps {
  readonly id: string;
  /** The message to open at. */
  readonly target: string | null;
}

export function ConversationScreen({ id, target }: ConversationProps) {
  const shown = useShownConversation(id, target);
  const { conversation, rows, isRunning, error, isGone } = shown;
  const usually = useReply('settings', {}).data?.preferences.isPrivate ?? false;
  const chosen = useManner((manner) => manner.isPrivate[id]);
  const isPrivate = chosen ?? rows.at(-1)?.message.isPrivate ?? usually;
  const { thread, send } = useThreadActions(id, { ...shown, isPrivate });
  const composer = useRef<ComposerHandle>(null);
  const scope = conversation?.scope ?? '';
  if (isGone || (conversation === null && rows.length === 0))
    return error === null ? (
      <div className={styles.screen} />
    ) : (
      <Missing message={error.message} {...shown} />
    );
  const header = <ChatHeader conversation={conversation} isPrivate={isPrivate} />;
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
              draft={conversation?.draft ?? ''}
              attachments={attachments}
              onAttach={open}
              onSend={send}
            />
          );
          if (rows.length === 0)
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
              <ThreadView rows={rows} target={target} sent={isRunning ? shown.question : null} />
              <div className={composerStyles.dock}>
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

/** The messages as stored and as they are being written, and the branch of them that is in view. */
function useShownConversation(id: string, target: string | null) {
  const { data, error, refetch } = useReply('conversation', { conversation: id });
  const question = useRunningChats(({ chats }) => chats[id]?.question);
  const answer = useRunningChats(({ chats }) => chats[id]?.answer);
  const isRunning = useRunningChats(({ chats }) => chats[id]?.isRunning ?? false);
  const [leaf, setLeaf] = useState<string | null>(null);
  const conversation = data?.conversation ?? null;
  const stored = data?.messages ?? NONE;
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
    conversation,
    stored,
    messages,
    rows,
    question: question?.id ?? null,
    isRunning,
    isGone,
    error,
    refetch,
    setLeaf,
  };
}

interface ActionsContext {
  readonly conversation: { readonly scope: string } | null;
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
      sendMessage(client, { conversation: id, text: words, parent, attachments }, mannerFor(isPrivate));
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
