import { BrainCircuit, LoaderCircle, MessageSquareDashed, Sparkles, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Learned } from '../../main/contract.ts';
import { Button, IconButton } from '../kit/button.tsx';
import { Empty, Loading, Notice } from '../kit/feedback.tsx';
import { FactItem, RejectedItem } from '../parts/fact/fact-item.tsx';
import { useFactActions } from '../parts/fact/use-fact-actions.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { useReply } from '../state/connection.tsx';
import { openSource, takeBack } from '../state/ui.ts';
import { shortened } from '../strings/shortened.ts';
import { text } from '../strings/text.ts';
import styles from './learned-panel.module.css';

/** Milliseconds between two looks while turns are being read, in case an event is missed. */
const PATIENCE = 3_000;
/** The most turns that one request may ask about. */
const MOST = 100;

interface LearnedProps {
  readonly scope: string;
  readonly message: string;
  readonly turns: readonly string[];
}

/** What memory made of an exchange: facts, and the turns that they rest on. All of it can be corrected or forgotten. */
export function LearnedPanel({ scope, turns }: LearnedProps) {
  const words = text.memory.learned;
  const isOff = turns.length === 0;
  const [isPending, setPending] = useState(false);
  const { data, error } = useReply(
    'learned',
    { scope, episodes: turns.slice(0, MOST) },
    { isOff, ...(isPending && { every: PATIENCE }) },
  );
  if (data !== undefined && data.pending > 0 !== isPending) setPending(data.pending > 0);
  if (error) return <Notice kind="problem">{error.message}</Notice>;
  if (isOff || data?.turns.length === 0)
    return (
      <Empty icon={MessageSquareDashed} title={words.gone}>
        <p>{words.goneText}</p>
      </Empty>
    );
  if (data === undefined) return <Loading bars={[[44], [44], [72]]} />;
  return <Shown scope={scope} learned={data} />;
}

interface ShownProps {
  readonly scope: string;
  readonly learned: Learned;
}

function Shown({ scope, learned }: ShownProps) {
  const words = text.memory.learned;
  const { turns, facts, pending } = learned;
  const actions = useFactActions(scope);
  const own = new Set<string>(turns.map(({ id }) => id));
  const rejected = actions.rejected.filter(
    ({ line }) =>
      line.sources.some(({ episode }) => own.has(episode)) && !facts.some(({ id }) => id === line.id),
  );
  return (
    <div className="stack gap-5">
      <section className="stack gap-2" aria-label={words.facts} aria-busy={pending > 0}>
        <h3 className="line gap-6px caption">
          <Sparkles size={14} aria-hidden />
          {words.facts}
        </h3>
        {facts.length + rejected.length > 0 && (
          <ul className={`list-frame ${styles.facts}`}>
            {facts.map((fact) => (
              <FactItem key={fact.id} fact={fact} scope={scope} actions={actions} />
            ))}
            {rejected.map((item) => (
              <RejectedItem key={item.correction} item={item} actions={actions} />
            ))}
          </ul>
        )}
        <div role="status">
          {pending > 0 && (
            <p className={`flex soft text-14 gap-2 ${styles.reading}`}>
              <LoaderCircle size={15} aria-hidden />
              <span>
                <strong className="emphasis">{words.reading}</strong> {words.readingText(pending)}
              </span>
            </p>
          )}
          {pending === 0 && facts.length + rejected.length === 0 && (
            <p className="soft text-14">
              <strong className="emphasis">{words.none}.</strong> {words.noneText}
            </p>
          )}
        </div>
      </section>
      <section className="stack gap-2" aria-label={words.turns}>
        <h3 className="line gap-6px caption">
          <BrainCircuit size={14} aria-hidden />
          {words.turns}
        </h3>
        <ul className="list-frame">
          {turns.map((turn) => (
            <Turn key={turn.id} turn={turn} scope={scope} />
          ))}
        </ul>
      </section>
      <Button
        className="keeps-width"
        kind="danger"
        size="small"
        icon={Trash2}
        onClick={() => takeBack({ scope, episodes: turns.map(({ id }) => id) })}
      >
        {words.undoAll}
      </Button>
    </div>
  );
}

interface TurnProps {
  readonly turn: Learned['turns'][number];
  readonly scope: string;
}

function Turn({ turn, scope }: TurnProps) {
  const words = text.memory.learned;
  return (
    <li className={styles.turn}>
      <button type="button" className="covers stack fills" onClick={() => openSource(scope, turn.id)}>
        <span className="note flex gap-2">
          {speakerName(turn.speaker)}
          {!turn.isRead && <span className="accent-text">{words.waiting}</span>}
        </span>
        <span className={styles.said}>{turn.text}</span>
      </button>
      <IconButton
        icon={Trash2}
        iconSize={15}
        label={words.forgetTurn(shortened(turn.text))}
        onClick={() => takeBack({ scope, episodes: [turn.id] })}
      />
    </li>
  );
}
