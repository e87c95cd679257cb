import type { WhyItem } from '../../main/contract.ts';
import { text } from '../strings/text.ts';
import styles from './why-panel.module.css';

/** More bars than these would be too thin to see. */
const MOST_BARS = 60;

/** One bar for each piece of evidence in order of its place; the cited ones stand out and carry their number. */
export function EvidenceChart({ items }: { readonly items: readonly WhyItem[] }) {
  const bars = items.slice(0, MOST_BARS);
  // Scores of turns, facts and names are not comparable: each kind is measured by its own best.
  const best = new Map<string, number>();
  for (const { kind, score } of items) best.set(kind, Math.max(best.get(kind) ?? 0, score));
  const cited = items.flatMap((item, at) => (item.cited === null ? [] : [at + 1]));
  return (
    <figure className={styles.chart} role="img" aria-label={text.memory.why.chart(items.length, cited)}>
      <div className={styles.bars}>
        {bars.map(({ id, kind, score, cited: number }) => (
          <span key={id} className={styles.bar} data-cited={number !== null || undefined}>
            <i
              style={{ height: `${Math.max(8, (100 * score) / Math.max(best.get(kind)!, Number.EPSILON))}%` }}
            />
            <b>{number}</b>
          </span>
        ))}
      </div>
    </figure>
  );
}
