import { Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import type { EntityPage, OutputOf } from '../../main/contract.ts';
import { Button, MoreButton } from '../kit/button.tsx';
import { Loading, Notice } from '../kit/feedback.tsx';
import type { Corrections } from '../parts/fact/use-corrections.ts';
import { formatDate, text } from '../strings/text.ts';
import styles from './page.module.css';
import { Part } from './page-parts.tsx';
import { useEntityHistory } from './use-lists.ts';

interface HistoryProps {
  readonly scope: string;
  readonly page: EntityPage;
  readonly actions: Corrections;
}

/** Profiles, and facts, that are asked for at once. */
const PAGE = 200;

/** How an entity came to be what it is: corrections with their undo, profiles, facts that are no longer believed. */
export function EntityHistory({ scope, page, actions }: HistoryProps) {
  const words = text.browse.entity;
  const { history, error } = useEntityHistory({ scope, entity: page.id, limit: PAGE });
  if (error) return <Notice kind="problem">{error.message}</Notice>;
  if (history === undefined) return <Loading bars={[[60], [60]]} />;
  const former = history.facts.filter(({ expiredAt }) => expiredAt !== null);
  return (
    <>
      <CorrectionList page={page} corrections={history.corrections} actions={actions} />
      <Part title={words.profiles}>
        <ul className={styles.card}>
          {history.profiles.toReversed().map((profile) => (
            <Profile key={profile.id} profile={profile} />
          ))}
        </ul>
        <MoreButton isShown={history.hasMoreProfiles} onClick={history.more}>
          {words.more}
        </MoreButton>
      </Part>
      <Part title={words.superseded}>
        {former.length === 0 && !history.hasMoreFacts && <p className="soft text-14">{words.noSuperseded}</p>}
        {former.length > 0 && (
          <ul className={styles.card}>
            {former.map(({ id, statement, expiredAt }) => (
              <Entry key={id} note={words.expiredOn(formatDate(expiredAt ?? 0))}>
                <p>
                  <s>{statement}</s>
                </p>
              </Entry>
            ))}
          </ul>
        )}
        {history.hasMoreFacts && (
          <p className="faint text-14">{words.lookedThrough(history.facts.length, history.totalFacts)}</p>
        )}
        <MoreButton isShown={history.hasMoreFacts} onClick={history.more}>
          {words.more}
        </MoreButton>
      </Part>
    </>
  );
}

interface CorrectionsProps extends Pick<HistoryProps, 'page' | 'actions'> {
  readonly corrections: OutputOf<'entity'>['corrections'];
}

function CorrectionList({ page, corrections, actions }: CorrectionsProps) {
  const words = text.browse.entity;
  const open = new Set(page.corrections.map(({ id }) => id as string));
  const known = new Set(corrections.map(({ id }) => id as string));
  // Those of entities that were merged into it are on the page only.
  const all = [...page.corrections.filter(({ id }) => !known.has(id)), ...corrections.toReversed()];
  return (
    <Part title={words.corrections}>
      {all.length === 0 && <p className="soft text-14">{words.noCorrections}</p>}
      {all.length > 0 && (
        <ul className={styles.card}>
          {all.map(({ id, description, author, createdAt, undoneAt, kind }) => {
            const made = words.by(author === 'user' ? text.memory.feed.you : author, formatDate(createdAt));
            const canUndo = kind !== 'undo' && undoneAt === null && open.has(id);
            return (
              <Entry
                key={id}
                note={undoneAt === null ? made : `${made} · ${words.undone}`}
                onUndo={canUndo ? () => void actions.undo(id) : undefined}
              >
                <p>{description}</p>
              </Entry>
            );
          })}
        </ul>
      )}
    </Part>
  );
}

function Profile({ profile }: { readonly profile: OutputOf<'entity'>['profiles']['items'][number] }) {
  const { name, aliases, summary, createdAt, expiredAt } = profile;
  const end = expiredAt === null ? text.browse.entity.current : formatDate(expiredAt);
  return (
    <Entry note={`${formatDate(createdAt)} – ${end}`}>
      <p>
        <strong>{name}</strong>
        {aliases.length > 0 && <span className="faint text-14"> · {aliases.join(', ')}</span>}
      </p>
      {summary !== '' && <p>{summary}</p>}
    </Entry>
  );
}

interface EntryProps {
  readonly note: string;
  readonly onUndo?: (() => void) | undefined;
  readonly children: ReactNode;
}

function Entry({ note, onUndo, children }: EntryProps) {
  return (
    <li className={styles.record}>
      <div className="may-narrow may-break">
        {children}
        <p className="faint text-14">{note}</p>
      </div>
      {onUndo && (
        <Button size="small" kind="quiet" icon={Undo2} onClick={onUndo}>
          {text.app.undo}
        </Button>
      )}
    </li>
  );
}
