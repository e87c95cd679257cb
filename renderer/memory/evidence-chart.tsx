import type { WhyItem } from '../../main/contract.ts';
import { text } from '../strings/text.ts';
import styles from './why-panel.module.css';
import { barsOf } from './why-summary.ts';

/** More bars than these would be too thin to see. */
const MOST_BARS = 60;
/** In pixels. */
const HIGHEST = 54;

/** One bar for each piece of evidence the strongest first; the cited ones stand out and carry their number. */
export function EvidenceChart({ items }: { readonly items: readonly WhyItem[] }) {
  const bars = barsOf(items).slice(0, MOST_BARS);
  const cited = bars.flatMap((bar, at) => (bar.cited === null ? [] : [at + 1]));
  return (
    <figure className={styles.chart} role="img" aria-label={text.memory.why.chart(items.length, cited)}>
      <div className={styles.bars}>
        {bars.map(({ id, height, cited: number }) => (
          <span key={id} className={styles.bar} data-cited={number !== null || undefined}>
            <i style={{ height: Math.round(HIGHEST * height) }} />
            <b>{number}</b>
          </span>
        ))}
      </div>
    </figure>
  );
}
