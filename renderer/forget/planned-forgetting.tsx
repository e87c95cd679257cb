import { Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { InputOf, MemoryClient, OutputOf } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Notice, Skeleton } from '../kit/feedback.tsx';
import { Field, SwitchRow } from '../kit/field.tsx';
import { Marked } from '../kit/marked.tsx';
import { markWords } from '../kit/marked-parts.ts';
import { PreviewParts, StepProgress } from '../parts/forget/preview-parts.tsx';
import type { Forgetting } from '../parts/forget/use-forgetting.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { wordsOfTurn } from '../parts/turn/words-of-turn.ts';
import { useClient, useReply } from '../state/connection.tsx';
import { formatDate, messageOf, text } from '../strings/text.ts';
import styles from './forget-screen.module.css';
import type { Wanted } from './forget-target.ts';

const words = text.forget;

type Target = InputOf<'previewForget'>['target'];

interface PlannedProps {
  readonly scope: string;
  readonly wanted: Wanted;
  /** Words to mark. */
  readonly query: string;
  readonly forgetting: Forgetting;
}

/** What would be forgotten, and the decision. */
export function PlannedForgetting({ scope, wanted, query, forgetting }: PlannedProps) {
  const { target, problem, found } = useTarget(scope, wanted);
  if (problem !== null) return <Notice kind="problem">{problem}</Notice>;
  if (target === null)
    return (
      <p role="status" className="soft text-14">
        {words.collecting(found)}
      </p>
    );
  return <Planned scope={scope} target={target} query={query} forgetting={forgetting} />;
}

/** As many turns of a speaker or a source as one request collects, and at most. */
const [PAGE, MOST_COLLECTED] = [500, 100_000];

/** The target; of a speaker or a source, its turns are collected first. */
function useTarget(scope: string, wanted: Wanted) {
  const client = useClient();
  const [state, setState] = useState<{ target: Target | null; problem: string | null; found: number }>({
    target: 'target' in wanted ? wanted.target : null,
    problem: null,
    found: 0,
  });
  useEffect(() => {
    if (!('turns' in wanted)) return;
    const stop = new AbortController();
    const onFound = (found: number) => setState((all) => ({ ...all, found }));
    const fail = (problem: string) => !stop.signal.aborted && setState((all) => ({ ...all, problem }));
    collect(client, { scope, ...wanted.turns }, { onFound, signal: stop.signal }).then(
      (episodes) => {
        if (episodes === null) fail(words.tooMany);
        else if (episodes.length === 0) fail(words.noTurns);
        else setState((all) => ({ ...all, target: { episodes } }));
      },
      (error: unknown) => fail(messageOf(error)),
    );
    return () => stop.abort();
  }, [client, scope, wanted]);
  return state;
}

async function collect(
  client: MemoryClient,
  request: InputOf<'turns'>,
  { onFound, signal }: { onFound: (count: number) => void; signal: AbortSignal },
): Promise<string[] | null> {
  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const page: OutputOf<'turns'> = await client.turns(
      { ...request, limit: PAGE, ...(after !== undefined && { after }) },
      { signal },
    );
    ids.push(...page.items.map(({ id }) => id));
    onFound(ids.length);
    if (ids.length > MOST_COLLECTED) return null;
    if (page.next === null) return ids;
    after = page.next;
  }
}

/** Turns that are listed one by one; with more, only examples are shown. */
const MOST_LISTED = 100;
/** With more turns, a word has to be typed. */
const MANY = 25;

interface TargetProps {
  readonly scope: string;
  readonly target: Target;
  readonly query: string;
  readonly forgetting: Forgetting;
}

/** What a target is found to be, and what would go without the turns that are kept. */
function usePreview({ scope, target, forgetting: { isRunning } }: TargetProps) {
  const [quotations, setQuotations] = useState(false);
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  // What the target is found to be, before anything is left out.
  const whole = useReply('previewForget', { scope, target }, { isOff: isRunning, keep: true });
  const found = whole.data?.episodes;
  const left = found?.filter((id) => !kept.has(id)) ?? [];
  // A second search could find other turns: exactly those that were shown are forgotten.
  const isExact = kept.size > 0 || 'query' in target;
  const rest: Target | null = left.length === 0 ? null : { episodes: left };
  const chosen = found === undefined ? null : isExact ? rest : target;
  const { data, error, isPlaceholderData } = useReply(
    'previewForget',
    { scope, target: chosen ?? target, quotations },
    { isOff: isRunning || chosen === null, keep: true },
  );
  const shown = chosen === null ? undefined : data;
  return {
    found,
    chosen,
    shown,
    isEmpty: shown !== undefined && Object.values(shown.counts).every((count) => count === 0),
    problem: whole.error?.message ?? error?.message ?? null,
    isOutdated: isPlaceholderData,
    quotations,
    setQuotations,
    kept,
    keep: (id: string, isKept: boolean) =>
      setKept((before) => new Set(isKept ? [...before, id] : [...before].filter((each) => each !== id))),
  };
}

function Planned(props: TargetProps) {
  const { scope, target, query, forgetting } = props;
  const { isRunning } = forgetting;
  const preview = usePreview(props);
  const { found, chosen, shown, isEmpty, quotations } = preview;
  const heading = useRef<HTMLHeadingElement>(null);
  const isReady = shown !== undefined;
  useEffect(() => {
    if (!isReady) return;
    heading.current?.focus({ preventScroll: true });
    // From the heading on, so that the decision below is in view as well.
    heading.current?.scrollIntoView({ block: 'start', behavior: 'smooth' });
  }, [isReady]);
  const failure = forgetting.problem ?? preview.problem;
  if (found === undefined && failure === null)
    return (
      <div role="status" aria-label={words.showing} className={styles.card}>
        <Skeleton width="60%" />
        <Skeleton height={64} />
      </div>
    );
  const listed = found !== undefined && found.length <= MOST_LISTED && !('all' in target) ? found : [];
  return (
    <section className={styles.card} aria-labelledby="what-would-go">
      <h2 id="what-would-go" ref={heading} tabIndex={-1}>
        {words.previewTitle}
      </h2>
      {listed.length > 0 && (
        <TurnList
          scope={scope}
          ids={listed}
          kept={preview.kept}
          query={query}
          isDisabled={isRunning}
          onKeep={preview.keep}
        />
      )}
      {shown !== undefined && !isEmpty && (
        <PreviewParts preview={shown} query={query} hasOwnTurns={listed.length > 0} />
      )}
      {(isEmpty || (chosen === null && found !== undefined)) && (
        <p className="soft text-14">{words.nothing}</p>
      )}
      {'entity' in target && target.episodes !== true && !isEmpty && (
        <p className="soft text-14">{words.stays}</p>
      )}
      {shown !== undefined && shown.alsoSaid.total + Number(quotations) > 0 && (
        <SwitchRow
          label={text.memory.forget.quotations}
          isOn={quotations}
          isDisabled={isRunning}
          onChange={preview.setQuotations}
        />
      )}
      {failure !== null && <Notice kind="problem">{failure}</Notice>}
      <Decision isAll={'all' in target} preview={preview} forgetting={forgetting} />
    </section>
  );
}

interface DecisionProps {
  readonly isAll: boolean;
  readonly preview: ReturnType<typeof usePreview>;
  readonly forgetting: Forgetting;
}

/** The button that forgets, with many turns after a word was typed; then how far it is. */
function Decision({ isAll, preview, forgetting }: DecisionProps) {
  const { step, isRunning, run, cancel } = forgetting;
  const { shown, chosen, isEmpty, isOutdated, quotations } = preview;
  const [typed, setTyped] = useState('');
  if (isRunning)
    return (
      <>
        <StepProgress step={step} />
        <div className="line wrap at-end gap-3">
          {step !== null && <span className="soft text-14">{words.tooLateToCancel}</span>}
          <Button disabled={step !== null} onClick={cancel}>
            {words.cancel}
          </Button>
        </div>
      </>
    );
  if (shown === undefined || chosen === null || isEmpty) return null;
  const turns = shown.episodes.length;
  const isLarge = isAll || turns > MANY;
  const isConfirmed = !isLarge || typed.trim().toLowerCase() === words.confirmWord;
  return (
    <>
      {isLarge && (
        <Field
          label={words.typeToConfirm(words.confirmWord)}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
      <div className="line wrap at-end gap-3">
        <span className="soft text-14">{words.confirmTitle}</span>
        <Button
          kind="danger"
          icon={Trash2}
          disabled={!isConfirmed || isOutdated}
          onClick={() => void run({ target: chosen, quotations })}
        >
          {isAll ? words.confirmAll : words.confirm(turns)}
        </Button>
      </div>
    </>
  );
}

interface TurnsProps {
  readonly scope: string;
  readonly ids: readonly string[];
  readonly kept: ReadonlySet<string>;
  readonly query: string;
  readonly isDisabled: boolean;
  readonly onKeep: (id: string, isKept: boolean) => void;
}

const LONGEST_NAME = 60;

/** The turns, each with a mark that can be taken away. */
function TurnList({ scope, ids, kept, query, isDisabled, onKeep }: TurnsProps) {
  const { data, error } = useReply('episodes', { scope, ids: [...ids] }, { isOff: isDisabled, keep: true });
  if (error !== null) return <Notice kind="problem">{error.message}</Notice>;
  if (data === undefined) return <Skeleton height={80} />;
  return (
    <fieldset className={styles.turns} disabled={isDisabled}>
      <legend>
        {words.turnsTitle(ids.length)}
        {ids.length > 1 && <span className="soft text-14 light">{words.turnsLead}</span>}
      </legend>
      <ul className="frame divided">
        {data.map(({ id, speaker, validAt, ...turn }) => {
          const said = wordsOfTurn(turn);
          return (
            <li key={id} data-kept={kept.has(id) || undefined}>
              <label className="flex gap-3">
                <input
                  type="checkbox"
                  checked={!kept.has(id)}
                  aria-label={words.keepTurn(said.slice(0, LONGEST_NAME))}
                  onChange={({ target }) => onKeep(id, !target.checked)}
                />
                <span className="stack may-narrow">
                  <span className="faint text-12">
                    {speakerName(speaker)} · {formatDate(validAt)}
                  </span>
                  <span className={styles.said}>
                    <Marked text={markWords(said, query)} />
                  </span>
                </span>
              </label>
            </li>
          );
        })}
      </ul>
      {data.length < ids.length && (
        <p className="soft text-14">{words.moreTurns(ids.length - data.length)}</p>
      )}
    </fieldset>
  );
}
