import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { navigate } from 'wouter/use-hash-location';
import type { InputOf } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { draftOf, isDraft, LISTED, placeOfMessage } from '../parts/conversation/conversation-place.ts';
import { useClient, useReply } from '../state/connection.tsx';
import { mannerFor, NEW, setPrivate, useManner } from '../state/manner.ts';
import { sendMessage } from '../state/running-chats.ts';
import { text } from '../strings/text.ts';
import { askedText } from './asked-text.ts';
import { ChatHeader } from './chat-header.tsx';
import styles from './chat-screen.module.css';
import { Composer, type ComposerHandle, type Sent } from './composer.tsx';
import { ChatProblem, ConversationScreen } from './conversation-screen.tsx';
import { DropArea } from './drop-area.tsx';
import { NewChat } from './new-chat.tsx';

interface ChatScreenProps {
  /** Null: a new chat. */
  readonly conversation: InputOf<'conversation'> | null;
  /** A message, or an imported turn, to open at. */
  readonly message?: string | undefined;
  /** The project of a new chat. */
  readonly folder?: string | null;
}

/** One conversation, or the beginning of one. */
export function ChatScreen({ conversation, message, folder = null }: ChatScreenProps) {
  if (conversation === null) return <NewChatScreen folder={folder} />;
  return <ConversationScreen of={conversation} target={message ?? null} />;
}

let wasWelcomed = false;

function NewChatScreen({ folder }: { readonly folder: string | null }) {
  const client = useClient();
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
      <ChatProblem title={text.app.problem}>
        <p>{error.message}</p>
        <Button onClick={() => void refetch()}>{text.app.retry}</Button>
      </ChatProblem>
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
