import { type ReactNode, useId } from 'react';
import { firstImage, imageId, type OutputOf } from '../../main/contract.ts';
import { Notice } from '../kit/feedback.tsx';
import { FactItem } from '../parts/fact/fact-item.tsx';
import { type FactActions, useFactActions } from '../parts/fact/use-fact-actions.ts';
import { MemoryImage } from '../parts/image/memory-image.tsx';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { wordsOfTurn } from '../parts/turn/words-of-turn.ts';
import { useReply } from '../state/connection.tsx';
import { openSource } from '../state/ui.ts';
import { formatDate, formatTime } from '../strings/text.ts';
import { timelineText } from '../strings/timeline-text.ts';
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
  const words = timelineText;
  const actions = useFactActions(scope);
  const asked = { scope, from: bucket.start, to: bucket.end, ...(entity !== null && { entity }) };
  const keep = { keep: true };
  const pairs = useReply('supersessions', { ...asked, limit: SHOWN }, keep);
  const begun = useReply('facts', { ...asked, limit: SHOWN }, keep);
  const ended = useReply('facts', { ...asked, by: 'ended', limit: SHOWN }, keep);
  const turns = useReply('turns', { ...asked, limit: SHOWN }, keep);
  const error = pairs.error ?? begun.error ?? ended.error ?? turns.error;
  const inPairs = new Set(
    (pairs.data?.items ?? []).flatMap(({ older, newer }): string[] => [older.id, newer.id]),
  );
  const isBusy = [pairs, begun, ended, turns].some((each) => each.isPlaceholderData || each.isPending);
  return (
    <Section title={words.happened(formatBucket(bucket, unit))} isBusy={isBusy} error={error}>
      <Pairs page={pairs.data} scope={scope} />
      <div className={styles.columns}>
        <Facts title={words.begun} page={begun.data} without={inPairs} scope={scope} actions={actions} />
        <Facts title={words.ended} page={ended.data} without={inPairs} scope={scope} actions={actions} />
        <Turns page={turns.data} scope={scope} />
      </div>
      {!isBusy && [pairs, begun, ended, turns].every(({ data }) => data?.total === 0) && (
        <p className="note">{words.nothing}</p>
      )}
    </Section>
  );
}

/** What memory learned in a time. Changes are of the whole scope: only what superseded what is narrowed to an entity. */
export function LearnedThen({ scope, entity, bucket, unit }: HappenedProps) {
  const words = timelineText;
  const pairs = useReply(
    'supersessions',
    {
      scope,
      by: 'known',
      from: bucket.start,
      to: bucket.end,
      limit: SHOWN,
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
    <Section title={words.learnedThen(formatBucket(bucket, unit))} isBusy={isBusy} error={error}>
      <Pairs page={pairs.data} scope={scope} />
      {learned.length > 0 && (
        <>
          <h3 className="caption">{words.learned}</h3>
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
    </Section>
  );
}

interface SectionProps {
  readonly title: string;
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly children: ReactNode;
}

function Section({ title, isBusy, error, children }: SectionProps) {
  const id = useId();
  return (
    <section className="stack gap-3 above-3" aria-labelledby={id} aria-busy={isBusy}>
      <h2 id={id}>{title}</h2>
      {error && <Notice kind="problem">{error.message}</Notice>}
      {children}
    </section>
  );
}

interface PairsProps {
  readonly page: OutputOf<'supersessions'> | undefined;
  readonly scope: string;
}

function Pairs({ page, scope }: PairsProps) {
  if (page === undefined || page.items.length === 0) return null;
  return (
    <>
      <h3 className="caption">{timelineText.replaced}</h3>
      <ul className="stack gap-2">
        {page.items.map((pair) => (
          <FactPair key={pair.id} pair={pair} scope={scope} />
        ))}
      </ul>
      <More count={page.total - page.items.length} />
    </>
  );
}

interface ListProps {
  readonly title: string;
  /** How many are not shown. */
  readonly more: number;
  readonly children: ReactNode;
}

function List({ title, more, children }: ListProps) {
  const id = useId();
  return (
    <section className="may-narrow" aria-labelledby={id}>
      <h3 id={id} className="caption">
        {title}
      </h3>
      {children}
      <More count={more} />
    </section>
  );
}

interface FactsProps {
  readonly title: string;
  readonly page: OutputOf<'facts'> | undefined;
  /** Ids of facts that are shown elsewhere. */
  readonly without: ReadonlySet<string>;
  readonly scope: string;
  readonly actions: FactActions;
}

function Facts({ title, page, without, scope, actions }: FactsProps) {
  const facts = page?.items.filter(({ id }) => !without.has(id)) ?? [];
  if (page === undefined || facts.length === 0) return null;
  return (
    <List title={title} more={page.total - page.items.length}>
      <ul>
        {facts.map((fact) => (
          <FactItem key={fact.id} fact={fact} scope={scope} actions={actions} />
        ))}
      </ul>
    </List>
  );
}

function Turns({ page, scope }: { readonly page: OutputOf<'turns'> | undefined; readonly scope: string }) {
  if (page === undefined || page.items.length === 0) return null;
  return (
    <List title={timelineText.said} more={page.total - page.items.length}>
      <ul className="stack gap-1 text-14">
        {page.items.map(({ id, speaker, validAt, ...turn }) => (
          <li key={id}>
            <button type="button" className={styles.turn} onClick={() => openSource(scope, id)}>
              <TurnImage scope={scope} attachments={turn.attachments} />
              <span className="clamp may-break">{wordsOfTurn(turn)}</span>
              <small className="note">
                {speakerName(speaker)} · {formatDate(validAt)}
              </small>
            </button>
          </li>
        ))}
      </ul>
    </List>
  );
}

interface TurnImageProps {
  readonly scope: string;
  readonly attachments: OutputOf<'turns'>['items'][number]['attachments'];
}

function TurnImage({ scope, attachments }: TurnImageProps) {
  const image = firstImage(attachments);
  const shown = attachments.find((each) => imageId(each) === image);
  if (image === null || shown === undefined) return null;
  return <MemoryImage scope={scope} image={image} caption={shown.description} size="small" />;
}

function More({ count }: { readonly count: number }) {
  return count > 0 ? <p className="note">{timelineText.notShown(count)}</p> : null;
}
