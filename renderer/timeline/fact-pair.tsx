import { ArrowRight } from 'lucide-react';
import type { FactLine, Supersession } from '../../main/contract.ts';
import { datesOf, formatFactDate } from '../parts/fact/fact-dates.ts';
import { openSource } from '../state/ui.ts';
import { formatDate, text } from '../strings/text.ts';
import { timelineText } from '../strings/timeline-text.ts';
import styles from './fact-pair.module.css';

interface PairProps {
  readonly pair: Supersession;
  readonly scope: string;
  /** Moves the slider to the time of the change. */
  readonly onShow?: (() => void) | undefined;
}

/** A fact and the one that took its place. */
export function FactPair({ pair, scope, onShow }: PairProps) {
  const words = timelineText;
  const { how, older, newer, heldSince, learnedAt } = pair;
  return (
    <li className={styles.pair}>
      <div className={styles.facts}>
        <Side fact={older} scope={scope} label={words.older} isOver />
        <span className={`${styles.arrow} ${how === 'corrected' ? 'warned' : 'accent'}`}>
          <ArrowRight size={16} aria-label={words.how[how]} />
        </span>
        <Side fact={newer} scope={scope} label={words.newer} />
      </div>
      <p className="flow apart note above-2 gap-2px">
        <span>
          {words.how[how]} {words.heldSince(formatFactDate(heldSince))},{' '}
          {words.learnedAt(formatDate(learnedAt))}
        </span>
        {onShow !== undefined && (
          <button type="button" className="text-link" onClick={onShow}>
            {words.show}
          </button>
        )}
      </p>
    </li>
  );
}

interface SideProps {
  readonly fact: FactLine;
  readonly scope: string;
  readonly label: string;
  readonly isOver?: boolean;
}

function Side({ fact, scope, label, isOver = false }: SideProps) {
  const [source] = fact.sources;
  const dates = datesOf(fact);
  return (
    <div>
      <span className="visually-hidden">{label}: </span>
      <p className="text-14 may-break">
        {isOver ? <s className="soft">{fact.statement}</s> : fact.statement}
      </p>
      <p className="flow note gap-2">
        {dates !== null && <span>{dates}</span>}
        {source !== undefined && (
          <button
            type="button"
            className="text-link"
            aria-label={timelineText.source(fact.statement)}
            onClick={() => openSource(scope, source.episode)}
          >
            {text.memory.fact.source}
          </button>
        )}
      </p>
    </div>
  );
}
