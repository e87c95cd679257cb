import { FileText, Lock, Pencil } from 'lucide-react';
import { useState } from 'react';
import type { Message } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { MemoryImage } from '../parts/image/memory-image.tsx';
import { formatBytes, formatDateTime, text } from '../strings/text.ts';
import styles from './message.module.css';
import { Action, BranchPicker, CopyAction, type Siblings } from './message-actions.tsx';
import { useThread } from './thread-context.ts';

const labels = text.chat.message;

/** Longer messages are folded. */
const FOLDED = { characters: 1_400, lines: 18 };

interface UserMessageProps {
  readonly message: Message;
  readonly siblings: Siblings;
}

export function UserMessage({ message, siblings }: UserMessageProps) {
  const { scope } = useThread();
  const [isEditing, setEditing] = useState(false);
  if (isEditing) return <MessageEditor message={message} onClose={() => setEditing(false)} />;
  const isForgotten = message.state === 'forgotten';
  return (
    <div className={styles.user}>
      {message.attachments.length > 0 && (
        <ul className={styles.files} aria-label={text.chat.composer.attachments}>
          {message.attachments.map(({ name, bytes, image, caption }, index) =>
            image === null ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name, and they never move
              <li key={index} className={styles.file} title={name}>
                <FileText size={15} className="faint" aria-hidden />
                <span className="ellipsis">{name}</span>
                <small className="faint one-line">{formatBytes(bytes)}</small>
              </li>
            ) : (
              <li key={image}>
                <MemoryImage scope={scope} image={image} caption={caption || name} />
              </li>
            ),
          )}
        </ul>
      )}
      <div
        className={`${styles.bubble} ${message.isPrivate ? styles.privateBubble : ''}`}
        title={formatDateTime(message.at)}
        dir="auto"
      >
        {message.isPrivate && <Lock size={13} aria-label={labels.privateTitle} />}
        {isForgotten ? <em>{labels.forgotten}</em> : <Folded>{message.text}</Folded>}
      </div>
      {!isForgotten && (
        <div className={styles.actions} data-actions>
          <BranchPicker {...siblings} />
          <CopyAction>{message.text}</CopyAction>
          <Action icon={Pencil} label={labels.edit} data-edit onClick={() => setEditing(true)} />
        </div>
      )}
    </div>
  );
}

/** A long text shows its beginning at first. */
export function Folded({ children }: { readonly children: string }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = children.length > FOLDED.characters || children.split('\n').length > FOLDED.lines;
  if (!isLong) return <span className={styles.words}>{children}</span>;
  return (
    <>
      <span className={`${styles.words} ${isWhole ? '' : styles.folded}`}>{children}</span>
      <button
        type="button"
        className={styles.unfold}
        aria-expanded={isWhole}
        onClick={() => setWhole(!isWhole)}
      >
        {isWhole ? labels.showLess : labels.showMore}
      </button>
    </>
  );
}

function MessageEditor({ message, onClose }: { readonly message: Message; readonly onClose: () => void }) {
  const { edit } = useThread();
  const [value, setValue] = useState(message.text);
  const isUnchanged = value.trim() === '' || value.trim() === message.text;
  const send = () => {
    if (isUnchanged) return;
    edit(message, value.trim());
    onClose();
  };
  return (
    <form
      className={styles.editor}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        aria-label={labels.editLabel}
        value={value}
        rows={3}
        maxLength={40_000}
        ref={(area) => {
          area?.focus();
          area?.setSelectionRange(area.value.length, area.value.length);
        }}
        onChange={({ target }) => setValue(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.preventDefault();
            onClose();
          }
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            send();
          }
        }}
      />
      <div className={styles.editorFoot}>
        <span className={styles.editNote}>{labels.editNote}</span>
        <Button size="small" onClick={onClose}>
          {text.app.cancel}
        </Button>
        <Button size="small" kind="primary" type="submit" disabled={isUnchanged}>
          {labels.saveAndSend}
        </Button>
      </div>
    </form>
  );
}
