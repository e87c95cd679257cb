import { Check } from 'lucide-react';
import type { ImportPreviewReply } from '../../main/contract.ts';
import { Disclosure, Pill } from '../kit/choice.tsx';
import { Notice } from '../kit/feedback.tsx';
import { sourceName } from '../parts/turn/source-name.ts';
import { formatDate, formatNumber, text } from '../strings/text.ts';
import styles from './imports.module.css';

const MOST_SPEAKERS = 8;

/** What is in a file. */
export function PreviewFacts({ preview }: { readonly preview: ImportPreviewReply }) {
  const words = text.imports.preview;
  const { format, because, conversations, turns, from, to, known, speakers, largest, notes } = preview;
  const hidden = speakers.length - MOST_SPEAKERS;
  return (
    <>
      <p className="line wrap gap-2 note">
        <Pill kind="good" icon={Check}>
          {nameOf(format)}
        </Pill>
        <span title={because}>{words.detected}</span>
      </p>
      <dl className={styles.figures}>
        <Figure name={words.conversations}>{formatNumber(conversations)}</Figure>
        <Figure name={words.turns}>{formatNumber(turns)}</Figure>
        <Figure name={words.period}>
          {from === null || to === null ? words.noPeriod : period(from, to)}
        </Figure>
        {known > 0 && <Figure name={words.known}>{formatNumber(known)}</Figure>}
      </dl>
      {speakers.length > 0 && (
        <div className="stack gap-6px">
          <h3 className="note light">{words.speakers}</h3>
          <ul className="flow gap-6px">
            {speakers.slice(0, MOST_SPEAKERS).map((speaker) => (
              <li
                key={`${speaker.role} ${speaker.name}`}
                className="tag"
                title={words.speakerTurns(speaker.turns)}
              >
                <span className="ellipsis">{speaker.name}</span>{' '}
                <span className="soft figures">{formatNumber(speaker.turns)}</span>
              </li>
            ))}
            {hidden > 0 && <li className="note may-break">{words.moreSpeakers(hidden)}</li>}
          </ul>
        </div>
      )}
      {largest.length > 1 && (
        <Disclosure title={words.largest}>
          <Counts items={largest.map(({ name, turns: count }) => ({ reason: name, count }))} />
        </Disclosure>
      )}
      <Reasons title={words.leftOut} items={preview.leftOut} />
      <Reasons title={words.rejected} items={preview.rejected} />
      {notes.map((note) => (
        <Notice key={note}>{note}</Notice>
      ))}
    </>
  );
}

function nameOf(format: string): string {
  const { formats } = text.imports.guide;
  return format in formats ? formats[format as keyof typeof formats].name : sourceName(format);
}

function period(from: number, to: number): string {
  const [first, last] = [formatDate(from), formatDate(to)];
  return first === last ? first : `${first} – ${last}`;
}

function Figure({ name, children }: { readonly name: string; readonly children: string }) {
  return (
    <div>
      <dt className="note">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface ReasonsProps {
  readonly title: (count: number) => string;
  readonly items: readonly { readonly reason: string; readonly count: number }[];
}

function Reasons({ title, items }: ReasonsProps) {
  if (items.length === 0) return null;
  return (
    <Disclosure title={title(items.reduce((sum, { count }) => sum + count, 0))}>
      <Counts items={items} />
    </Disclosure>
  );
}

function Counts({ items }: Pick<ReasonsProps, 'items'>) {
  return (
    <ul className={styles.counts}>
      {items.map(({ reason, count }) => (
        <li key={reason} className="flex apart gap-4">
          <span className="ellipsis" title={reason}>
            {reason}
          </span>
          <span className="figures">{formatNumber(count)}</span>
        </li>
      ))}
    </ul>
  );
}
