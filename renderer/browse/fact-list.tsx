import { useRef } from 'react';
import { MoreButton } from '../kit/button.tsx';
import { FactItem, RejectedItem } from '../parts/fact/fact-item.tsx';
import type { FactActions } from '../parts/fact/use-fact-actions.ts';
import { text } from '../strings/text.ts';
import styles from './page.module.css';
import { ListBody } from './page-parts.tsx';
import { useFactPages } from './use-lists.ts';

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
  const list = useFactPages({ scope, ...about, limit: PAGE });
  // What was rejected here stays where it was, with a way back.
  const seen = useRef(new Set<string>());
  for (const { id } of list.items) seen.current.add(id);
  const shown = new Set(list.items.map(({ id }) => id as string));
  const rejected = actions.rejected.filter(({ line }) => seen.current.has(line.id) && !shown.has(line.id));
  const isEmpty = list.items.length + rejected.length === 0;
  return (
    <ListBody list={list} bars={[44, 44, 44]} none={isEmpty ? words.noFacts : null}>
      <ul className={styles.card}>
        {rejected.map((item) => (
          <RejectedItem key={item.correction} item={item} actions={actions} />
        ))}
        {list.items.map((fact) => (
          <FactItem key={fact.id} fact={fact} scope={scope} actions={actions} />
        ))}
      </ul>
      <MoreButton isShown={list.hasMore} onClick={list.more}>
        {words.more}
      </MoreButton>
    </ListBody>
  );
}
