import { ArrowUpRight, Copy, FileText, MessageSquareDashed, MessagesSquare, Trash2 } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { toast } from 'sonner';
import { imageId } from '../../../main/contract.ts';
import { Button, IconButton } from '../../kit/button.tsx';
import { Empty, Loading, Notice } from '../../kit/feedback.tsx';
import { useReply } from '../../state/connection.tsx';
import { takeBack, useUi } from '../../state/ui.ts';
import { formatDate, formatDateTime, formatTime, text } from '../../strings/text.ts';
import { AnswerText } from '../answer/answer-text.tsx';
import { placeOfSession } from '../conversation/conversation-place.ts';
import { titleOf } from '../conversation/title-of.ts';
import { FactItem } from '../fact/fact-item.tsx';
import { useFactActions } from '../fact/use-fact-actions.ts';
import { MemoryImage } from '../image/memory-image.tsx';
import { chatPlace, goTo } from '../place/places.ts';
import { isMarkdown } from '../turn/is-markdown.ts';
import { sessionName, sourceName } from '../turn/source-name.ts';
import { speakerName } from '../turn/speaker-name.ts';
import styles from './source-panel.module.css';
import { type Turn, useSession } from './use-session.ts';

interface SourceProps {
  readonly scope: string;
  readonly episode: string;
}

/** A turn as it was said, in its conversation, with what memory made of it. */
export function SourcePanel({ scope, episode }: SourceProps) {
  const words = text.memory.source;
  const around = useSession(scope, episode);
  const turn = around.turns.find(({ id }) => id === episode);
  const isGone = around.isSuccess ? turn === undefined : codeOf(around.error) === 'invalid-input';
  if (isGone)
    return (
      <Empty icon={MessageSquareDashed} title={words.gone}>
        <p>{words.goneText}</p>
      </Empty>
    );
  if (around.error) return <Notice kind="problem">{around.error.message}</Notice>;
  if (turn === undefined) return <Loading bars={[[64], [90], [48], [48]]} />;
  return (
    <div className="stack gap-4">
      <Origin
        scope={scope}
        turn={turn}
        place={around.earlier + around.turns.indexOf(turn) + 1}
        total={around.total}
      />
      <Actions scope={scope} turn={turn} />
      <Session scope={scope} around={around} episode={episode} />
      <Facts scope={scope} episode={episode} />
    </div>
  );
}

const codeOf = (error: unknown) => (error as { code?: unknown } | null)?.code;

/** How the app's own chats are stored. */
const OWN_SOURCE = 'assistant';

/** Where the turn is from: a conversation of the app, which can be opened at its message, or a file. */
interface OriginProps {
  readonly scope: string;
  readonly turn: Turn;
  /** In its conversation, from 1. */
  readonly place: number;
  readonly total: number;
}

function Origin({ scope, turn, place, total }: OriginProps) {
  const words = text.memory.source;
  const { set } = useUi();
  const { session } = turn;
  const { data: own } = useReply('conversation', { scope, session });
  const answer = own?.messages.find(({ remembered }) => remembered?.turns.includes(turn.id));
  const message = turn.role === 'user' ? (answer?.parent ?? answer?.id) : answer?.id;
  const open = () => {
    goTo(
      message === undefined || own === undefined
        ? `#${placeOfSession(scope, session, turn.id)}`
        : chatPlace(own.conversation.id, message),
    );
    if (window.matchMedia('(max-width: 1180px)').matches) set({ inspected: null });
  };
  const title = own === undefined ? sessionName(turn.session) : titleOf(own.conversation);
  const isApp = turn.source === OWN_SOURCE;
  const Icon = own === undefined ? FileText : MessagesSquare;
  return (
    <header className="line gap-3">
      <span className={styles.badge}>
        <Icon size={18} aria-hidden />
      </span>
      <div className={`stack fills ${styles.where}`}>
        <strong className="ellipsis strong" title={title}>
          {title}
        </strong>
        <span className="note ellipsis">
          {[...(isApp ? [] : [sourceName(turn.source)]), words.place(place, total)].join(' · ')}
        </span>
      </div>
      {own !== undefined && <IconButton icon={ArrowUpRight} label={words.openConversation} onClick={open} />}
    </header>
  );
}

function Actions({ scope, turn }: { readonly scope: string; readonly turn: Turn }) {
  const words = text.memory.source;
  const forget = () =>
    takeBack({
      scope,
      episodes: [turn.id],
      onForgotten: () => useUi.getState().set({ inspected: null }),
    });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(turn.content);
      toast(words.copied);
    } catch {
      toast.error(text.app.problem);
    }
  };
  return (
    <div className="flow gap-2">
      <Button size="small" icon={Copy} onClick={() => void copy()}>
        {words.copy}
      </Button>
      <Button size="small" kind="danger" icon={Trash2} onClick={forget}>
        {words.forget}
      </Button>
    </div>
  );
}

interface SessionProps extends SourceProps {
  readonly around: ReturnType<typeof useSession>;
}

function Session({ scope, around, episode }: SessionProps) {
  const words = text.memory.source;
  const { turns, earlier, later } = around;
  const list = useRef<HTMLDivElement>(null);
  const here = useRef<HTMLLIElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls once for each source
  useLayoutEffect(() => {
    // Not returned: it may be a promise, and React would take it for what to do at the end.
    void here.current?.scrollIntoView({ block: 'center' });
  }, [episode]);
  useKeptPlace(list, turns[0]?.id);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section ref={list} className={styles.session} aria-label={words.session} tabIndex={0}>
      {earlier > 0 && (
        <MoreTurns isBusy={around.isFetching} onMore={() => void around.fetchPreviousPage()}>
          {words.earlier(earlier)}
        </MoreTurns>
      )}
      <ol>
        {turns.map((turn, at) => (
          <TurnItem
            key={turn.id}
            scope={scope}
            ref={turn.id === episode ? here : undefined}
            turn={turn}
            before={turns[at - 1]}
            isHere={turn.id === episode}
          />
        ))}
      </ol>
      {later > 0 && (
        <MoreTurns isBusy={around.isFetching} onMore={() => void around.fetchNextPage()}>
          {words.later(later)}
        </MoreTurns>
      )}
    </section>
  );
}

interface MoreProps {
  readonly isBusy: boolean;
  readonly onMore: () => void;
  readonly children: string;
}

/** Asks for the turns beyond an end once it comes into view. */
function MoreTurns({ isBusy, onMore, children }: MoreProps) {
  const element = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting && !isBusy) onMore();
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  });
  return (
    <button ref={element} type="button" className={styles.more} onClick={onMore}>
      {children}
    </button>
  );
}

interface TurnProps {
  readonly scope: string;
  readonly turn: Turn;
  readonly before: Turn | undefined;
  readonly isHere: boolean;
  readonly ref: React.Ref<HTMLLIElement> | undefined;
}

/** Longer turns are folded, but for the source itself. */
const LONG = 700;

function TurnItem({ scope, turn, before, isHere, ref }: TurnProps) {
  const words = text.memory.source;
  const [isWhole, setWhole] = useState(isHere);
  const isNewDay = before === undefined || formatDate(before.validAt) !== formatDate(turn.validAt);
  const isSameSpeaker = !isNewDay && before?.speaker === turn.speaker && !isHere;
  const isFolded = !isWhole && turn.content.length > LONG;
  const said = isFolded ? `${turn.content.slice(0, LONG).trimEnd()}…` : turn.content;
  return (
    <li ref={ref} className={styles.turn} data-here={isHere || undefined} aria-current={isHere || undefined}>
      {isNewDay && <p className={`faint text-12 medium ${styles.day}`}>{formatDate(turn.validAt)}</p>}
      <div className={styles.said} data-role={turn.role}>
        {!isSameSpeaker && (
          <p className={`flex at-baseline text-13 gap-2 ${styles.speaker}`}>
            <strong className="ellipsis strong">{speakerName(turn.speaker)}</strong>
            <time dateTime={new Date(turn.validAt).toISOString()} title={formatDateTime(turn.validAt)}>
              {formatTime(turn.validAt)}
            </time>
            {isHere && <span className="accent-text strong at-right">{words.this}</span>}
          </p>
        )}
        <div className={`text-14 may-break ${styles.content}`}>
          {isMarkdown(turn) ? (
            <AnswerText isStreaming={false}>{said}</AnswerText>
          ) : (
            <p className={styles.plain}>{said}</p>
          )}
        </div>
        {turn.attachments.map((attachment) => {
          const { description } = attachment;
          const image = imageId(attachment);
          return (
            <div key={image ?? description} className="stack gap-1">
              {image !== null && <MemoryImage scope={scope} image={image} caption={description} />}
              <p className="note may-break italic">
                {words.attachment}: {description}
              </p>
            </div>
          );
        })}
        {isFolded && (
          <button type="button" className="accent-text text-13" onClick={() => setWhole(true)}>
            {text.app.more}
          </button>
        )}
        {turn.expiredAt !== null && <p className="note may-break italic">{words.replaced}</p>}
      </div>
    </li>
  );
}

function Facts({ scope, episode }: SourceProps) {
  const words = text.memory.source;
  const actions = useFactActions(scope);
  const { data } = useReply('learned', { scope, episodes: [episode] });
  if (data === undefined) return null;
  return (
    <section className="stack gap-2" aria-label={words.facts}>
      <h3 className="caption">{words.facts}</h3>
      {data.facts.length === 0 ? (
        <p className="soft text-14">
          {data.pending > 0 ? text.memory.learned.readingText(data.pending) : words.noFacts}
        </p>
      ) : (
        <ul className={`list-frame ${styles.facts}`}>
          {data.facts.map((fact) => (
            <FactItem key={fact.id} fact={fact} scope={scope} actions={actions} here={episode} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** Keeps what is in view where it is when turns are added above. */
function useKeptPlace(view: React.RefObject<HTMLElement | null>, first: string | undefined): void {
  const known = useRef<{ first: string | undefined; height: number }>({ first: undefined, height: 0 });
  useLayoutEffect(() => {
    const element = view.current;
    if (element === null) return;
    const { first: earlier, height } = known.current;
    if (earlier !== undefined && earlier !== first) element.scrollTop += element.scrollHeight - height;
    known.current = { first, height: element.scrollHeight };
  });
}
