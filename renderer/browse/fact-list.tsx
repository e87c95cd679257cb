import { useRef } from 'react';
import { Button } from '../kit/button.tsx';
import { Notice, Skeleton } from '../kit/feedback.tsx';
import { FactItem, RejectedItem } from '../parts/fact/fact-item.tsx';
import type { FactActions } from '../parts/fact/use-fact-actions.ts';
import { text } from '../strings/text.ts';
import styles from './page.module.css';
import { useFactPages } from './use-pages.ts';

interface FactListProps {
  readonly scope: string;
  readonly actions: FactActions;
  readonly entity?: string;
  readonly category?: string;
  readonly state?: 'holds' | 'ended' | 'any';
}

const PAGE = 40;

/** The list that the page of an entity begins with. */
export const firstFacts = (scope: string, entity: string) =>
  ({ scope, entity, state: 'holds', limit: PAGE }) as const;

/** The latest facts first, with what a person can do to each. */
export function FactList({ scope, actions, ...about }: FactListProps) {
  const words = text.browse.entity;
  const pages = useFactPages({ scope, ...about, limit: PAGE });
  // What was rejected here stays where it was, with a way back.
  const seen = useRef(new Set<string>());
  for (const { id } of pages.items) seen.current.add(id);
  const shown = new Set(pages.items.map(({ id }) => id as string));
  const rejected = actions.rejected.filter(({ line }) => seen.current.has(line.id) && !shown.has(line.id));
  if (pages.problem !== null) return <Notice kind="problem">{pages.problem}</Notice>;
  if (pages.isLoading)
    return (
      <div role="status" aria-label={text.app.loading} className="stack gap-3">
        <Skeleton height={44} />
        <Skeleton height={44} />
        <Skeleton height={44} />
      </div>
    );
  if (pages.items.length + rejected.length === 0) return <p className="soft text-14">{words.noFacts}</p>;
  return (
    <>
      <ul className={styles.card}>
        {rejected.map((item) => (
          <RejectedItem key={item.correction} item={item} actions={actions} />
        ))}
        {pages.items.map((fact) => (
          <FactItem key={fact.id} fact={fact} scope={scope} actions={actions} />
        ))}
      </ul>
      {pages.hasMore && (
        <Button kind="quiet" size="small" onClick={pages.more}>
          {words.more}
        </Button>
      )}
    </>
  );
}
