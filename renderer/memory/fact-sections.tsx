import { ChevronRight, History } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { PortraitFact } from '../../main/contract.ts';
import { MoreButton } from '../kit/button.tsx';
import { FactItem, RejectedItem } from '../parts/fact/fact-item.tsx';
import type { FactActions, Rejected } from '../parts/fact/use-fact-actions.ts';
import { formatNumber, text } from '../strings/text.ts';
import { inColumns } from './columns.ts';
import styles from './fact-sections.module.css';
import type { ShownSection } from './portrait-sections.ts';

/** Facts of a card at first, and on each further page: long lists stay quick. */
const [FEW, PAGE] = [6, 40];

interface ListProps {
  readonly scope: string;
  readonly actions: FactActions;
  readonly query: string;
}

interface SectionsProps extends ListProps {
  readonly sections: readonly ShownSection[];
  readonly rejected: readonly Rejected[];
}

/** A card for each section, in one column or two. */
export function FactSections({ sections, rejected, ...list }: SectionsProps) {
  const [columns, measure] = useColumns();
  const heightOf = ({ facts }: ShownSection) => 2 + Math.min(facts.length, FEW);
  return (
    <>
      {rejected.length > 0 && (
        <ul className={styles.card}>
          {rejected.map((item) => (
            <RejectedItem key={item.correction} item={item} actions={list.actions} />
          ))}
        </ul>
      )}
      <div ref={measure} className="flex at-top gap-4">
        {inColumns(sections, Math.min(columns, Math.max(1, sections.length)), heightOf).map((column, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
          <div key={at} className={styles.column}>
            {column.map((section) => (
              <Section key={section.key} section={section} {...list} />
            ))}
          </div>
        ))}
      </div>
    </>
  );
}

function Section({ section, ...list }: ListProps & { readonly section: ShownSection }) {
  const { title, facts, unlisted } = section;
  return (
    <section className={styles.card} aria-label={title}>
      <h2 className="flex apart at-baseline gap-2 may-break text-16 below-1">
        <span>{title}</span>
        <b className="note keeps-size figures medium">{formatNumber(facts.length + unlisted)}</b>
      </h2>
      <Facts facts={facts} {...list} />
      {unlisted > 0 && <p className="note above-2">{text.memory.portrait.notListed(unlisted)}</p>}
    </section>
  );
}

function Facts({ facts, scope, actions, query }: ListProps & { readonly facts: readonly PortraitFact[] }) {
  const words = text.memory.portrait;
  const [most, setMost] = useState(FEW);
  // One more line takes no more room than the button.
  const shown = facts.length <= most + 1 ? facts : facts.slice(0, most);
  const left = facts.length - shown.length;
  return (
    <>
      <ul className="divided">
        {shown.map((fact) => (
          <FactItem
            key={fact.id}
            fact={fact}
            said={fact.said}
            scope={scope}
            actions={actions}
            query={query}
          />
        ))}
      </ul>
      <div className={`flex gap-1 ${styles.more}`}>
        <MoreButton isShown={left > 0} onClick={() => setMost(most + PAGE)}>
          {words.showMore(left)}
        </MoreButton>
        <MoreButton isShown={most > FEW} onClick={() => setMost(FEW)}>
          {words.showLess}
        </MoreButton>
      </div>
    </>
  );
}

interface PastProps extends ListProps {
  readonly facts: readonly PortraitFact[];
  readonly isOpen: boolean;
}

/** Facts that held once, folded at first. */
export function PastFacts({ facts, isOpen, ...list }: PastProps) {
  const words = text.memory.portrait;
  const [isShown, setShown] = useState(isOpen);
  return (
    <section className={`${styles.card} ${styles.past}`} aria-label={words.earlier}>
      <h2>
        <button
          type="button"
          className={styles.fold}
          aria-expanded={isShown}
          onClick={() => setShown(!isShown)}
        >
          <History className="faint" size={17} aria-hidden />
          <span>{words.earlier}</span>
          <small className="note">{words.earlierText(facts.length)}</small>
          <ChevronRight className="faint" size={17} aria-hidden />
        </button>
      </h2>
      {isShown && <Facts facts={facts} {...list} />}
    </section>
  );
}

/** Narrower columns would break most lines. */
const LEAST_WIDTH = 300;

/** How many columns fit. */
function useColumns(): [number, React.RefCallback<HTMLElement>] {
  const [columns, setColumns] = useState(1);
  const measure = useCallback((element: HTMLElement | null) => {
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) =>
      setColumns(entry !== undefined && entry.contentRect.width >= 2 * LEAST_WIDTH ? 2 : 1),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [columns, measure];
}
