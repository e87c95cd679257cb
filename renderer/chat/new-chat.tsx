import { Folder as FolderIcon, ShieldCheck, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { navigate } from 'wouter/use-hash-location';
import { IconButton } from '../kit/button.tsx';
import { useReply } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import styles from './new-chat.module.css';
import { Reminders } from './reminders.tsx';
import { Suggestions } from './suggestions.tsx';

interface NewChatProps {
  readonly scope: string;
  /** The project that the chat begins in. */
  readonly project: string | null;
  /** Where to leave the project; absent where the conversation is there already. */
  readonly canLeave: boolean;
  readonly isPrivate: boolean;
  readonly composer: ReactNode;
  readonly onAsk: (question: string) => void;
  readonly onWrite: (words: string) => void;
}

/** A chat before its first message. */
export function NewChat({ scope, project, canLeave, isPrivate, composer, onAsk, onWrite }: NewChatProps) {
  const name = useReply('settings', {}).data?.preferences.name ?? '';
  const stats = useReply('stats', { scope });
  const [greeting] = useState(
    () => text.chat.greetings[Math.floor(Math.random() * text.chat.greetings.length)] ?? '',
  );
  return (
    <div className={styles.screen}>
      <div className={styles.middle}>
        <h1 className={styles.greeting}>{name === '' ? greeting : text.chat.greetingByName(name)}</h1>
        {project !== null && (
          <p className="line soft text-14 gap-7px">
            <FolderIcon size={15} aria-hidden />
            {text.chat.inProject(project)}
            {canLeave && (
              <IconButton
                icon={X}
                iconSize={14}
                className="small-icon"
                label={text.side.noProject}
                onClick={() => navigate('/')}
              />
            )}
          </p>
        )}
        <div className={styles.composer}>{composer}</div>
        {!isPrivate && <Reminders scope={scope} />}
        {!isPrivate && <Suggestions scope={scope} onAsk={onAsk} onWrite={onWrite} />}
      </div>
      {stats.data?.episode === 0 && (
        <p className="line note at-centre gap-2 text-centre">
          <ShieldCheck size={15} aria-hidden />
          {text.chat.local}
        </p>
      )}
    </div>
  );
}
