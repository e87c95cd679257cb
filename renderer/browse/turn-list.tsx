import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { Notice, Skeleton } from '../kit/feedback.tsx';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { wordsOfTurn } from '../parts/turn/words-of-turn.ts';
import { useUi } from '../state/ui.ts';
import { formatDateTime, text } from '../strings/text.ts';
import styles from './page.module.css';
import { useTurnPages } from './use-pages.ts';

interface TurnListProps {
  readonly scope: string;
  readonly entity: string;
}

/** All turns that mention an entity, the latest first. Only the ones in view are in the page. */
export function TurnList({ scope, entity }: TurnListProps) {
  const words = text.browse.entity;
  const { set } = useUi();
  const pages = useTurnPages({ scope, entity, limit: 100 });
  const view = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: pages.items.length,
    getScrollElement: () => view.current,
    estimateSize: () => 84,
    getItemKey: (index) => pages.items[index]!.id,
    overscan: 6,
  });
  const rows = virtual.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  const isNearEnd = pages.hasMore && last >= pages.items.length - 10;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asks once each time the end comes near
  useEffect(() => {
    if (isNearEnd) pages.more();
  }, [isNearEnd, pages.items.length]);
  if (pages.problem !== null) return <Notice kind="problem">{pages.problem}</Notice>;
  if (pages.isLoading)
    return (
      <div role="status" aria-label={text.app.loading} className="stack gap-3">
        <Skeleton height={70} />
        <Skeleton height={70} />
      </div>
    );
  if (pages.items.length === 0) return <p className="soft text-14">{words.noTurns}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keyboard
    <section ref={view} className={styles.scroll} aria-label={words.turnsLabel} tabIndex={0}>
      <ul style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {rows.map(({ index, key, start }) => {
          const { id, speaker, validAt, ...turn } = pages.items[index]!;
          return (
            <li
              key={key}
              data-index={index}
              ref={virtual.measureElement}
              className={styles.turn}
              style={{ translate: `0 ${start}px` }}
            >
              <button
                type="button"
                aria-label={words.openTurn(speakerName(speaker))}
                onClick={() => set({ inspected: { kind: 'source', scope, episode: id } })}
              >
                <span className={styles.turnHead}>
                  <strong>{speakerName(speaker)}</strong>
                  <time dateTime={new Date(validAt).toISOString()}>{formatDateTime(validAt)}</time>
                </span>
                <span className={styles.said}>{wordsOfTurn(turn)}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
