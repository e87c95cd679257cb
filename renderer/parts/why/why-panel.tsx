import { CircleHelp, EyeOff, SearchX } from 'lucide-react';
import type { Why, WhyItem } from '../../../main/contract.ts';
import { Empty, Loading, Notice } from '../../kit/feedback.tsx';
import { Tooltip } from '../../kit/tooltip.tsx';
import { useReply } from '../../state/connection.tsx';
import { formatNumber, text } from '../../strings/text.ts';
import { useConversationHere } from '../place/use-places.ts';
import { CategoryWalk } from './category-walk.tsx';
import { Evidence } from './evidence.tsx';
import { RouteList } from './route-list.tsx';
import styles from './why-panel.module.css';
import { type Bar, barsOf, leadOf, stateOf, usedText } from './why-summary.ts';

/** The most evidence that is asked for. */
const MOST = 200;

/** Why an answer says what it says: first in words, then the routes, the way through the categories, the evidence. */
export function WhyPanel({ message }: { readonly message: string }) {
  const { data: why, error } = useReply('why', { message, limit: MOST });
  const here = useConversationHere();
  if (error) return <Notice kind="problem">{error.message}</Notice>;
  if (why === undefined) return <Loading bars={[[20, '80%'], [56], [96], [160]]} />;
  const answer = here?.messages.find(({ id }) => id === message);
  return <Shown why={why} isPrivate={answer?.isPrivate ?? false} />;
}

interface ShownProps {
  readonly why: Why;
  readonly isPrivate: boolean;
}

function Shown({ why, isPrivate }: ShownProps) {
  const words = text.memory.why;
  const state = stateOf(why, isPrivate);
  if (state === 'private')
    return (
      <Empty icon={EyeOff} title={words.private}>
        <p>{words.privateText}</p>
      </Empty>
    );
  if (state === 'unknown')
    return (
      <Empty icon={CircleHelp} title={words.older}>
        <p>{words.olderText}</p>
      </Empty>
    );
  const walks = why.routes.flatMap(({ walk }) => walk ?? []);
  return (
    <div className="stack gap-5 below-4">
      {why.question !== '' && (
        <blockquote
          className={`clamp quoted soft text-14 may-break ${styles.question}`}
          aria-label={words.question}
          title={why.question}
        >
          {why.question}
        </blockquote>
      )}
      {state === 'nothing' ? (
        <div className="flex gap-3 soft">
          <SearchX size={18} aria-hidden />
          <p>
            <strong className="emphasis">{words.nothing}</strong> {words.nothingText}
          </p>
        </div>
      ) : (
        <>
          <p className={styles.lead}>{leadOf(why)}</p>
          <EvidenceChart items={why.items} />
        </>
      )}
      <RouteList routes={why.routes} />
      {walks.map((walk) => (
        <CategoryWalk key={walk.selector} walk={walk} />
      ))}
      {state === 'found' && <Evidence items={why.items} scope={why.scope} />}
      <footer className="stack note at-top gap-1">
        {why.used !== null && <p>{usedText(why.used)}</p>}
        {state === 'found' && why.leftOut > 0 && <p>{words.leftOut(why.leftOut)}</p>}
        {state === 'found' && (
          <Tooltip label={`${text.memory.terms.tokens} ${text.memory.terms.recipe}`}>
            <button type="button" className={styles.foot}>
              {words.foot(formatNumber(why.tokens), why.recipe)}
            </button>
          </Tooltip>
        )}
      </footer>
    </div>
  );
}

/** More bars than these would be too thin to see. */
const MOST_BARS = 60;
/** In pixels. */
const HIGHEST = 54;

/** One bar for each piece of evidence the strongest first; the cited ones stand out and carry their number. */
function EvidenceChart({ items }: { readonly items: readonly WhyItem[] }) {
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
