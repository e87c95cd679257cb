import { useMemo } from 'react';
import type { FactLine, OutputOf } from '../../main/contract.ts';
import { MoreButton } from '../kit/button.tsx';
import { datesOf } from '../parts/fact/fact-dates.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { wordsOfTurn } from '../parts/turn/words-of-turn.ts';
import { openSource } from '../state/ui.ts';
import { text } from '../strings/text.ts';
import { type Month, monthsOf } from './months.ts';
import styles from './page.module.css';
import { ListBody } from './page-parts.tsx';
import { useFactPages, useTurnPages } from './use-lists.ts';

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
  const list = {
    problem: facts.problem ?? turns.problem,
    isLoading: facts.isLoading || turns.isLoading,
  };
  const more = () => {
    facts.more();
    turns.more();
  };
  return (
    <ListBody list={list} bars={[90, 90]} none={months.length === 0 ? words.noFacts : null}>
      <ol className="full-width">
        {months.map((month) => (
          <MonthItem key={month.key} month={month} scope={scope} />
        ))}
      </ol>
      <MoreButton isShown={facts.hasMore || turns.hasMore} onClick={more}>
        {words.earlier}
      </MoreButton>
    </ListBody>
  );
}

const nameOfMonth = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', month: 'long', year: 'numeric' });

function MonthItem({ month, scope }: { readonly month: Month<FactLine, Turn>; readonly scope: string }) {
  return (
    <li className={styles.month}>
      <h3>{nameOfMonth.format(month.start)}</h3>
      {month.facts.length > 0 && (
        <ul className="stack gap-1 may-break">
          {month.facts.map((fact) => {
            const [source] = fact.sources;
            return (
              <li key={fact.id}>
                {fact.statement} <small className="soft">{datesOf(fact)}</small>{' '}
                {source !== undefined && (
                  <button
                    type="button"
                    className="underlined text-13"
                    onClick={() => openSource(scope, source.episode)}
                  >
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
          <p className="faint text-14">{text.browse.counts.turns(month.turns.length)}</p>
          <ul className="stack gap-1 may-break">
            {month.turns.slice(0, FEW_TURNS).map(({ id, speaker, ...turn }) => (
              <li key={id}>
                <button type="button" className={styles.quote} onClick={() => openSource(scope, id)}>
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
