import { ShieldCheck, TriangleAlert } from 'lucide-react';
import type { ForgetPreview } from '../../../main/contract.ts';
import { Progress } from '../../kit/feedback.tsx';
import { Marked } from '../../kit/marked.tsx';
import { markWords } from '../../kit/marked-parts.ts';
import { text } from '../../strings/text.ts';
import { speakerName } from '../turn/speaker-name.ts';
import styles from './preview-parts.module.css';
import type { ForgetDone, ForgetStep } from './use-forgetting.ts';

/** Vanishing names that are listed. */
const FEW_NAMES = 6;
/** Facts and quotations that are listed. */
const [FEW_FACTS, FEW_QUOTED] = [5, 3];

interface PreviewProps {
  readonly preview: ForgetPreview;
  /** Words to mark. */
  readonly query?: string;
  /** Whether the turns are listed elsewhere. */
  readonly hasOwnTurns?: boolean;
}

/** What a forgetting would remove: how much, with examples. */
export function PreviewParts({ preview, query = '', hasOwnTurns = false }: PreviewProps) {
  const words = text.memory.forget;
  const { counts, examples, facts, alsoSaid, vanishing, reread } = preview;
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
    <div className="stack gap-2">
      <p>{words.goes}</p>
      <ul className="flow gap-6px">
        {[...named, ...(derived > 0 ? [words.derived(derived)] : [])].map((each) => (
          <li key={each} className={styles.count}>
            {each}
          </li>
        ))}
      </ul>
      {!hasOwnTurns && (
        <ul className="stack gap-1">
          {examples.map(({ id, text: said }) => (
            <li key={id} className="quoted soft text-14 may-break">
              <Marked text={markWords(said, query)} />
            </li>
          ))}
        </ul>
      )}
      {hasOwnTurns && facts.length > 0 && (
        <>
          <p>{text.forget.factsGo(reread > 0)}</p>
          <ul className="stack gap-1">
            {[...new Set(facts)].slice(0, FEW_FACTS).map((statement) => (
              <li key={statement} className="quoted soft text-14 may-break">
                <Marked text={markWords(statement, query)} />
              </li>
            ))}
          </ul>
        </>
      )}
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
          <ul className="stack gap-1">
            {alsoSaid.turns.slice(0, FEW_QUOTED).map(({ id, speaker, text: said }) => (
              <li key={id} className="quoted soft text-14 may-break">
                {speakerName(speaker)}: <Marked text={markWords(said, query)} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** How far a forgetting is. */
export function StepProgress({ step }: { readonly step: ForgetStep | null }) {
  const words = text.memory.forget;
  const label = words.steps[step?.step ?? 'removing'];
  return (
    <div role="status" className="stack gap-2">
      <p>{label}</p>
      <Progress share={step === null ? 0 : step.done / Math.max(1, step.total)} label={label} />
    </div>
  );
}

/** What was searched for after a forgetting, and whether anything is left. */
export function Proof({ done, isBrief = true }: { readonly done: ForgetDone; readonly isBrief?: boolean }) {
  const words = text.memory.forget;
  const { proof, fallbacks, onDisk } = done;
  const isChecked = !fallbacks.some(({ step }) => step === 'checking');
  const isClean = isChecked && proof.clean;
  return (
    <div className="flex gap-3" role="status">
      <span className={`${styles.shield} ${isClean ? 'accent' : 'warned'}`}>
        {isClean ? <ShieldCheck size={22} aria-hidden /> : <TriangleAlert size={22} aria-hidden />}
      </span>
      <div className="stack gap-2">
        <p>
          {isClean
            ? words.clean(proof.searched)
            : isChecked
              ? words.unclean(proof.findings.length)
              : words.notChecked}
        </p>
        {proof.findings.map(({ holder, where, texts }) => (
          <p key={`${holder} ${where}`} className="note">
            {text.forget.finding(holder, where, texts)}
          </p>
        ))}
        {fallbacks.map(({ step, reason }) => (
          <p key={step} className="note">
            {reason}
          </p>
        ))}
        {isBrief && onDisk === 'needs vacuum' && <p className="note">{text.forget.diskServer}</p>}
        {isBrief && onDisk === 'needs compact' && (
          <p className="note">
            {words.onDisk} <a href="#/forget">{words.onDiskPlace}</a>
          </p>
        )}
      </div>
    </div>
  );
}
