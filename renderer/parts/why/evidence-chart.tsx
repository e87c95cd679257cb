import type { WhyItem } from '../../../main/contract.ts';
import { text } from '../../strings/text.ts';
import styles from './why-panel.module.css';
import { type Bar, barsOf } from './why-summary.ts';

/** More bars than these would be too thin to see. */
const MOST_BARS = 60;
/** In pixels. */
const HIGHEST = 54;

/** One bar for each piece of evidence the strongest first; the cited ones stand out and carry their number. */
export function EvidenceChart({ items }: { readonly items: readonly WhyItem[] }) {
  const bars = barsOf(items).slice(0, MOST_BARS);
  const cited = bars.flatMap((bar, at) => (bar.cited === null ? [] : [at + 1]));
  const low = lowered(bars);
  return (
    <figure
      className={`frame ground ${styles.chart}`}
      role="img"
      aria-label={text.memory.why.chart(items.length, cited)}
    >
      <div className={styles.bars}>
        {bars.map(({ id, height, cited: number }) => (
          <span
            key={id}
            className={styles.bar}
            data-cited={number !== null || undefined}
            data-low={low.has(id) || undefined}
          >
            <i style={{ height: Math.round(HIGHEST * height) }} />
            <b className="figures">{number}</b>
          </span>
        ))}
      </div>
    </figure>
  );
}

/** Of neighbours that are both cited, every other one. */
function lowered(bars: readonly Bar[]): ReadonlySet<string> {
  const low = new Set<string>();
  for (const [at, { id, cited }] of bars.entries()) {
    const before = bars[at - 1];
    if (cited !== null && before !== undefined && before.cited !== null && !low.has(before.id)) low.add(id);
  }
  return low;
}
