import {
  Ban,
  BookOpen,
  Combine,
  Eraser,
  History,
  type LucideIcon,
  MessageSquareText,
  Pencil,
  RefreshCw,
  Replace,
  Sparkles,
  Split,
  Undo2,
  UserPlus,
} from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { ChangeEvent, OutputOf } from '../../main/contract.ts';
import { MoreButton } from '../kit/button.tsx';
import { Notice, Skeleton } from '../kit/feedback.tsx';
import { useSessionTitles } from '../parts/conversation/use-session-titles.ts';
import type { FactActions } from '../parts/fact/use-fact-actions.ts';
import { sessionName } from '../parts/turn/source-name.ts';
import { useClient } from '../state/connection.tsx';
import { openSource } from '../state/ui.ts';
import { usePages } from '../state/use-pages.ts';
import { formatDate, formatTime, text } from '../strings/text.ts';
import styles from './change-feed.module.css';
import { type FeedEntry, feedOf } from './feed.ts';

const PAGE = 60;
/** Statements and names that an entry lists. */
const FEW = 3;

interface FeedProps {
  readonly scope: string;
  readonly actions: FactActions;
}

/** What changed in memory, the newest first, page by page. */
export function ChangeFeed({ scope, actions }: FeedProps) {
  const words = text.memory.feed;
  const client = useClient();
  const list = usePages<OutputOf<'recentChanges'>>(['recentChanges', scope], (before, options) =>
    client.recentChanges({ scope, limit: PAGE, ...(before !== null && { before }) }, options),
  );
  const days = feedOf(list.pages.flatMap(({ changes }) => changes));
  return (
    <aside className="stack gap-3 may-narrow" aria-label={words.title}>
      <h2 className="text-16">{words.title}</h2>
      {list.isLoading && <Skeleton height={120} />}
      {list.problem !== null && <Notice kind="problem">{list.problem}</Notice>}
      {!list.isLoading && list.problem === null && days.length === 0 && (
        <p className="soft text-14">{words.none}</p>
      )}
      {days.map(({ day, entries }) => (
        <section key={day} aria-label={dayName(day)}>
          <h3 className="caption below-1">{dayName(day)}</h3>
          <ul>
            {entries.map((entry) => (
              <Entry key={entry.key} entry={entry} scope={scope} actions={actions} />
            ))}
          </ul>
        </section>
      ))}
      <MoreButton isShown={list.hasMore} disabled={list.isFetchingMore} onClick={list.more}>
        {words.more}
      </MoreButton>
    </aside>
  );
}

function dayName(day: number): string {
  const today = new Date().setHours(0, 0, 0, 0);
  if (day === today) return text.side.today;
  return new Date(today - 1).setHours(0, 0, 0, 0) === day ? text.side.yesterday : formatDate(day);
}

interface EntryProps extends FeedProps {
  readonly entry: FeedEntry;
}

function Entry({ entry, scope, actions }: EntryProps) {
  const words = text.memory.feed;
  const [isWhole, setWhole] = useState(false);
  const titles = useSessionTitles(scope);
  if (entry.kind === 'stored') {
    return (
      <Line icon={MessageSquareText} at={entry.at} title={words.stored(entry.turns.length)}>
        <button
          type="button"
          className="text-link"
          onClick={() => openSource(scope, entry.turns[0]!.episode)}
        >
          {words.storedIn(titles.get(entry.session) ?? sessionName(entry.session))}
        </button>
      </Line>
    );
  }
  if (entry.kind === 'facts')
    return (
      <Line icon={Sparkles} at={entry.at} title={words.learned(entry.facts.length)} isStrong>
        {(isWhole ? entry.facts : entry.facts.slice(0, FEW)).map(({ fact, statement }) => (
          <p key={fact}>{statement}</p>
        ))}
        {entry.facts.length > FEW && !isWhole && (
          <button type="button" className="text-link" onClick={() => setWhole(true)}>
            {words.andMore(entry.facts.length - FEW)}
          </button>
        )}
      </Line>
    );
  if (entry.kind === 'entities')
    return (
      <Line
        icon={UserPlus}
        at={entry.at}
        title={words.met(entry.names.slice(0, FEW), Math.max(0, entry.names.length - FEW))}
      />
    );
  return <Event event={entry.event} actions={actions} />;
}

type Single = Extract<FeedEntry, { readonly kind: 'event' }>['event'];

function Event({ event, actions }: { readonly event: Single; readonly actions: FactActions }) {
  const words = text.memory.feed;
  const { at } = event;
  switch (event.type) {
    case 'superseded':
      return (
        <Line icon={Replace} at={at} title={words.superseded} isStrong>
          {event.supersededStatement !== null && (
            <p className="faint">
              <s>{event.supersededStatement}</s>
            </p>
          )}
          <p>{event.statement}</p>
        </Line>
      );
    case 'withdrawn':
      return (
        <Line icon={Ban} at={at} title={words.withdrawn}>
          <p className="faint">{event.statement}</p>
        </Line>
      );
    case 'corrected':
    case 'merged':
    case 'split':
      return (
        <Line
          icon={event.type === 'merged' ? Combine : event.type === 'split' ? Split : Pencil}
          at={at}
          title={`${correctionWords(event)} ${author(event.author)}`}
        >
          {event.about.slice(0, FEW).map(({ id, text: said }) => (
            <p key={id}>{said}</p>
          ))}
          {actions.isOpen(event.correction) && (
            <button type="button" className="text-link" onClick={() => void actions.undo(event.correction)}>
              {text.app.undo}
            </button>
          )}
        </Line>
      );
    case 'undone':
      return <Line icon={Undo2} at={at} title={`${words.undone} ${author(event.author)}`} />;
    case 'forgot': {
      const turns = event.counts.episode ?? 0;
      return <Line icon={Eraser} at={at} title={turns > 0 ? words.forgot(turns) : words.forgotOther} />;
    }
    case 'retained':
      return <Line icon={History} at={at} title={words.retained(event.counts.episode ?? 0)} />;
    case 'rederived':
      return <Line icon={RefreshCw} at={at} title={words.rederived} />;
    case 'restored':
      return <Line icon={BookOpen} at={at} title={words.restored} />;
  }
}

function correctionWords({
  type,
  kind,
}: Extract<ChangeEvent, { type: 'corrected' | 'merged' | 'split' }>): string {
  const words = text.memory.feed;
  if (type !== 'corrected') return words[type];
  return words.corrected[kind] ?? words.correctedOther;
}

const author = (name: string) => (name === 'user' ? text.memory.feed.you : name);

interface LineProps {
  readonly icon: LucideIcon;
  readonly at: number;
  readonly title: string;
  readonly isStrong?: boolean;
  readonly children?: ReactNode;
}

function Line({ icon: Icon, at, title, isStrong = false, children }: LineProps) {
  return (
    <li className={styles.entry}>
      <span className={`${styles.icon} ${isStrong ? 'accent' : ''}`} data-strong={isStrong || undefined}>
        <Icon size={14} aria-hidden />
      </span>
      <div className={styles.words}>
        <p className={styles.what}>
          <span>{title}</span>
          <time dateTime={new Date(at).toISOString()}>{formatTime(at)}</time>
        </p>
        {children}
      </div>
    </li>
  );
}
