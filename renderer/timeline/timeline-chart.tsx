import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { OutputOf } from '../../main/contract.ts';
import { Button, IconButton } from '../kit/button.tsx';
import { Disclosure } from '../kit/choice.tsx';
import { formatNumber } from '../strings/text.ts';
import { timelineText } from '../strings/timeline-text.ts';
import {
  type Bucket,
  changeBeside,
  formatBucket,
  formatPoint,
  hasChange,
  type TimePoint,
  type TimeUnit,
  ticksOf,
} from './time-points.ts';
import styles from './timeline-chart.module.css';

interface ChartProps {
  readonly timeline: OutputOf<'timeline'>;
  readonly points: readonly TimePoint[];
  /** The place of the slider. */
  readonly place: number;
  readonly onPlace: (place: number) => void;
  readonly by: 'held' | 'known';
}

/** How much happened when, and over it the slider that says as of when the question is asked. */
export function TimelineChart({ timeline, points, place, onPlace, by }: ChartProps) {
  const words = timelineText;
  const { unit, buckets } = timeline;
  const point = points[place]!;
  const [before, after] = [changeBeside(points, place, -1), changeBeside(points, place, 1)];
  const last = points.length - 1;
  const [most] = useState(() => (window.innerWidth < NARROW ? TICKS.narrow : TICKS.wide));
  const ticks = ticksOf(buckets, unit, most);
  const left = (at: number) => ({ left: `${(100 * at) / points.length}%` });
  return (
    <figure className={styles.chart}>
      <div className={styles.head}>
        <strong className="figures">
          {point.bucket === null ? words.asOfNow : words.asOf(formatPoint(point, unit))}
        </strong>
        {point.bucket !== null && hasChange(point.bucket) && (
          <span className="note">{countsIn(point.bucket, by)}</span>
        )}
        <span className={styles.steps}>
          {place !== last && (
            <Button size="small" kind="quiet" onClick={() => onPlace(last)}>
              {words.backToNow}
            </Button>
          )}
          <IconButton
            icon={ChevronLeft}
            label={words.earlierChange}
            disabled={before === null}
            onClick={() => before !== null && onPlace(before)}
          />
          <IconButton
            icon={ChevronRight}
            label={words.laterChange}
            disabled={place === last}
            onClick={() => onPlace(after ?? last)}
          />
        </span>
      </div>
      <div className={styles.stage} style={{ '--places': points.length } as React.CSSProperties}>
        {buckets.map(
          ({ start, isGap }, at) =>
            isGap && <span key={start} className={styles.gap} style={left(at + 0.5)} aria-hidden />,
        )}
        <Bars buckets={buckets} unit={unit} places={points.length} place={place} by={by} />
        <input
          type="range"
          className={styles.slider}
          aria-label={words.slider}
          aria-valuetext={formatPoint(point, unit)}
          min={0}
          max={last}
          step={1}
          value={place}
          onChange={({ target }) => onPlace(Number(target.value))}
        />
      </div>
      <div className={styles.ticks} aria-hidden>
        {ticks.map(({ at, label, isAtEnd }) => (
          <span key={at} style={isAtEnd ? { right: 0 } : left(at)}>
            {label}
          </span>
        ))}
        {!ticks.some(({ isAtEnd }) => isAtEnd) && <span style={{ right: 0 }}>{words.now}</span>}
      </div>
      <figcaption className={`note ${styles.legend}`}>
        {KINDS.map((kind) => (
          <span key={kind}>
            <i data-kind={kind} /> {words.kinds[by][kind]}
          </span>
        ))}
      </figcaption>
      <Disclosure title={`${words.table}, ${words.units[unit] ?? unit}`}>
        <Table buckets={buckets} unit={unit} by={by} />
      </Disclosure>
    </figure>
  );
}

/** Labels below the chart, in a wide and in a narrow window. */
const TICKS = { wide: 8, narrow: 3 } as const;
const NARROW = 700;
/** From the bottom of a bar to its top. */
const KINDS = ['begun', 'ended', 'turns'] as const;
const HEIGHT = 100;

interface BarsProps {
  readonly buckets: readonly Bucket[];
  readonly unit: TimeUnit;
  readonly places: number;
  readonly place: number;
  readonly by: 'held' | 'known';
}

/** A bar of each part; what was not yet so at the chosen time is pale. */
function Bars({ buckets, unit, places, place, by }: BarsProps) {
  const words = timelineText;
  const most = Math.max(1, ...buckets.map(({ turns, begun, ended }) => turns + begun + ended));
  const name = words.chart(formatBucket(buckets[0]!, unit), formatBucket(buckets.at(-1)!, unit));
  return (
    <svg viewBox={`0 0 ${places} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={name}>
      <title>{name}</title>
      {buckets.map((bucket, at) => {
        if (!hasChange(bucket)) return null;
        let top = HEIGHT;
        return (
          <g key={bucket.start} data-later={at > place || undefined}>
            <title>{words.bar(formatBucket(bucket, unit), countsIn(bucket, by))}</title>
            {KINDS.map((kind) => {
              // The square root keeps a single fact visible beside an import of a thousand turns.
              const share = Math.sqrt((bucket.turns + bucket.begun + bucket.ended) / most);
              const height = (share * HEIGHT * bucket[kind]) / (bucket.turns + bucket.begun + bucket.ended);
              top -= height;
              return <rect key={kind} x={at + 0.12} y={top} width={0.76} height={height} data-kind={kind} />;
            })}
          </g>
        );
      })}
    </svg>
  );
}

function countsIn(bucket: Bucket, by: 'held' | 'known'): string {
  const words = timelineText.kinds[by];
  return (['turns', 'begun', 'ended'] as const)
    .filter((kind) => bucket[kind] > 0)
    .map((kind) => `${words[kind]}: ${formatNumber(bucket[kind])}`)
    .join(' · ');
}

/** The same as numbers, without the parts in which nothing happened. */
function Table({ buckets, unit, by }: Pick<BarsProps, 'buckets' | 'unit' | 'by'>) {
  const words = timelineText;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a table is no set of fields
    <div className={styles.tableFrame} role="group" aria-label={words.table} tabIndex={0}>
      <table className={styles.table}>
        <thead className="faint">
          <tr>
            <th scope="col">{words.time}</th>
            {(['turns', 'begun', 'ended'] as const).map((kind) => (
              <th key={kind} scope="col">
                {words.kinds[by][kind]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {buckets.filter(hasChange).map((bucket) => (
            <tr key={bucket.start}>
              <th scope="row">{formatBucket(bucket, unit)}</th>
              <td>{formatNumber(bucket.turns)}</td>
              <td>{formatNumber(bucket.begun)}</td>
              <td>{formatNumber(bucket.ended)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
