import { Brain, FileText, Image } from 'lucide-react';
import { memo } from 'react';
import { imageId } from '../../main/contract.ts';
import { AnswerText } from '../parts/answer/answer-text.tsx';
import { MemoryImage } from '../parts/image/memory-image.tsx';
import { isMarkdown } from '../parts/turn/is-markdown.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { openSource } from '../state/ui.ts';
import { formatDate, formatDateTime, formatTime, text } from '../strings/text.ts';
import styles from './message.module.css';
import { Action, CopyAction } from './message-actions.tsx';
import type { Turn } from './use-turns.ts';
import { Folded } from './user-message.tsx';

const words = text.chat.thread;

interface TurnRowProps {
  readonly scope: string;
  /** Undefined while it is loaded. */
  readonly turn: Turn | undefined;
  /** The turn before, where it is loaded. */
  readonly before: Turn | undefined;
  readonly isFirst: boolean;
}

/** A turn of an imported conversation as it was: who said it and when, its words, and what was attached. */
export const TurnRow = memo(function TurnRow({ scope, turn, before, isFirst }: TurnRowProps) {
  if (turn === undefined) return <p className={styles.loadingTurn}>{text.app.loading}</p>;
  const { id, speaker, role, content, attachments, validAt } = turn;
  const isNewDay = isFirst || (before !== undefined && formatDate(before.validAt) !== formatDate(validAt));
  const isSameSpeaker = !isNewDay && before?.speaker === speaker && before.role === role;
  return (
    <>
      {isNewDay && <p className={styles.day}>{formatDate(validAt)}</p>}
      {!isSameSpeaker && (
        <p className={styles.said}>
          <strong className="ellipsis strong">{speakerName(speaker)}</strong>
          <time dateTime={new Date(validAt).toISOString()} title={formatDateTime(validAt)}>
            {formatTime(validAt)}
          </time>
        </p>
      )}
      <div className={styles.turn}>
        <div className={styles.turnWords} dir="auto">
          {isMarkdown(turn) ? (
            <AnswerText isStreaming={false}>{content}</AnswerText>
          ) : (
            <Folded>{content}</Folded>
          )}
          {attachments.length > 0 && (
            <ul className={styles.turnFiles} aria-label={text.chat.composer.attachments}>
              {attachments.map((attachment, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name, and they never move
                <li key={index}>
                  <TurnFile scope={scope} attachment={attachment} />
                </li>
              ))}
            </ul>
          )}
        </div>
        <div className={styles.actions} data-actions>
          {content !== '' && <CopyAction>{content}</CopyAction>}
          <Action icon={Brain} label={words.learned} onClick={() => openSource(scope, id)} />
        </div>
      </div>
    </>
  );
});

interface TurnFileProps {
  readonly scope: string;
  readonly attachment: Turn['attachments'][number];
}

function TurnFile({ scope, attachment }: TurnFileProps) {
  const { kind, description } = attachment;
  const image = imageId(attachment);
  if (image !== null) return <MemoryImage scope={scope} image={image} caption={description} />;
  const Icon = kind === 'image' ? Image : FileText;
  return (
    <span className={styles.file} title={description}>
      <Icon size={15} className="faint" aria-hidden />
      <span className="ellipsis">{words.attachment(kind, description)}</span>
    </span>
  );
}
