import type { GivenAnswer, SearchResult, WhyItem } from '../../main/contract.ts';
import { Disclosure } from '../kit/choice.tsx';
import { Notice, Skeleton } from '../kit/feedback.tsx';
import { AnswerNotes } from '../parts/answer/answer-notes.tsx';
import { CitedText } from '../parts/answer/cited-text.tsx';
import { CategoryWalk } from '../parts/why/category-walk.tsx';
import { Evidence } from '../parts/why/evidence.tsx';
import { RouteList } from '../parts/why/route-list.tsx';
import { formatMilliseconds } from '../parts/why/why-summary.ts';
import { useReply } from '../state/connection.tsx';
import { useModel } from '../state/use-model.ts';
import { formatDollars, formatNumber, shortNumber } from '../strings/text.ts';
import { timelineText } from '../strings/timeline-text.ts';
import styles from './compare-screen.module.css';
import { dollarsOf, keyOf, millisecondsOf, tokensOf } from './difference.ts';
import { evidenceOf, type Side } from './side.ts';

const words = timelineText.compare;

interface ColumnProps {
  readonly side: Side;
  readonly scope: string;
  /** Things that the other side found; null until then. */
  readonly others: ReadonlySet<string> | null;
}

/** One recipe's answer, with the way it was found and what it cost. */
export function CompareColumn({ side, scope, others }: ColumnProps) {
  const { recipe, state, found, answer, problem } = side;
  return (
    <section
      className={styles.side}
      aria-label={words.side(recipe)}
      aria-busy={state === 'asking' || state === 'waiting'}
    >
      <h2>{recipe}</h2>
      {state === 'waiting' && <p className="note">{words.waiting}</p>}
      {state === 'stopped' && <p className="note">{words.stopped}</p>}
      {state === 'failed' && (
        <Notice kind="problem">
          <strong>{words.failed}</strong>
          <p>{problem}</p>
        </Notice>
      )}
      {state === 'asking' && (
        <p className="note" role="status">
          {found === null ? words.asking : words.writing}
        </p>
      )}
      {state === 'asking' && found === null && <Skeleton height={80} />}
      {side.text !== '' && (
        <div className={styles.answer}>
          <h3>{words.answer}</h3>
          <CitedText scope={scope} citations={answer?.citations ?? []} isWriting={answer === null}>
            {side.text}
          </CitedText>
          {answer !== null && <AnswerNotes {...answer} />}
        </div>
      )}
      {found !== null && answer !== null && <Cost found={found} answer={answer} />}
      {found !== null && <Way found={found} answer={answer} scope={scope} others={others} />}
    </section>
  );
}

function Cost({ found, answer }: { readonly found: SearchResult; readonly answer: GivenAnswer }) {
  const model = useModel();
  const prices = useReply('settings', {}).data?.preferences.prices ?? {};
  const { usage } = answer;
  const dollars = dollarsOf(usage, model === null ? undefined : prices[model.name]);
  const figures = [
    [words.figures.total, formatMilliseconds(millisecondsOf({ found, answer }))],
    [words.figures.search, formatMilliseconds(found.milliseconds)],
    [words.figures.calls, usage.calls === 0 ? words.noModel : formatNumber(usage.calls)],
    [words.figures.tokens, shortNumber(tokensOf(answer))],
    [words.figures.dollars, dollars === null ? words.noPrice : formatDollars(dollars)],
  ] as const;
  return (
    <div>
      <h3>{words.cost}</h3>
      <dl className={styles.cost}>
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt className="faint text-12">{name}</dt>
            <dd className="figures strong">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

interface WayProps {
  readonly found: SearchResult;
  readonly answer: GivenAnswer | null;
  readonly scope: string;
  readonly others: ReadonlySet<string> | null;
}

function Way({ found, answer, scope, others }: WayProps) {
  const items = evidenceOf(found, answer);
  const context = answer?.trace?.context;
  const markOf = (item: WhyItem) => (others !== null && !others.has(keyOf(item)) ? words.onlyHere : null);
  return (
    <>
      <RouteList routes={found.routes} />
      {found.routes.map(({ walk }, at) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: a recipe may run a route twice, and the list does not change
        walk === undefined ? null : <CategoryWalk key={at} walk={walk} />,
      )}
      {context !== undefined && (
        <Disclosure title={words.context(context.items.length, formatNumber(context.tokens))}>
          <p className="note">{words.contextNote}</p>
          <ol className={styles.context}>
            {context.items.map((item) => (
              <li key={keyOf(item)}>
                <span className={styles.said}>{item.text}</span>{' '}
                <small className="faint one-line">{words.tokens(formatNumber(item.tokens))}</small>
              </li>
            ))}
          </ol>
          {context.leftOut > 0 && <p className="note">{words.contextLeftOut(context.leftOut)}</p>}
        </Disclosure>
      )}
      {items.length === 0 ? (
        <p className="note">{words.nothingFound}</p>
      ) : (
        <Evidence items={items} scope={scope} markOf={markOf} />
      )}
    </>
  );
}
