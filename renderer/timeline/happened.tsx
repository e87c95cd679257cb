import { useId } from 'react';
import type { OutputOf, Supersession } from '../../main/contract.ts';
import { Notice } from '../kit/feedback.tsx';
import { FactItem } from '../parts/fact/fact-item.tsx';
import { type FactActions, useFactActions } from '../parts/fact/use-fact-actions.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { wordsOfTurn } from '../parts/turn/words-of-turn.ts';
import { useReply } from '../state/connection.tsx';
import { useUi } from '../state/ui.ts';
import { formatDate, formatTime, text } from '../strings/text.ts';
import { FactPair } from './fact-pair.tsx';
import { type Bucket, formatBucket, type TimeUnit } from './time-points.ts';
import styles from './timeline-screen.module.css';

const SHOWN = 12;
/** Changes of which the learned facts are taken. */
const CHANGES = 300;

interface HappenedProps {
  readonly scope: string;
  readonly entity: string | null;
  readonly bucket: Bucket;
  readonly unit: TimeUnit;
}

/** What was said in a time, and which facts began, ended and took the place of others then. */
export function Happened({ scope, entity, bucket, unit }: HappenedProps) {
  const words = text.timeline;
  const title = useId();
  const actions = useFactActions(scope);
  const asked = {
    ...{ scope, from: bucket.start, to: bucket.end },
    ...(entity !== null && { entity }),
  };
  const keep = { keep: true };
  const pairs = useReply('supersessions', { ...asked, limit: SHOWN }, keep);
  const begun = useReply('facts', { ...asked, limit: SHOWN }, keep);
  const ended = useReply('facts', { ...asked, by: 'ended', limit: SHOWN }, keep);
  const turns = useReply('turns', { ...asked, limit: SHOWN }, keep);
  const error = pairs.error ?? begun.error ?? ended.error ?? turns.error;
  const inPairs = idsIn(pairs.data?.items ?? []);
  const others = (facts: OutputOf<'facts'> | undefined) =>
    facts?.items.filter(({ id }) => !inPairs.has(id)) ?? [];
  const isBusy = [pairs, begun, ended, turns].some((each) => each.isPlaceholderData || each.isPending);
  return (
    <section className={styles.section} aria-labelledby={title} aria-busy={isBusy}>
      <h2 id={title}>{words.happened(formatBucket(bucket, unit))}</h2>
      {error && <Notice kind="problem">{error.message}</Notice>}
      <Pairs page={pairs.data} scope={scope} />
      <div className={styles.columns}>
        <Facts
          title={words.begun}
          facts={others(begun.data)}
          page={begun.data}
          scope={scope}
          actions={actions}
        />
        <Facts
          title={words.ended}
          facts={others(ended.data)}
          page={ended.data}
          scope={scope}
          actions={actions}
        />
        <Turns page={turns.data} scope={scope} />
      </div>
      {!isBusy && [pairs, begun, ended, turns].every(({ data }) => data?.total === 0) && (
        <p className="note">{words.nothing}</p>
      )}
    </section>
  );
}

/** What memory learned in a time. Changes are of the whole scope: only what superseded what is narrowed to an entity. */
export function LearnedThen({ scope, entity, bucket, unit }: HappenedProps) {
  const words = text.timeline;
  const title = useId();
  const pairs = useReply(
    'supersessions',
    {
      ...{ scope, by: 'known', from: bucket.start, to: bucket.end, limit: SHOWN },
      ...(entity !== null && { entity }),
    },
    { keep: true },
  );
  const changes = useReply('recentChanges', { scope, before: bucket.end, limit: CHANGES }, { keep: true });
  const inPairs = new Set(pairs.data?.items.map(({ newer }): string => newer.id));
  const learned = (changes.data?.changes ?? []).flatMap((change) =>
    change.type === 'learned' &&
    change.what === 'fact' &&
    change.at >= bucket.start &&
    !inPairs.has(change.fact)
      ? [change]
      : [],
  );
  const isBusy = pairs.isPending || changes.isPending || pairs.isPlaceholderData || changes.isPlaceholderData;
  const error = pairs.error ?? changes.error;
  return (
    <section className={styles.section} aria-labelledby={title} aria-busy={isBusy}>
      <h2 id={title}>{words.learnedThen(formatBucket(bucket, unit))}</h2>
      {error && <Notice kind="problem">{error.message}</Notice>}
      <Pairs page={pairs.data} scope={scope} />
      {learned.length > 0 && (
        <>
          <h3>{words.learned}</h3>
          <ul className="stack gap-1 text-14">
            {learned.slice(0, SHOWN).map(({ fact, statement, at }) => (
              <li key={fact}>
                {statement} <time className="note">{formatTime(at)}</time>
              </li>
            ))}
          </ul>
          <More count={learned.length - SHOWN} />
        </>
      )}
      {!isBusy && learned.length + (pairs.data?.total ?? 0) === 0 && <p className="note">{words.nothing}</p>}
    </section>
  );
}

const idsIn = (pairs: readonly Supersession[]): ReadonlySet<string> =>
  new Set(pairs.flatMap(({ older, newer }) => [older.id, newer.id]));

function Pairs({
  page,
  scope,
}: {
  readonly page: OutputOf<'supersessions'> | undefined;
  readonly scope: string;
}) {
  if (page === undefined || page.items.length === 0) return null;
  return (
    <>
      <h3>{text.timeline.replaced}</h3>
      <ul className={styles.list}>
        {page.items.map((pair) => (
          <FactPair key={pair.id} pair={pair} scope={scope} />
        ))}
      </ul>
      <More count={page.total - page.items.length} />
    </>
  );
}

interface FactsProps {
  readonly title: string;
  /** Those of the page that no pair shows. */
  readonly facts: OutputOf<'facts'>['items'];
  readonly page: OutputOf<'facts'> | undefined;
  readonly scope: string;
  readonly actions: FactActions;
}

function Facts({ title, facts, page, scope, actions }: FactsProps) {
  const id = useId();
  if (facts.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <ul>
        {facts.map((fact) => (
          <FactItem key={fact.id} fact={fact} scope={scope} actions={actions} />
        ))}
      </ul>
      <More count={(page?.total ?? 0) - (page?.items.length ?? 0)} />
    </section>
  );
}

function Turns({ page, scope }: { readonly page: OutputOf<'turns'> | undefined; readonly scope: string }) {
  const id = useId();
  const { set } = useUi();
  if (page === undefined || page.items.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>{text.timeline.said}</h3>
      <ul className="stack gap-1 text-14">
        {page.items.map(({ id: episode, speaker, validAt, ...turn }) => (
          <li key={episode}>
            <button
              type="button"
              className={styles.turn}
              onClick={() => set({ inspected: { kind: 'source', scope, episode } })}
            >
              <span>{wordsOfTurn(turn)}</span>
              <small>
                {speakerName(speaker)} · {formatDate(validAt)}
              </small>
            </button>
          </li>
        ))}
      </ul>
      <More count={page.total - page.items.length} />
    </section>
  );
}

function More({ count }: { readonly count: number }) {
  return count > 0 ? <p className="note">{text.timeline.notShown(count)}</p> : null;
}
