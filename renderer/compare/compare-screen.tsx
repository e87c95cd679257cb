import { Columns2 } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '../kit/button.tsx';
import { Segments } from '../kit/choice.tsx';
import { Empty, Notice } from '../kit/feedback.tsx';
import { Field } from '../kit/field.tsx';
import type { AnswerRelation } from '../parts/answer/answer-change.ts';
import { MemoryScreen } from '../parts/place/memory-screen.tsx';
import { useReply } from '../state/connection.tsx';
import { useModel } from '../state/use-model.ts';
import { DAY, formatNumber } from '../strings/text.ts';
import { timelineText } from '../strings/timeline-text.ts';
import { CompareColumn } from './compare-column.tsx';
import styles from './compare-screen.module.css';
import { differenceOf, type Ended, formatTimes, keysOf } from './difference.ts';
import { RecipeMenu } from './recipe-menu.tsx';
import type { Side } from './side.ts';
import { type Comparison, useComparison } from './use-comparison.ts';

const words = timelineText.compare;

/** The recipe beside the usual one: with the categories, which need no model. */
const OTHER = 'mnemis-local';
const ANOTHER = 'system1';
const LONGEST = 10_000;

/** One question, two recipes side by side. */
export function CompareScreen({ scope }: { readonly scope: string }) {
  const { comparison, run, cancel, isRunning } = useComparison();
  return (
    <MemoryScreen width={1240}>
      <div className="stack gap-4">
        <header>
          <h1>{words.title}</h1>
          <p className="soft">{words.lead}</p>
        </header>
        <QuestionForm scope={scope} onRun={run} onCancel={cancel} isRunning={isRunning} />
        {comparison === null ? (
          <Empty icon={Columns2} title={words.first} />
        ) : (
          <Results scope={scope} comparison={comparison} />
        )}
      </div>
    </MemoryScreen>
  );
}

interface FormProps {
  readonly scope: string;
  readonly onRun: ReturnType<typeof useComparison>['run'];
  readonly onCancel: () => void;
  readonly isRunning: boolean;
}

function QuestionForm({ scope, onRun, onCancel, isRunning }: FormProps) {
  const id = useId();
  const model = useModel();
  const recipes = useReply('recipes', {});
  const settings = useReply('settings', {}).data?.settings;
  const [question, setQuestion] = useState('');
  const [chosen, setChosen] = useState<{ readonly left?: string; readonly right?: string }>({});
  const [day, setDay] = useState('');
  const [by, setBy] = useState<'held' | 'known'>('held');
  const [wanted, setAnswerer] = useState<'local' | 'llm'>('llm');
  const answerer = model === null ? 'local' : wanted;
  const usual = typeof settings?.recipe?.value === 'string' ? settings.recipe.value : recipes.data?.usual;
  const left = chosen.left ?? usual ?? '';
  const right = chosen.right ?? (usual === OTHER ? ANOTHER : OTHER);
  const asked = question.trim();
  const canRun = asked !== '' && left !== '' && recipes.data !== undefined;
  const ask = () => {
    const at = endOfDay(day);
    const times = at === null ? {} : by === 'held' ? { asOf: at } : { knownAt: at };
    void onRun({ scope, question: asked, answerer, ...times }, { left, right });
  };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (canRun) ask();
      }}
    >
      <Field
        label={words.question}
        value={question}
        placeholder={timelineText.questionExample}
        maxLength={LONGEST}
        onChange={({ target }) => setQuestion(target.value)}
      />
      {recipes.error && <Notice kind="problem">{recipes.error.message}</Notice>}
      <div className={styles.menus}>
        {(['left', 'right'] as const).map((side) => (
          <RecipeMenu
            key={side}
            label={words[side]}
            value={side === 'left' ? left : right}
            recipes={recipes.data?.items ?? []}
            hasModel={model !== null}
            onChange={(name) => setChosen((earlier) => ({ ...earlier, [side]: name }))}
          />
        ))}
      </div>
      <div className={styles.tools}>
        <label className="inline-line gap-2 soft text-13 medium">
          {words.asOf}
          <input
            className={styles.day}
            type="date"
            value={day}
            onChange={({ target }) => setDay(target.value)}
          />
        </label>
        {day !== '' && (
          <Segments
            aria-labelledby={`${id}-by`}
            value={by}
            onChange={setBy}
            options={(['held', 'known'] as const).map((value) => ({
              value,
              label: timelineText.times[value],
            }))}
          />
        )}
        <span id={`${id}-by`} hidden>
          {timelineText.by}
        </span>
        {model !== null && (
          <Segments
            aria-labelledby={`${id}-answerer`}
            value={answerer}
            onChange={setAnswerer}
            options={(['local', 'llm'] as const).map((value) => ({
              value,
              label: timelineText.answerers[value],
            }))}
          />
        )}
        <span id={`${id}-answerer`} hidden>
          {timelineText.answerer}
        </span>
        <span className="flex gap-2 at-right">
          {isRunning && <Button onClick={onCancel}>{words.cancel}</Button>}
          <Button kind="primary" type="submit" disabled={!canRun}>
            {words.run}
          </Button>
        </span>
      </div>
    </form>
  );
}

/** The last moment of an ISO date, in the calendar of memory; null without a date. */
function endOfDay(day: string): number | null {
  const start = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(start) ? null : start + DAY - 1;
}

function Results({ scope, comparison }: { readonly scope: string; readonly comparison: Comparison }) {
  const { question, left, right } = comparison;
  const found = ({ found: result }: Side) => (result === null ? null : keysOf(result));
  return (
    <>
      <blockquote className={styles.asked}>{question.question}</blockquote>
      <Summary left={left} right={right} />
      <div className={styles.sides}>
        <CompareColumn side={left} scope={scope} others={found(right)} />
        <CompareColumn side={right} scope={scope} others={found(left)} />
      </div>
    </>
  );
}

/** The difference in sentences, once both sides are complete. */
function Summary({ left, right }: Pick<Comparison, 'left' | 'right'>) {
  const [ours, theirs] = [endedOf(left), endedOf(right)];
  if (ours === null || theirs === null) return null;
  const difference = differenceOf(ours, theirs);
  const { slower, dearer, answers } = difference;
  return (
    <section className={styles.summary} aria-label={words.summary} role="status">
      <p>
        <strong>{words.evidence(difference)}</strong>
      </p>
      <p>
        {words.answers[ANSWERS[answers]]}{' '}
        {slower === null ? words.asFast : words.faster(slower.side, formatTimes(slower.times))}{' '}
        {dearer !== null && words.moreTokens(dearer.side, formatNumber(dearer.tokens))}
      </p>
    </section>
  );
}

const ANSWERS = {
  same: 'same',
  other: 'other',
  neither: 'neither',
  'only-first': 'only-left',
  'only-second': 'only-right',
} as const satisfies Record<AnswerRelation, keyof typeof words.answers>;

function endedOf({ found, answer }: Side): Ended | null {
  return found === null || answer === null ? null : { found, answer };
}
