import { Search } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import type { InputOf } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Pill } from '../kit/choice.tsx';
import { Loading, Notice } from '../kit/feedback.tsx';
import { changeSince } from '../parts/answer/answer-change.ts';
import { AnswerNotes } from '../parts/answer/answer-notes.tsx';
import { CitedText } from '../parts/answer/cited-text.tsx';
import { timelineText } from '../strings/timeline-text.ts';
import styles from './timeline-screen.module.css';
import { useAnswer } from './use-answer.ts';

interface QuestionProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onAsk: () => void;
}

export function QuestionField({ value, onChange, onAsk }: QuestionProps) {
  const words = timelineText;
  const id = useId();
  return (
    <form
      className={`search-box ${styles.question}`}
      onSubmit={(event) => {
        event.preventDefault();
        onAsk();
      }}
    >
      <label htmlFor={id} className="visually-hidden">
        {words.question}
      </label>
      <Search size={17} aria-hidden />
      <input
        id={id}
        value={value}
        placeholder={words.questionExample}
        maxLength={10_000}
        autoComplete="off"
        onChange={({ target }) => onChange(target.value)}
      />
      <Button kind="primary" size="small" type="submit" disabled={value.trim() === ''}>
        {words.ask}
      </Button>
    </form>
  );
}

interface AnswersProps {
  readonly scope: string;
  /** As it is asked now; null before there is a question. */
  readonly asked: InputOf<'ask'> | null;
  readonly round: number;
  /** The chosen time; empty for now. */
  readonly times: Pick<InputOf<'ask'>, 'asOf' | 'knownAt'>;
  /** The chosen time in words. */
  readonly timeName: string;
}

const CHANGE_KINDS = {
  same: 'good',
  other: 'warning',
  'only-now': 'warning',
  'only-then': 'warning',
  neither: 'plain',
} as const;

/** The answer as of the chosen time, and beside it that of now where they differ. */
export function Answers({ scope, asked, round, times, timeName }: AnswersProps) {
  const words = timelineText;
  const isNow = times.asOf === undefined && times.knownAt === undefined;
  const now = useAnswer(asked, round);
  const then = useAnswer(asked === null ? null : { ...asked, ...times }, round);
  if (asked === null) return <p className="note">{words.askFirst}</p>;
  const shown = isNow ? now : then;
  const isLate = then.isPlaceholderData || now.isPlaceholderData;
  const change =
    isNow || isLate || then.data === undefined || now.data === undefined
      ? null
      : changeSince(then.data, now.data);
  return (
    <div className={styles.answers} aria-live="polite" aria-busy={shown.isFetching}>
      <Answer
        title={isNow ? words.answerNow : words.answerThen(timeName)}
        scope={scope}
        reply={shown}
        isAsked
      >
        {change !== null && <Pill kind={CHANGE_KINDS[change]}>{words.changes[change]}</Pill>}
      </Answer>
      {change !== null && change !== 'same' && change !== 'neither' && (
        <Answer title={words.answerNow} scope={scope} reply={now} />
      )}
    </div>
  );
}

interface AnswerProps {
  readonly title: string;
  readonly scope: string;
  readonly reply: ReturnType<typeof useAnswer>;
  /** Whether it is the one of the chosen time. */
  readonly isAsked?: boolean;
  readonly children?: ReactNode;
}

function Answer({ title, scope, reply, isAsked = false, children }: AnswerProps) {
  // The answer of another time stays until this one is there.
  const { data: answer, error, isPlaceholderData: isLate } = reply;
  return (
    <section className={styles.answer} data-asked={isAsked || undefined} aria-label={title}>
      <header className="line wrap apart">
        <h2 className="caption">{title}</h2>
        {children}
      </header>
      {error !== null ? (
        <Notice kind="problem">{error.message}</Notice>
      ) : answer === undefined ? (
        <Loading label={timelineText.asking} bars={[[22, '60%']]} />
      ) : (
        <div className={styles.shown} data-late={isLate || undefined}>
          <CitedText scope={scope} citations={answer.citations}>
            {answer.text}
          </CitedText>
          <AnswerNotes {...answer} />
        </div>
      )}
    </section>
  );
}
