import { Search } from 'lucide-react';
import { useId } from 'react';
import type { GivenAnswer, InputOf } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Pill } from '../kit/choice.tsx';
import { Notice, Skeleton } from '../kit/feedback.tsx';
import { changeSince } from '../parts/answer/answer-change.ts';
import { CitedText } from '../parts/answer/cited-text.tsx';
import { text } from '../strings/text.ts';
import styles from './timeline-screen.module.css';
import { useAnswer } from './use-answer.ts';

interface QuestionProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onAsk: () => void;
}

export function QuestionField({ value, onChange, onAsk }: QuestionProps) {
  const words = text.timeline;
  const id = useId();
  return (
    <form
      className={styles.question}
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
  const words = text.timeline;
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
      <section className={styles.answer} aria-label={isNow ? words.answerNow : words.answerThen(timeName)}>
        <header>
          <h2>{isNow ? words.answerNow : words.answerThen(timeName)}</h2>
          {change !== null && <Pill kind={CHANGE_KINDS[change]}>{words.changes[change]}</Pill>}
        </header>
        <Shown scope={scope} answer={shown.data} error={shown.error} isLate={shown.isPlaceholderData} />
      </section>
      {change !== null && change !== 'same' && change !== 'neither' && (
        <section className={`${styles.answer} ${styles.answerNow}`} aria-label={words.answerNow}>
          <header>
            <h2>{words.answerNow}</h2>
          </header>
          <Shown scope={scope} answer={now.data} error={now.error} isLate={now.isPlaceholderData} />
        </section>
      )}
    </div>
  );
}

interface ShownProps {
  readonly scope: string;
  readonly answer: GivenAnswer | undefined;
  readonly error: Error | null;
  /** Whether it is the answer of another time, until this one is there. */
  readonly isLate: boolean;
}

function Shown({ scope, answer, error, isLate }: ShownProps) {
  if (error !== null) return <Notice kind="problem">{error.message}</Notice>;
  if (answer === undefined)
    return (
      <div role="status" aria-label={text.timeline.asking}>
        <Skeleton height={22} width="60%" />
      </div>
    );
  return (
    <div className={styles.shown} data-late={isLate || undefined}>
      <CitedText scope={scope} citations={answer.citations}>
        {answer.text}
      </CitedText>
      {answer.notes.map((note) => (
        <p key={note} className="note">
          {note}
        </p>
      ))}
    </div>
  );
}
