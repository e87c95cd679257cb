import type { Mnemis } from '../src/engine.ts';
import type { TokenBudget } from '../src/inference/language-model/calling/token-budget.ts';
import { type CaseClock, endOf } from './case-clock.ts';
import {
  type EvaluationDataset,
  type Ingested,
  ingestCase,
  NOTHING_INGESTED,
  plusIngested,
} from './datasets/dataset.ts';
import {
  type Agreement,
  agreementOf,
  type FactVerdict,
  type ReaderShares,
  scopeOf,
  sharesByScope,
  verdictsOn,
} from './fact-verdicts.ts';
import { type GoldenFact, type GoldenShare, goldenOf, goldenShare } from './golden-facts.ts';
import { type KnownFact, knownFacts } from './known-facts.ts';

export interface FactEvaluation {
  /** Opened with `clock.now` as its clock. */
  readonly engine: Mnemis;
  readonly clock: CaseClock;
  readonly dataset: EvaluationDataset;
  readonly golden: readonly GoldenFact[];
  /** The verdicts of each reader. */
  readonly verdicts: readonly (readonly FactVerdict[])[];
  readonly signal?: AbortSignal | undefined;
  readonly budget?: TokenBudget | undefined;
  readonly onProgress?: ((done: number, what: string) => void) | undefined;
}

/** What `mnemis eval facts` prints as JSON. */
export interface FactsReport {
  readonly dataset: string;
  readonly profile: string;
  readonly tier: 'local' | 'llm';
  readonly ingest: Ingested;
  /** By scope. */
  readonly facts: Readonly<Record<string, number>>;
  /** By scope, of those that have golden statements. */
  readonly golden: Readonly<Record<string, GoldenShare>>;
  readonly judged: JudgedReport;
}

/** What the readers say of the facts that still come out as they judged them. */
export interface JudgedReport {
  readonly readers: readonly (ReaderShares & {
    /** Judged facts that no longer come out. */
    readonly gone: number;
  })[];
  /** Of the first two readers, on all facts that both judged. */
  readonly agreement: Agreement | null;
}

/** Ingests each case into its own scope, and reads what memory keeps of it as facts. */
export async function evaluateFacts(
  evaluation: FactEvaluation,
): Promise<{ readonly report: FactsReport; readonly facts: readonly KnownFact[] }> {
  const { engine, clock, dataset, golden, verdicts, signal, budget, onProgress } = evaluation;
  const facts: KnownFact[] = [];
  const counts: Record<string, number> = {};
  const kept: Record<string, GoldenShare> = {};
  let ingest = NOTHING_INGESTED;
  for (const each of dataset.cases) {
    onProgress?.(Object.keys(counts).length, each.scope);
    const memory = engine.scope(each.scope);
    clock.set(endOf(each));
    ingest = plusIngested(ingest, await ingestCase(memory, each, { signal, budget }));
    const ofCase = await knownFacts(memory, each);
    facts.push(...ofCase);
    counts[each.scope] = ofCase.length;
    const wanted = goldenOf(golden, each.scope);
    if (wanted.length > 0) kept[each.scope] = goldenShare(wanted, ofCase);
  }
  const report: FactsReport = {
    dataset: dataset.name,
    ...engine.describeIngestion(),
    ingest,
    facts: counts,
    golden: kept,
    judged: judgedReport(verdicts, facts),
  };
  return { report, facts };
}

/** Of the readers' verdicts on the scopes of these facts; null: of all verdicts, as on the day of the sheet. */
export function judgedReport(
  verdicts: readonly (readonly FactVerdict[])[],
  facts: readonly KnownFact[] | null,
): JudgedReport {
  const scopes = new Set(facts?.map(({ scope }) => scope));
  const [first, second] = verdicts;
  return {
    readers: verdicts.map((rows) => {
      const known = facts === null ? rows : rows.filter(({ id }) => scopes.has(scopeOf(id)));
      const alive = facts === null ? rows : verdictsOn(known, facts);
      return { ...sharesByScope(alive), gone: known.length - alive.length };
    }),
    agreement: first && second ? agreementOf(first, second) : null,
  };
}
