import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { memo, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Message } from '../../main/contract.ts';
import { IconButton } from '../kit/button.tsx';
import { speakerName } from '../parts/turn/speaker-name.ts';
import type { ShownMessage } from '../state/message-tree.ts';
import { text } from '../strings/text.ts';
import { AnswerMessage } from './answer-message.tsx';
import styles from './thread.module.css';
import { TurnRow } from './turn-row.tsx';
import type { Turns } from './use-turns.ts';
import { UserMessage } from './user-message.tsx';

const words = text.chat.thread;

/** Pixels of a turn before it is measured. */
const TURN_HEIGHT = 96;
/** Pixels from the end within which the thread follows what is added. */
const NEAR_END = 60;
/** Milliseconds that an opened message is marked. */
const MARKED = 2_400;

interface ThreadProps {
  readonly rows: readonly ShownMessage[];
  /** What was said elsewhere, before the messages. */
  readonly turns: Turns;
  /** Of the turns. */
  readonly scope: string;
  /** The message or turn to open at; none: the end, or where the turns want it. */
  readonly target: string | null;
  /** Id of the message that is being answered: a new one brings the end into view. */
  readonly sent: string | null;
}

/** The messages of a branch. Only those in view are in the page. */
export const ThreadView = memo(function ThreadView({ rows, turns, scope, target, sent }: ThreadProps) {
  const view = useRef<HTMLDivElement>(null);
  const [isReady, setReady] = useState(false);
  const [marked, setMarked] = useState<string | null>(null);
  // The same functions as long as the rows are the same: others make the list compute all places again.
  const { total, need } = turns;
  const count = total + rows.length;
  const estimateSize = useCallback(
    (index: number) => (index < total ? TURN_HEIGHT : estimate(rows[index - total]!.message)),
    [rows, total],
  );
  const getItemKey = useCallback(
    (index: number) => (index < total ? index : rows[index - total]!.message.id),
    [rows, total],
  );
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => view.current,
    estimateSize,
    getItemKey,
    overscan: 3,
    paddingStart: 28,
    paddingEnd: 24,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: NEAR_END,
  });

  const place = rows.findIndex(({ message }) => message.id === target);
  const wanted = place >= 0 ? place + total : (turns.wanted ?? (target === null ? -1 : place));
  const items = virtual.getVirtualItems();
  const [top, bottom] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => need(top, bottom), [need, top, bottom]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it opens at a place once, and again for another target
  useLayoutEffect(() => {
    if (wanted >= 0) {
      virtual.scrollToIndex(wanted, { align: target === null ? 'start' : 'center' });
      setMarked(target);
    } else virtual.scrollToEnd();
    // Shown once the sizes of the rows in view are known, so that nothing jumps.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => setReady(true));
    });
    return () => cancelAnimationFrame(frame);
  }, [target, wanted >= 0]);

  useEffect(() => {
    if (marked === null) return;
    const timer = setTimeout(() => setMarked(null), MARKED);
    return () => clearTimeout(timer);
  }, [marked]);

  const lastSent = useRef(sent);
  useLayoutEffect(() => {
    if (sent !== null && sent !== lastSent.current) virtual.scrollToEnd();
    lastSent.current = sent;
  }, [sent, virtual]);

  return (
    <div className="flex grows anchor may-shorten">
      <div
        ref={view}
        className={styles.view}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by the keys
        tabIndex={0}
        role="feed"
        aria-label={words.label}
        aria-busy={sent !== null}
      >
        <div
          className={styles.rows}
          style={{ height: virtual.getTotalSize(), opacity: isReady ? undefined : 0 }}
        >
          {items.map(({ index, key, start }) => {
            return (
              <div
                key={key}
                data-index={index}
                ref={virtual.measureElement}
                className={styles.row}
                style={{ transform: `translateY(${start}px)` }}
              >
                {index < total ? (
                  <article
                    className={styles.message}
                    aria-label={speakerName(turns.at(index)?.speaker ?? '')}
                    aria-posinset={index + 1}
                    aria-setsize={count}
                    data-turn={turns.at(index)?.id}
                    data-marked={(marked !== null && turns.at(index)?.id === marked) || undefined}
                  >
                    <TurnRow
                      scope={scope}
                      turn={turns.at(index)}
                      before={turns.at(index - 1)}
                      isFirst={index === 0}
                    />
                  </article>
                ) : (
                  <ThreadRow
                    {...shownRow(rows, index - total)}
                    number={index + 1}
                    of={count}
                    isLast={index >= count - 2}
                    isMarked={rows[index - total]!.message.id === marked}
                  />
                )}
              </div>
            );
          })}
        </div>
      </div>
      {isReady && !virtual.isAtEnd(NEAR_END * 2) && (
        <IconButton
          className={styles.toEnd!}
          icon={ArrowDown}
          label={words.toEnd}
          onClick={() => virtual.scrollToEnd({ behavior: smooth(virtual.getDistanceFromEnd()) })}
        />
      )}
    </div>
  );
});

/** A message with its place among its siblings. */
function shownRow(rows: readonly ShownMessage[], at: number) {
  const { message, siblings } = rows[at]!;
  const place = siblings.indexOf(message.id);
  return {
    message,
    question: message.role === 'assistant' ? (rows[at - 1]?.message.text ?? '') : '',
    position: place + 1,
    count: siblings.length,
    before: siblings[place - 1],
    after: siblings[place + 1],
  };
}

interface RowProps {
  readonly message: Message;
  readonly question: string;
  readonly position: number;
  readonly count: number;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly number: number;
  readonly of: number;
  readonly isLast: boolean;
  readonly isMarked: boolean;
}

const ThreadRow = memo(function ThreadRow({
  message,
  question,
  number,
  of,
  isLast,
  isMarked,
  ...siblings
}: RowProps) {
  const isUser = message.role === 'user';
  return (
    <article
      className={styles.message}
      aria-label={isUser ? words.you : words.answer}
      aria-posinset={number}
      aria-setsize={of}
      data-message={message.id}
      data-last={isLast || undefined}
      data-marked={isMarked || undefined}
    >
      {isUser ? (
        <UserMessage message={message} siblings={siblings} />
      ) : (
        <AnswerMessage message={message} siblings={siblings} question={question} />
      )}
    </article>
  );
});

/** Characters in a line of the column, pixels of a line, and pixels of a message besides its text. */
const LINE = { characters: 92, height: 25, besides: 84 };

const estimates = new WeakMap<Message, number>();

/** The height of a message before it is measured. It is asked for all messages again and again, so it is kept. */
function estimate(message: Message): number {
  const known = estimates.get(message);
  if (known !== undefined) return known;
  const { text, citations } = message;
  const lines = text
    .split('\n')
    .reduce((sum, line) => sum + Math.max(0.6, Math.ceil(line.length / LINE.characters)), 0);
  const height = LINE.besides + lines * LINE.height + (citations.length > 0 ? 42 : 0);
  estimates.set(message, height);
  return height;
}

/** Glides over a few screens; a longer way would take too long and draw everything on it. */
const smooth = (distance: number): 'smooth' | 'auto' =>
  distance < 4_000 && !window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 'smooth' : 'auto';
