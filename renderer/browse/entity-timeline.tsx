import { useMemo } from 'react';
import type { FactLine, OutputOf } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Notice, Skeleton } from '../kit/feedback.tsx';
import { datesOf } from '../parts/fact/fact-dates.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { wordsOfTurn } from '../parts/turn/words-of-turn.ts';
import { useUi } from '../state/ui.ts';
import { text } from '../strings/text.ts';
import { type Month, monthsOf } from './months.ts';
import styles from './page.module.css';
import { useFactPages, useTurnPages } from './use-pages.ts';

type Turn = OutputOf<'turns'>['items'][number];

interface TimelineProps {
  readonly scope: string;
  readonly entity: string;
}

/** Turns of a month that are listed one by one. */
const FEW_TURNS = 3;

/** What was said of an entity, and what began to hold of it, month by month, the latest first. */
export function EntityTimeline({ scope, entity }: TimelineProps) {
  const words = text.browse.entity;
  const facts = useFactPages({ scope, entity, limit: 100 });
  const turns = useTurnPages({ scope, entity, limit: 100 });
  const months = useMemo(() => monthsOf(facts, turns), [facts, turns]);
  const problem = facts.problem ?? turns.problem;
  if (problem !== null) return <Notice kind="problem">{problem}</Notice>;
  if (facts.isLoading || turns.isLoading)
    return (
      <div role="status" aria-label={text.app.loading} className="stack gap-3">
        <Skeleton height={90} />
        <Skeleton height={90} />
      </div>
    );
  if (months.length === 0) return <p className="soft text-14">{words.noFacts}</p>;
  return (
    <>
      <ol className="full-width">
        {months.map((month) => (
          <MonthItem key={month.key} month={month} scope={scope} />
        ))}
      </ol>
      {(facts.hasMore || turns.hasMore) && (
        <Button
          kind="quiet"
          size="small"
          onClick={() => {
            facts.more();
            turns.more();
          }}
        >
          {words.earlier}
        </Button>
      )}
    </>
  );
}

const nameOfMonth = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', month: 'long', year: 'numeric' });

function MonthItem({ month, scope }: { readonly month: Month<FactLine, Turn>; readonly scope: string }) {
  const words = text.browse;
  const { set } = useUi();
  const open = (episode: string) => set({ inspected: { kind: 'source', scope, episode } });
  return (
    <li className={styles.month}>
      <h3>{nameOfMonth.format(month.start)}</h3>
      {month.facts.length > 0 && (
        <ul className={styles.events}>
          {month.facts.map((fact) => {
            const [source] = fact.sources;
            return (
              <li key={fact.id}>
                {fact.statement} <small>{datesOf(fact)}</small>{' '}
                {source !== undefined && (
                  <button type="button" className={styles.link} onClick={() => open(source.episode)}>
                    {text.memory.fact.source}
                  </button>
                )}
              </li>
            );
          })}
        </ul>
      )}
      {month.turns.length > 0 && (
        <>
          <p className={styles.faint}>{words.counts.turns(month.turns.length)}</p>
          <ul className="stack gap-1 may-break">
            {month.turns.slice(0, FEW_TURNS).map(({ id, speaker, ...turn }) => (
              <li key={id}>
                <button type="button" className={styles.quote} onClick={() => open(id)}>
                  <b>{speakerName(speaker)}</b> {wordsOfTurn(turn)}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </li>
  );
}
