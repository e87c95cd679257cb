import { Undo2 } from 'lucide-react';
import type { EntityPage } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Notice, Skeleton } from '../kit/feedback.tsx';
import { formatDate, text } from '../strings/text.ts';
import styles from './page.module.css';
import type { EntityActions } from './use-entity-actions.ts';
import { useEntityHistory } from './use-pages.ts';

interface HistoryProps {
  readonly scope: string;
  readonly page: EntityPage;
  readonly actions: EntityActions;
}

/** Profiles, and facts, that are asked for at once. */
const PAGE = 200;

/** How an entity came to be what it is: corrections with their undo, profiles, facts that are no longer believed. */
export function EntityHistory({ scope, page, actions }: HistoryProps) {
  const words = text.browse.entity;
  const { history, error } = useEntityHistory({ scope, entity: page.id, limit: PAGE });
  if (error) return <Notice kind="problem">{error.message}</Notice>;
  if (history === undefined)
    return (
      <div role="status" aria-label={text.app.loading} className="stack gap-3">
        <Skeleton height={60} />
        <Skeleton height={60} />
      </div>
    );
  const open = new Set(page.corrections.map(({ id }) => id as string));
  const known = new Set(history.corrections.map(({ id }) => id as string));
  // Those of entities that were merged into it are on the page only.
  const corrections = [
    ...page.corrections.filter(({ id }) => !known.has(id)),
    ...history.corrections.toReversed(),
  ];
  const former = history.facts.filter(({ expiredAt }) => expiredAt !== null);
  return (
    <>
      <section className={styles.part} aria-label={words.corrections}>
        <h2>{words.corrections}</h2>
        {corrections.length === 0 && <p className="soft text-14">{words.noCorrections}</p>}
        {corrections.length > 0 && (
          <ul className={styles.card}>
            {corrections.map(({ id, description, author, createdAt, undoneAt, kind }) => (
              <li key={id} className={styles.record}>
                <div>
                  <p>{description}</p>
                  <p className={styles.faint}>
                    {words.by(author === 'user' ? text.memory.feed.you : author, formatDate(createdAt))}
                    {undoneAt !== null && ` · ${words.undone}`}
                  </p>
                </div>
                {kind !== 'undo' && undoneAt === null && open.has(id) && (
                  <Button size="small" kind="quiet" icon={Undo2} onClick={() => void actions.undo(id)}>
                    {text.app.undo}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </section>
      <section className={styles.part} aria-label={words.profiles}>
        <h2>{words.profiles}</h2>
        <ul className={styles.card}>
          {history.profiles.toReversed().map(({ id, name, aliases, summary, createdAt, expiredAt }) => (
            <li key={id} className={styles.record}>
              <div>
                <p>
                  <strong>{name}</strong>
                  {aliases.length > 0 && <span className={styles.faint}> · {aliases.join(', ')}</span>}
                </p>
                {summary !== '' && <p>{summary}</p>}
                <p className={styles.faint}>
                  {formatDate(createdAt)} – {expiredAt === null ? words.current : formatDate(expiredAt)}
                </p>
              </div>
            </li>
          ))}
        </ul>
        {history.hasMoreProfiles && (
          <Button kind="quiet" size="small" onClick={history.more}>
            {words.more}
          </Button>
        )}
      </section>
      <section className={styles.part} aria-label={words.superseded}>
        <h2>{words.superseded}</h2>
        {former.length === 0 && !history.hasMoreFacts && <p className="soft text-14">{words.noSuperseded}</p>}
        {former.length > 0 && (
          <ul className={styles.card}>
            {former.map(({ id, statement, expiredAt }) => (
              <li key={id} className={styles.record}>
                <div>
                  <p>
                    <s>{statement}</s>
                  </p>
                  <p className={styles.faint}>{words.expiredOn(formatDate(expiredAt ?? 0))}</p>
                </div>
              </li>
            ))}
          </ul>
        )}
        {history.hasMoreFacts && (
          <>
            <p className={styles.faint}>{words.lookedThrough(history.facts.length, history.totalFacts)}</p>
            <Button kind="quiet" size="small" onClick={history.more}>
              {words.more}
            </Button>
          </>
        )}
      </section>
    </>
  );
}
