import { ShieldCheck, Trash2, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { ForgetEvent, ForgetPreview, MethodName } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Notice, Progress, Skeleton } from '../kit/feedback.tsx';
import { SwitchRow } from '../kit/field.tsx';
import { refresh, useClient, useReply } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import styles from './forget-dialog.module.css';

/** What may have changed after something was forgotten. */
const AFFECTED: readonly MethodName[] = [
  ...(['learned', 'portrait', 'recentChanges', 'session', 'episodes', 'corrections', 'stats'] as const),
  ...(['facts', 'turns', 'names', 'entities', 'graph', 'entityPage', 'categoryPage'] as const),
  ...(['why', 'conversation', 'conversations', 'searchConversations', 'tree', 'entity', 'fact'] as const),
];

type Done = Extract<ForgetEvent, { readonly type: 'done' }>;
type Step = Exclude<ForgetEvent, Done>;

interface ForgetProps {
  readonly scope: string;
  /** Ids of the turns. */
  readonly episodes: readonly string[];
  /** @param isForgotten Whether they are gone. */
  readonly onClose: (isForgotten: boolean) => void;
}

/** Forgets turns: says first what goes with them, then how far it is, at last what was proved. */
export function ForgetDialog({ scope, episodes, onClose }: ForgetProps) {
  const words = text.memory.forget;
  const client = useClient();
  const [quotations, setQuotations] = useState(false);
  const [step, setStep] = useState<Step | null>(null);
  const [done, setDone] = useState<Done | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isRunning, setRunning] = useState(false);
  const target = episodes.length === 1 ? { episode: episodes[0]! } : { episodes: [...episodes] };
  const preview = useReply(
    'previewForget',
    { scope, target, quotations },
    { isOff: done !== null, keep: true },
  );
  const forget = async () => {
    setRunning(true);
    setProblem(null);
    try {
      for await (const event of client.forget({ scope, target, quotations }))
        if (event.type === 'done') setDone(event);
        else setStep(event);
      refresh(...AFFECTED);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : text.app.problem);
    }
    setRunning(false);
    setStep(null);
  };
  if (done !== null)
    return (
      <Dialog
        isOpen
        onClose={() => onClose(true)}
        title={words.done}
        actions={
          <Button kind="primary" onClick={() => onClose(true)}>
            {text.app.close}
          </Button>
        }
      >
        <Proof done={done} />
      </Dialog>
    );
  const failure = problem ?? preview.error?.message ?? null;
  return (
    <Dialog
      isOpen
      onClose={() => !isRunning && onClose(false)}
      title={episodes.length === 1 ? words.title : words.titleMany}
      actions={
        <>
          <Button disabled={isRunning} onClick={() => onClose(false)}>
            {text.app.cancel}
          </Button>
          <Button
            kind="danger"
            icon={Trash2}
            disabled={isRunning || preview.data === undefined}
            onClick={() => void forget()}
          >
            {words.confirm}
          </Button>
        </>
      }
    >
      {preview.data === undefined && failure === null && (
        <div role="status" aria-label={words.counting} className={styles.loading}>
          <Skeleton width="70%" />
          <Skeleton height={48} />
        </div>
      )}
      {preview.data !== undefined && <Preview preview={preview.data} />}
      {preview.data !== undefined && preview.data.alsoSaid.total + Number(quotations) > 0 && (
        <SwitchRow
          label={words.quotations}
          isOn={quotations}
          isDisabled={isRunning}
          onChange={setQuotations}
        />
      )}
      {isRunning && (
        <div role="status" className={styles.loading}>
          <p>{words.steps[step?.step ?? 'removing']}</p>
          <Progress
            share={step === null ? 0 : step.done / Math.max(1, step.total)}
            label={words.steps[step?.step ?? 'removing']}
          />
        </div>
      )}
      {failure !== null && <Notice kind="problem">{failure}</Notice>}
    </Dialog>
  );
}

/** Vanishing names that are listed. */
const FEW_NAMES = 6;

function Preview({ preview }: { readonly preview: ForgetPreview }) {
  const words = text.memory.forget;
  const { counts, examples, alsoSaid, vanishing, reread } = preview;
  const kinds = Object.entries(counts).filter(([, count]) => count > 0);
  const named = kinds.flatMap(([kind, count]) => {
    const forms = words.kinds[kind];
    return forms === undefined ? [] : [words.kind(count, forms)];
  });
  const derived = kinds.reduce(
    (sum, [kind, count]) => sum + (words.kinds[kind] === undefined ? count : 0),
    0,
  );
  return (
    <div className={styles.preview}>
      <p>{words.goes}</p>
      <ul className={styles.counts}>
        {[...named, ...(derived > 0 ? [words.derived(derived)] : [])].map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
      <ul className={styles.examples}>
        {examples.map(({ id, text: said }) => (
          <li key={id}>{said}</li>
        ))}
      </ul>
      {vanishing.length > 0 && (
        <p>
          {words.vanishing(
            vanishing.slice(0, FEW_NAMES).map(({ name }) => name),
            Math.max(0, vanishing.length - FEW_NAMES),
          )}
        </p>
      )}
      {reread > 0 && <p>{words.reread(reread)}</p>}
      {alsoSaid.total > 0 && (
        <>
          <p>{words.quoted(alsoSaid.total)}</p>
          <ul className={styles.examples}>
            {alsoSaid.turns.slice(0, 3).map(({ id, speaker, text: said }) => (
              <li key={id}>
                {speaker}: {said}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function Proof({ done }: { readonly done: Done }) {
  const words = text.memory.forget;
  const { proof, fallbacks, onDisk } = done;
  const isChecked = !fallbacks.some(({ step }) => step === 'checking');
  const isClean = isChecked && proof.clean;
  return (
    <div className={styles.proof} role="status">
      <span className={styles.shield} data-clean={isClean || undefined}>
        {isClean ? <ShieldCheck size={22} aria-hidden /> : <TriangleAlert size={22} aria-hidden />}
      </span>
      <div>
        <p>
          {isClean
            ? words.clean(proof.searched)
            : isChecked
              ? words.unclean(proof.findings.length)
              : words.notChecked}
        </p>
        {fallbacks.map(({ step, reason }) => (
          <p key={step} className={styles.faint}>
            {reason}
          </p>
        ))}
        {onDisk === 'needs compact' && <p className={styles.faint}>{words.onDisk}</p>}
      </div>
    </div>
  );
}
