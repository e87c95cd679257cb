import { CalendarClock, ChevronDown } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { InputOf, OutputOf } from '../../main/contract.ts';
import { Segments } from '../kit/choice.tsx';
import { Empty, Notice, Skeleton } from '../kit/feedback.tsx';
import { Menu, MenuItem } from '../kit/menu.tsx';
import { MemoryScreen } from '../parts/place/memory-screen.tsx';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { useReply } from '../state/connection.tsx';
import { useModel } from '../state/use-model.ts';
import { timelineText } from '../strings/timeline-text.ts';
import { Answers, QuestionField } from './answer-then.tsx';
import { Happened, LearnedThen } from './happened.tsx';
import { PairList } from './pair-list.tsx';
import { bucketShown, formatPoint, pointAt, pointsOf } from './time-points.ts';
import { TimelineChart } from './timeline-chart.tsx';
import styles from './timeline-screen.module.css';
import { useSettled } from './use-answer.ts';

type By = 'held' | 'known';
/** Parts of the timeline that are wide enough to be seen, in a wide and in a narrow window. */
const MOST = { wide: 160, narrow: 60 } as const;
const NARROW = 700;
/** Milliseconds that the slider rests, and that nobody types, before the question is asked. */
const RESTS = { local: 150, llm: 700 } as const;
const TYPED = 500;

/** What memory holds by time, and the open question asked again as of any of it. */
export function TimelineScreen({ scope }: { readonly scope: string }) {
  const words = timelineText;
  const [entity, setEntity] = useState<string | null>(null);
  const [by, setBy] = useState<By>('held');
  const [span, setSpan] = useState<'told' | 'all'>('told');
  const [most] = useState(() => (window.innerWidth < NARROW ? MOST.narrow : MOST.wide));
  const timeline = useReply(
    'timeline',
    { scope, by, span, most, gaps: 'folded', ...(entity !== null && { entity }) },
    { keep: true },
  );
  return (
    <MemoryScreen width={1080}>
      <div className="stack gap-4 above-4">
        <header>
          <h1>{words.title}</h1>
          <p className="soft">{words.lead}</p>
        </header>
        <div className="line wrap gap-2-3">
          <EntityMenu scope={scope} entity={entity} onChoose={setEntity} />
          <Segments
            aria-labelledby="timeline-by"
            value={by}
            onChange={setBy}
            options={(['held', 'known'] as const).map((value) => ({ value, label: words.times[value] }))}
          />
          <span id="timeline-by" className="visually-hidden">
            {words.by}
          </span>
          <span className="note">{words.timesNote[by]}</span>
        </div>
        {timeline.error && <Notice kind="problem">{timeline.error.message}</Notice>}
        {timeline.data === undefined && !timeline.error && <Skeleton height={240} />}
        {timeline.data?.buckets.length === 0 && (
          <Empty icon={CalendarClock} title={words.empty}>
            <p>{entity === null ? words.emptyText : words.emptyAbout}</p>
          </Empty>
        )}
        {timeline.data !== undefined && timeline.data.buckets.length > 0 && (
          <Times
            timeline={timeline.data}
            by={by}
            scope={scope}
            entity={entity}
            span={span}
            onSpan={setSpan}
          />
        )}
      </div>
    </MemoryScreen>
  );
}

interface TimesProps {
  readonly timeline: OutputOf<'timeline'>;
  readonly by: By;
  readonly scope: string;
  readonly entity: string | null;
  readonly span: 'told' | 'all';
  readonly onSpan: (span: 'told' | 'all') => void;
}

function Times({ timeline, by, scope, entity, span, onSpan }: TimesProps) {
  const words = timelineText;
  const model = useModel();
  const { data: settings } = useReply('settings', {});
  const [openedAt] = useState(() => Date.now());
  /** The chosen moment; null: now. It stays where parts of another size show it. */
  const [moment, setMoment] = useState<number | null>(null);
  const [typed, setTyped] = useState('');
  /** `round` counts how often it was asked: a model answers the same question again only on request. */
  const [{ question: sent, round }, setSent] = useState({ question: '', round: 0 });
  const [chosen, setAnswerer] = useState<'local' | 'llm'>('local');
  const answerer = model === null ? 'local' : chosen;
  const points = pointsOf(timeline.buckets, openedAt);
  const place = moment === null ? points.length - 1 : pointAt(points, moment);
  const point = points[place]!;
  const times = useMemo(() => timesOf(point.at, by), [point.at, by]);
  const settled = useSettled(times, RESTS[answerer]);
  const typedLast = useSettled(typed.trim(), TYPED);
  // A model is asked on purpose only; quotations cost nothing.
  const question = answerer === 'local' && typed.trim() === typedLast ? typedLast : sent;
  const recipe = settings?.settings.recipe?.value;
  const asked: InputOf<'ask'> | null =
    question === '' ? null : { scope, question, answerer, ...(typeof recipe === 'string' && { recipe }) };
  const shown = bucketShown(points, place);
  const beyond = beyondOf(timeline);
  const List = by === 'held' ? Happened : LearnedThen;
  return (
    <>
      <QuestionField
        value={typed}
        onChange={setTyped}
        onAsk={() => setSent({ question: typed.trim(), round: round + 1 })}
      />
      {model !== null && (
        <div className="line wrap gap-2-3">
          <span id="timeline-answerer" className="note">
            {words.answerer}
          </span>
          <Segments
            aria-labelledby="timeline-answerer"
            value={answerer}
            onChange={setAnswerer}
            options={(['local', 'llm'] as const).map((value) => ({ value, label: words.answerers[value] }))}
          />
        </div>
      )}
      <TimelineChart
        timeline={timeline}
        points={points}
        place={place}
        onPlace={(next) => setMoment(points[next]!.at)}
        by={by}
      />
      {by === 'held' && (beyond > 0 || span === 'all') && (
        <p className={styles.beyond}>
          {span === 'told' && <span>{words.beyond(beyond)}</span>}
          <button
            type="button"
            className="underlined"
            onClick={() => onSpan(span === 'told' ? 'all' : 'told')}
          >
            {span === 'told' ? words.showAll : words.showTold}
          </button>
        </p>
      )}
      <Answers
        scope={scope}
        asked={asked}
        round={round}
        times={settled}
        timeName={formatPoint(point, timeline.unit)}
      />
      {shown !== null && <List scope={scope} entity={entity} bucket={shown} unit={timeline.unit} />}
      <PairList
        scope={scope}
        entity={entity}
        by={by}
        onShow={({ heldSince, learnedAt }) => setMoment(by === 'held' ? heldSince : learnedAt)}
      />
    </>
  );
}

function timesOf(at: number | null, by: By): Pick<InputOf<'ask'>, 'asOf' | 'knownAt'> {
  if (at === null) return {};
  return by === 'held' ? { asOf: at } : { knownAt: at };
}

const beyondOf = ({ before, after }: OutputOf<'timeline'>): number =>
  [before, after].reduce((sum, { turns, begun, ended }) => sum + turns + begun + ended, 0);

interface EntityMenuProps {
  readonly scope: string;
  readonly entity: string | null;
  readonly onChoose: (entity: string | null) => void;
}

/** Narrows the screen to somebody whom memory knows. */
function EntityMenu({ scope, entity, onChoose }: EntityMenuProps) {
  const words = timelineText;
  const people = useReply('portrait', { scope, limit: 1 }, { isFresh: true }).data?.people ?? [];
  if (people.length === 0) return null;
  const name = people.find(({ id }) => id === entity)?.name;
  const title = name === undefined ? words.everybody : speakerName(name);
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className={`picker hovers ${styles.choice}`}
          aria-label={`${words.about}: ${title}`}
        >
          <span className="ellipsis">{title}</span>
          <ChevronDown size={15} aria-hidden />
        </button>
      }
    >
      <MenuItem isChecked={entity === null} onSelect={() => onChoose(null)}>
        {words.everybody}
      </MenuItem>
      {people.map(({ id, name: plain }) => (
        <MenuItem key={id} isChecked={id === entity} onSelect={() => onChoose(id)}>
          {speakerName(plain)}
        </MenuItem>
      ))}
    </Menu>
  );
}
