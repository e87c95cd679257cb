import { CircleQuestionMark, RefreshCw, Sparkles } from 'lucide-react';
import { Suspense, useMemo } from 'react';
import { navigate } from 'wouter/use-hash-location';
import { asksForModel, type ErrorReason, type Message } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Notice } from '../kit/feedback.tsx';
import { lazily } from '../kit/lazily.ts';
import { AnswerText } from '../parts/answer/answer-text.tsx';
import { type Cited, CitedContext } from '../parts/answer/citation-mark.tsx';
import { SourceRow } from '../parts/answer/source-row.tsx';
import { ModelProblem } from '../parts/model/model-problem.tsx';
import { SERVICES, serviceOf } from '../parts/model/services.ts';
import { useMay, useReply } from '../state/connection.tsx';
import { type RunningChat, useRunningChats } from '../state/running-chats.ts';
import { useUi } from '../state/ui.ts';
import { useModel } from '../state/use-model.ts';
import { formatDateTime, text } from '../strings/text.ts';
import { DecideCard } from './decide-card.tsx';
import styles from './message.module.css';
import { Action, BranchPicker, CopyAction, type Siblings } from './message-actions.tsx';
import { RememberedChip, RememberingChip } from './remembered-chip.tsx';
import { useThread } from './thread-context.ts';

const ToolCalls = lazily(() => import('./tool-calls.tsx'), 'ToolCalls');

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
      {message.calls.length > 0 && (
        <Suspense>
          <ToolCalls calls={message.calls} isPrivate={message.isPrivate} />
        </Suspense>
      )}
      {words === '' && isWriting && message.calls.length === 0 && (
        <p className={styles.thinking} title={recalled?.first.join('\n')}>
          {recalled !== undefined
            ? labels.recalled(recalled.sources)
            : message.isPrivate
              ? labels.thinkingPrivate
              : chat!.reading === null
                ? labels.thinking
                : labels.reading(chat!.reading)}
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
      {!isWriting && <ModelHint message={message} />}
      {/* A quotation is its own source. */}
      {!isWriting && message.model !== null && <SourceRow scope={scope} citations={message.citations} />}
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
          (message.model ?? (message.citations.length > 0 ? labels.fromMemory : ''))}
      </span>
    </div>
  );
}

/** Where only a model could have answered and none is set. */
function ModelHint({ message }: { readonly message: Message }) {
  const model = useModel();
  const maySet = useMay('saveSettings');
  if (
    !maySet ||
    model !== null ||
    message.model !== null ||
    message.state !== 'complete' ||
    !asksForModel(message.text)
  )
    return null;
  return (
    <p className={styles.stopped}>
      <span>{labels.noModel}</span>
      <Button size="small" kind="quiet" icon={Sparkles} onClick={() => navigate('/settings/model')}>
        {labels.chooseModel}
      </Button>
    </p>
  );
}

/** Why an answer ended before it was whole. */
function Ending({ message, chat }: { readonly message: Message; readonly chat: RunningChat | undefined }) {
  const { regenerate } = useThread();
  const maySet = useMay('saveSettings');
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
  if (!isLost && message.problem !== null && isAboutModel(message))
    return (
      <div className={styles.failed}>
        <ModelFailure {...message.failure} message={message.problem} onAgain={again} />
      </div>
    );
  return (
    <div className={styles.failed}>
      <Notice kind={isLost ? 'warning' : 'problem'}>
        <strong>{labels.failed}</strong>
        <p>{isLost ? labels.lost : message.problem}</p>
        <div className={styles.failedActions}>
          <Button size="small" icon={RefreshCw} onClick={again}>
            {labels.retry}
          </Button>
          {!isLost && maySet && message.model !== null && (
            <a href="#/settings/model">{labels.modelSettings}</a>
          )}
        </div>
      </Notice>
    </div>
  );
}

/** Codes of an engine that went away. */
const LOST = new Set(['app-unreachable', 'engine-unreachable', 'engine-stopping', 'engine-stopped']);

const isAboutModel = ({ failure }: Message): boolean =>
  failure?.reason !== undefined || (failure?.code.includes('model') ?? false);

interface ModelFailureProps {
  readonly code?: string | undefined;
  readonly reason?: ErrorReason | undefined;
  readonly message: string;
  readonly onAgain: () => void;
}

/** Why the configured model gave no answer. */
function ModelFailure({ onAgain, ...problem }: ModelFailureProps) {
  const model = useModel();
  const key = useReply('settings', {}).data?.key;
  if (model === null) return <Notice kind="problem">{problem.message}</Notice>;
  const service = serviceOf(model.provider, model.baseUrl ?? '');
  const settings = () => navigate('/settings/model');
  return (
    <ModelProblem
      problem={problem}
      service={service}
      address={model.baseUrl ?? SERVICES[service].address}
      hasKey={key?.isSet ?? false}
      on={{ again: onAgain, key: settings, another: settings }}
    />
  );
}

/** An answer whose message was never stored has the id that this window gave it. */
const isUnsent = ({ id, parent }: Message): boolean => id === `answer-${parent}`;
