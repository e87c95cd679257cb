import { Eraser } from 'lucide-react';
import type { ChangeEvent } from '../../main/contract.ts';
import { Disclosure } from '../kit/choice.tsx';
import { Notice } from '../kit/feedback.tsx';
import { useReply } from '../state/connection.tsx';
import { formatDateTime, text } from '../strings/text.ts';
import { EraseFromDisk } from './erase-from-disk.tsx';
import styles from './forget-screen.module.css';

/** The changes that are looked through. */
const LATEST = 500;

type Forgot = Extract<ChangeEvent, { readonly type: 'forgot' | 'retained' }>;

/** What was forgotten of late: when, and how much. The way to erase it from the disk, where no result offers it. */
export function ForgetHistory({ scope, hasErase }: { readonly scope: string; readonly hasErase: boolean }) {
  const words = text.forget;
  const { data, error } = useReply('recentChanges', { scope, limit: LATEST });
  const entries = data?.changes.filter(
    (each): each is Forgot => each.type === 'forgot' || each.type === 'retained',
  );
  if (error !== null) return <Notice kind="problem">{error.message}</Notice>;
  if (entries === undefined) return null;
  return (
    <section className={styles.history} aria-labelledby="forgotten-so-far">
      <h2 id="forgotten-so-far" className="text-16">
        {words.history}
      </h2>
      {entries.length === 0 ? (
        <p className="soft text-14">{words.historyNone}</p>
      ) : (
        <>
          <p className="soft text-14">{words.historyLead}</p>
          <ul>
            {entries.map((entry) => (
              <li key={entry.correction} className={styles.entry}>
                <Eraser size={14} className="faint" aria-hidden />
                <span>{wordsOf(entry)}</span>
                <time className="note" dateTime={new Date(entry.at).toISOString()}>
                  {formatDateTime(entry.at)} {entry.author === 'user' ? words.you : words.by_(entry.author)}
                </time>
              </li>
            ))}
          </ul>
          {hasErase && (
            <Disclosure title={words.eraseLater}>
              <EraseFromDisk />
            </Disclosure>
          )}
        </>
      )}
      <p className="soft text-14">
        {words.retention} <a href="#/settings/memory">{words.retentionLink}</a>
      </p>
    </section>
  );
}

function wordsOf({ type, counts }: Forgot): string {
  const turns = counts.episode ?? 0;
  if (type === 'retained') return text.forget.retained(turns);
  return text.forget.entry(
    turns,
    Object.values(counts).reduce((sum, count) => sum + count, 0),
  );
}
