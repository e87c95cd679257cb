import { MessageCircleOff } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { navigate } from 'wouter/use-hash-location';
import type { Message } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Empty, Notice } from '../kit/feedback.tsx';
import { draftOf, isDraft, LISTED, placeOfMessage } from '../parts/conversation/conversation-place.ts';
import { useClient, useReply } from '../state/connection.tsx';
import { mannerFor, NEW, setPrivate, useManner } from '../state/manner.ts';
import { newestBelow, shownPath, withMessages } from '../state/message-tree.ts';
import { answerAgain, isAnswering, sendMessage, useRunningChats } from '../state/running-chats.ts';
import { useUi } from '../state/ui.ts';
import { text } from '../strings/text.ts';
import { Announcer } from './announcer.tsx';
import { askedText } from './asked-text.ts';
import { ChatHeader } from './chat-header.tsx';
import styles from './chat-screen.module.css';
import composerStyles from './composer.module.css';
import { Composer, type ComposerHandle, type Sent } from './composer.tsx';
import { DropArea } from './drop-area.tsx';
import { NewChat } from './new-chat.tsx';
import { ThreadView } from './thread.tsx';
import { type Thread, ThreadContext } from './thread-context.ts';

interface ChatScreenProps {
  /** Null: a new chat. */
  readonly conversation: string | null;
  /** A message to open at. */
  readonly message?: string | undefined;
}

/** One conversation, or the beginning of one. */
export function ChatScreen({ conversation, message }: ChatScreenProps) {
  if (conversation === null) return <NewChatScreen />;
  return <ConversationScreen id={conversation} target={message ?? null} />;
}

let wasWelcomed = false;

function NewChatScreen() {
  const client = useClient();
  const folder = useUi((ui) => ui.folder);
  const { data: settings, error, refetch } = useReply('settings', {});
  const { data: list, isError: isListFailed } = useReply('conversations', { limit: LISTED });
  const folders = useReply('folders', {}).data;
  const project = folders?.items.find(({ id }) => id === folder) ?? null;
  const composer = useRef<ComposerHandle>(null);
  const isPrivate = useManner((manner) => manner.isPrivate[NEW]) ?? settings?.preferences.isPrivate ?? false;
  const ownScope = settings?.settings.scope?.value;
  const scope = project?.scope ?? (typeof ownScope === 'string' ? ownScope : null);
  const draft = list?.items.find(({ id }) => id === draftOf(project?.id ?? null));
  const isReady = scope !== null && (list !== undefined || isListFailed);
  const [place] = useLocation();

  // biome-ignore lint/correctness/useExhaustiveDependencies: the place is the address that is read
  useEffect(() => {
    const words = askedText(window.location.hash);
    if (words === null || composer.current === null) return;
    composer.current.add(words);
    navigate('/', { replace: true }); // a reload does not bring it a second time; the draft keeps it
  }, [place, isReady]);
  useEffect(() => {
    if (wasWelcomed || settings === undefined || list === undefined) return;
    wasWelcomed = true;
    if (!settings.preferences.isWelcomed && list.items.every(({ id }) => isDraft(id)))
      navigate('/welcome', { replace: true });
  }, [settings, list]);

  if (error !== null && settings === undefined)
    return (
      <div className={styles.screen}>
        <ChatHeader conversation={null} isPrivate={false} />
        <div className="grid grows">
          <Empty icon={MessageCircleOff} title={text.app.problem}>
            <p>{error.message}</p>
            <Button onClick={() => void refetch()}>{text.app.retry}</Button>
          </Empty>
        </div>
      </div>
    );
  if (scope === null || !isReady) return <div className={styles.screen} />;
  const send = ({ text: words, attachments }: Sent) => {
    const conversation = crypto.randomUUID();
    setPrivate(conversation, isPrivate);
    setPrivate(NEW, settings?.preferences.isPrivate ?? false);
    sendMessage(
      client,
      { conversation, text: words, parent: null, attachments, folder: project?.id ?? null },
      mannerFor(isPrivate),
    );
    navigate(placeOfMessage(conversation));
  };
  return (
    <DropArea className={styles.screen} isPrivate={isPrivate}>
      {(attachments, open) => (
        <>
          <ChatHeader conversation={null} isPrivate={isPrivate} />
          <NewChat
            scope={scope}
            project={project?.name ?? null}
            canLeave
            isPrivate={isPrivate}
            onAsk={(words) => send({ text: words, attachments: [] })}
            onWrite={(words) => composer.current?.write(words)}
            composer={
              <Composer
                key={draftOf(project?.id ?? null)}
                ref={composer}
                conversation={draftOf(project?.id ?? null)}
                privacyKey={NEW}
                isPrivate={isPrivate}
                draft={draft?.draft ?? ''}
                attachments={attachments}
                onAttach={open}
                onSend={send}
              />
            }
          />
        </>
      )}
    </DropArea>
  );
}

const NONE: readonly Message[] = [];

const codeOf = (error: unknown) => (error as { code?: unknown } | null)?.code;

function ConversationScreen({ id, target }: { readonly id: string; readonly target: string | null }) {
  const client = useClient();
  const { data, error, refetch } = useReply('conversation', { conversation: id });
  const settings = useReply('settings', {}).data;
  const question = useRunningChats(({ chats }) => chats[id]?.question);
  const answer = useRunningChats(({ chats }) => chats[id]?.answer);
  const isRunning = useRunningChats(({ chats }) => chats[id]?.isRunning ?? false);
  const [leaf, setLeaf] = useState<string | null>(null);
  const composer = useRef<ComposerHandle>(null);

  const messages = useMemo(() => {
    const stored = data?.messages ?? NONE;
    if (question === undefined || answer === undefined) return stored;
    const known = stored.find((each) => each.id === answer.id);
    // What was stored counts, once the answer has ended there too.
    if (!isRunning && known !== undefined && known.state !== 'streaming') return stored;
    return withMessages(stored, [question, answer]);
  }, [data, question, answer, isRunning]);
  // The branch that is being answered is in view.
  const writing = isRunning && leaf === null ? (answer?.id ?? null) : null;
  const rows = useMemo(
    () => shownPath(messages, writing ?? leaf ?? target ?? data?.conversation.leaf ?? null),
    [messages, writing, leaf, target, data?.conversation.leaf],
  );
  const scope = data?.conversation.scope ?? '';

  // What the actions of messages need, as it is when they act.
  const stored = data?.messages ?? NONE;
  const now = useRef({ messages, rows, stored });
  now.current = { messages, rows, stored };
  const wasPrivate = rows.at(-1)?.message.isPrivate;
  const isPrivate =
    useManner((manner) => manner.isPrivate[id]) ?? wasPrivate ?? settings?.preferences.isPrivate ?? false;
  const privacy = useRef(isPrivate);
  privacy.current = isPrivate;

  const show = useCallback(
    (message: string) => {
      const next = newestBelow(now.current.messages, message);
      setLeaf(next);
      client.saveConversation({ conversation: id, leaf: next }).catch(() => undefined); // shown here all the same
    },
    [client, id],
  );
  const thread = useMemo<Thread>(
    () => ({
      conversation: id,
      scope,
      show,
      edit(message, words) {
        if (isAnswering(id)) return;
        setLeaf(null);
        const isStored = now.current.stored.some((each) => each.id === message.id);
        sendMessage(
          client,
          {
            ...{ conversation: id, text: words, parent: message.parent },
            ...(isStored && { replaces: message.id }),
          },
          mannerFor(message.isPrivate),
        );
      },
      regenerate({ parent, isPrivate: isOfPrivate }) {
        const asked = now.current.messages.find((each) => each.id === parent);
        if (asked === undefined || isAnswering(id)) return;
        setLeaf(null);
        answerAgain(client, asked, mannerFor(isOfPrivate));
      },
    }),
    [client, id, scope, show],
  );
  const send = useCallback(
    ({ text: words, attachments }: Sent) => {
      // A message that could not be sent cannot be the parent of another one.
      const known = new Set(now.current.stored.map((each) => each.id));
      const parent = now.current.rows.findLast(({ message }) => known.has(message.id))?.message.id ?? null;
      setLeaf(null);
      sendMessage(client, { conversation: id, text: words, parent, attachments }, mannerFor(privacy.current));
    },
    [client, id],
  );

  // It was deleted in another window, so what is known of it counts no more.
  const isGone = data !== undefined && !isRunning && codeOf(error) === 'invalid-input';
  if (isGone || (data === undefined && messages.length === 0)) {
    if (error === null) return <div className={styles.screen} />;
    return (
      <div className={styles.screen}>
        <ChatHeader conversation={null} isPrivate={false} />
        <div className="grid grows">
          <Empty icon={MessageCircleOff} title={text.chat.missing.title}>
            <p>{text.chat.missing.text}</p>
            <Notice kind="warning">{error.message}</Notice>
            <div style={{ display: 'flex', gap: 'var(--space-2)' }}>
              <Button onClick={() => void refetch()}>{text.app.retry}</Button>
              <Button kind="primary" onClick={() => navigate('/')}>
                {text.chat.missing.begin}
              </Button>
            </div>
          </Empty>
        </div>
      </div>
    );
  }
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
              draft={data?.conversation.draft ?? ''}
              attachments={attachments}
              onAttach={open}
              onSend={send}
            />
          );
          if (rows.length === 0)
            return (
              <>
                <ChatHeader conversation={data?.conversation ?? null} isPrivate={isPrivate} />
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
              <ChatHeader conversation={data?.conversation ?? null} isPrivate={isPrivate} />
              <ThreadView rows={rows} target={target} sent={isRunning ? (question?.id ?? null) : null} />
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
