import {
  AudioWaveform,
  GitFork,
  ListTree,
  Route as RouteIcon,
  type Search,
  Shapes,
  Share2,
} from 'lucide-react';
import type { RouteTrace } from '../../../main/contract.ts';
import { Tooltip } from '../../kit/tooltip.tsx';
import { text } from '../../strings/text.ts';
import styles from './why-panel.module.css';
import { formatMilliseconds, reasonOf, routeName } from './why-summary.ts';

const ICONS: Readonly<Record<string, typeof Search | undefined>> = {
  system1: AudioWaveform,
  system2: ListTree,
  pagerank: Share2,
  topics: Shapes,
  traversal: GitFork,
};

/** Each route of the search: whether it found something, how much, and how long it took. Skipped ones last, quietly. */
export function RouteList({ routes }: { readonly routes: readonly RouteTrace[] }) {
  const ran = routes.filter(({ end }) => end !== 'skipped');
  const skipped = routes.filter(({ end }) => end === 'skipped');
  if (routes.length === 0) return null;
  return (
    <section className="stack gap-2" aria-label={text.memory.why.routes}>
      <h3 className="caption">{text.memory.why.routes}</h3>
      <ul className="list-frame">
        {[...ran, ...skipped].map((trace, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a recipe may run a route twice, and the list does not change
          <RouteRow key={at} trace={trace} />
        ))}
      </ul>
    </section>
  );
}

function RouteRow({ trace }: { readonly trace: RouteTrace }) {
  const { route, end, found, milliseconds } = trace;
  const words = text.memory.why;
  const Icon = ICONS[route] ?? RouteIcon;
  const reason = reasonOf(trace);
  return (
    <li className={styles.route} data-end={end}>
      <span className={styles.routeIcon}>
        <Icon size={16} aria-hidden />
      </span>
      <div className={`stack fills at-top text-14 ${styles.routeWords}`}>
        <Tooltip label={text.memory.routes[route]?.about ?? route}>
          <button type="button" className={styles.term}>
            {routeName(route)}
          </button>
        </Tooltip>
        <span className="note may-break">
          {end === 'found' ? words.found(found) : (words.ends[end] ?? end)}
          {reason !== null && `: ${reason}`}
        </span>
      </div>
      {end !== 'skipped' && (
        <span className="note keeps-size figures">{formatMilliseconds(milliseconds)}</span>
      )}
    </li>
  );
}
