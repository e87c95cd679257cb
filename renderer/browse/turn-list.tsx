import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { wordsOfTurn } from '../parts/turn/words-of-turn.ts';
import { openSource } from '../state/ui.ts';
import { formatDateTime, text } from '../strings/text.ts';
import styles from './page.module.css';
import { ListBody } from './page-parts.tsx';
import { useTurnPages } from './use-lists.ts';

interface TurnListProps {
  readonly scope: string;
  readonly entity: string;
}

/** All turns that mention an entity, the latest first. Only the ones in view are in the page. */
export function TurnList({ scope, entity }: TurnListProps) {
  const words = text.browse.entity;
  const list = useTurnPages({ scope, entity, limit: 100 });
  const view = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: list.items.length,
    getScrollElement: () => view.current,
    estimateSize: () => 84,
    getItemKey: (index) => list.items[index]!.id,
    overscan: 6,
  });
  const rows = virtual.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  const isNearEnd = list.hasMore && last >= list.items.length - 10;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asks once each time the end comes near
  useEffect(() => {
    if (isNearEnd) list.more();
  }, [isNearEnd, list.items.length]);
  return (
    <ListBody list={list} bars={[70, 70]} none={list.items.length === 0 ? words.noTurns : null}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keyboard */}
      <section ref={view} className={styles.scroll} aria-label={words.turnsLabel} tabIndex={0}>
        <ul style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {rows.map(({ index, key, start }) => {
            const { id, speaker, validAt, ...turn } = list.items[index]!;
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
                  className="stack gap-2px full-width text-left hovers"
                  aria-label={words.openTurn(speakerName(speaker))}
                  onClick={() => openSource(scope, id)}
                >
                  <span className="flex at-baseline text-13 gap-2">
                    <strong>{speakerName(speaker)}</strong>
                    <time className="soft" dateTime={new Date(validAt).toISOString()}>
                      {formatDateTime(validAt)}
                    </time>
                  </span>
                  <span className="clamp text-14 may-break">{wordsOfTurn(turn)}</span>
                </button>
              </li>
            );
          })}
        </ul>
      </section>
    </ListBody>
  );
}
