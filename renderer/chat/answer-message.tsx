import { BookOpenText, CircleQuestionMark, RefreshCw } from 'lucide-react';
import { useMemo } from 'react';
import type { Message } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Notice } from '../kit/feedback.tsx';
import { AnswerText } from '../parts/answer/answer-text.tsx';
import { type Cited, CitedContext } from '../parts/answer/citation-mark.tsx';
import { SourceRow } from '../parts/answer/source-row.tsx';
import { type RunningChat, useRunningChats } from '../state/running-chats.ts';
import { useUi } from '../state/ui.ts';
import { formatDateTime, text } from '../strings/text.ts';
import { DecideCard } from './decide-card.tsx';
import styles from './message.module.css';
import { Action, BranchPicker, CopyAction, type Siblings } from './message-actions.tsx';
import { RememberedChip, RememberingChip } from './remembered-chip.tsx';
import { useThread } from './thread-context.ts';

const labels = text.chat.message;

interface AnswerMessageProps {
  readonly message: Message;
  readonly siblings: Siblings;
  /** The text that it answers, for the decision what to remember. */
  readonly question: string;
}

export function AnswerMessage({ message, siblings, question }: AnswerMessageProps) {
  const { scope } = useThread();
  const chat = useRunningChats(({ chats }) => {
    const chat = chats[message.conversation];
    return chat?.answer.id === message.id ? chat : undefined;
  });
  const recalled = useRunningChats(({ recalled }) => recalled[message.id]);
  const isRemembering = chat?.isRunning === true && chat.isRemembering;
  const isWriting = chat?.isRunning === true && !isRemembering;
  const words = isWriting ? chat!.text : message.text;
  const cited = useMemo<Cited>(
    () => ({ scope, citations: message.citations, expected: isWriting ? (recalled?.sources ?? 0) : 0 }),
    [scope, message.citations, isWriting, recalled],
  );
  if (message.state === 'forgotten')
    return (
      <p className="faint">
        <em>{labels.forgotten}</em>
      </p>
    );
  return (
    <div className="may-narrow">
      {recalled !== undefined && (
        <button
          type="button"
          className={styles.recalled}
          disabled={isWriting}
          title={recalled.first.join('\n')}
          onClick={() => inspectWhy(message)}
        >
          <BookOpenText size={14} aria-hidden />
          {labels.recalled(recalled.sources)}
        </button>
      )}
      {words === '' && isWriting && (
        <p className={styles.thinking}>
          {message.isPrivate || recalled !== undefined ? labels.thinkingPrivate : labels.thinking}
        </p>
      )}
      {words !== '' && (
        <CitedContext value={cited}>
          <AnswerText isStreaming={isWriting}>{words}</AnswerText>
        </CitedContext>
      )}
      {chat === undefined && message.state === 'streaming' && (
        <p className={styles.thinking}>{labels.elsewhere}</p>
      )}
      <Ending message={message} chat={chat} />
      {!isWriting && <SourceRow scope={scope} citations={message.citations} />}
      {message.remembered?.decision === 'pending' && <DecideCard answer={message} question={question} />}
      <AnswerFoot message={message} siblings={siblings} isWriting={isWriting} isRemembering={isRemembering} />
    </div>
  );
}

const inspectWhy = ({ id }: Message) => useUi.getState().set({ inspected: { kind: 'why', message: id } });

function AnswerFoot({
  message,
  siblings,
  isWriting,
  isRemembering,
}: {
  readonly message: Message;
  readonly siblings: Siblings;
  readonly isWriting: boolean;
  readonly isRemembering: boolean;
}) {
  const { regenerate } = useThread();
  // A courtesy was answered without a search, so that there is nothing to explain.
  const isCourtesy =
    message.state === 'complete' && message.model === null && message.remembered?.decision === 'none';
  if (isWriting || (message.state === 'streaming' && !isRemembering)) return <div className={styles.foot} />;
  return (
    <div className={styles.foot}>
      {isRemembering && !message.isPrivate ? <RememberingChip /> : <RememberedChip message={message} />}
      <div className={styles.actions} data-actions>
        <BranchPicker {...siblings} />
        {message.text !== '' && <CopyAction>{message.text}</CopyAction>}
        {message.state === 'complete' && (
          <Action
            icon={RefreshCw}
            label={labels.regenerate}
            disabled={isRemembering}
            onClick={() => regenerate(message)}
          />
        )}
        {!message.isPrivate && message.state !== 'failed' && !isCourtesy && (
          <Action icon={CircleQuestionMark} label={labels.why} onClick={() => inspectWhy(message)} />
        )}
      </div>
      <span className="ellipsis faint text-12 at-right" title={formatDateTime(message.at)}>
        {message.state === 'complete' &&
          (message.model ?? (message.isPrivate || isCourtesy ? '' : labels.fromMemory))}
      </span>
    </div>
  );
}

/** Why an answer ended before it was whole. */
function Ending({ message, chat }: { readonly message: Message; readonly chat: RunningChat | undefined }) {
  const { regenerate } = useThread();
  const isLost = chat?.code !== undefined && chat.code !== null && LOST.has(chat.code);
  if (message.state === 'stopped')
    return (
      <p className={styles.stopped}>
        <span>{isLost ? labels.lostStopped : labels.stopped}</span>
        <Button size="small" kind="quiet" icon={RefreshCw} onClick={() => regenerate(message)}>
          {labels.continue}
        </Button>
      </p>
    );
  if (message.state !== 'failed') return null;
  const again = () => (isUnsent(message) ? chat?.retry() : regenerate(message));
  return (
    <div className={styles.failed}>
      <Notice kind={isLost ? 'warning' : 'problem'}>
        <strong>{labels.failed}</strong>
        <p>{isLost ? labels.lost : message.problem}</p>
        <div className={styles.failedActions}>
          <Button size="small" icon={RefreshCw} onClick={again}>
            {labels.retry}
          </Button>
          {!isLost && (message.model !== null || isAboutModel(chat?.code)) && (
            <a href="#/settings/model">{labels.modelSettings}</a>
          )}
        </div>
      </Notice>
    </div>
  );
}

/** Codes of an engine that went away. */
const LOST = new Set(['app-unreachable', 'engine-unreachable', 'engine-stopping', 'engine-stopped']);

const isAboutModel = (code: string | null | undefined): boolean => code?.includes('model') ?? false;

/** An answer whose message was never stored has the id that this window gave it. */
const isUnsent = ({ id, parent }: Message): boolean => id === `answer-${parent}`;
