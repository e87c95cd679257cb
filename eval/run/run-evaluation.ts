import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import type { Mnemis } from '../../src/engine.ts';
import {
  BudgetExhaustedError,
  CancelledError,
  ModelMissingError,
  RuntimeMissingError,
  UnknownNameError,
} from '../../src/errors/index.ts';
import { defineError, type MnemisError } from '../../src/errors/mnemis-error.ts';
import type { Embedder } from '../../src/inference/embedder.ts';
import type { TokenBudget } from '../../src/inference/language-model/calling/token-budget.ts';
import type { LanguageModel } from '../../src/inference/language-model.ts';
import type { IngestProfile } from '../../src/ingest/profile.ts';
import type { Recipe } from '../../src/retrieve/recipes/recipe.ts';
import { groupBy } from '../../src/util/collections.ts';
import { digestOf } from '../../src/util/digest-of.ts';
import { scoresOf, withoutCitations } from '../answers-report.ts';
import { type Baseline, runBaselines } from '../baselines.ts';
import { type CaseClock, endOf } from '../case-clock.ts';
import {
  type EvaluationDataset,
  type EvaluationQuestion,
  ingestCase,
  type SourceIdAt,
  sourceIdsByPlace,
} from '../datasets/dataset.ts';
import { composedOf } from '../evaluate-answers.ts';
import { turnsInSubgraph } from '../evaluate-retrieval.ts';
import { type Grade, type Judge, judgeInput } from '../judges/judge.ts';
import type { ComposedContext } from '../metrics/evidence-metrics.ts';
import type { KeptReplies } from './kept-replies.ts';
import type { KeptAnswer, KeptResults } from './kept-results.ts';
import { figuresOf, type Measured } from './metrics.ts';
import { profileSettings, type ResolvedRow, settingsOf } from './spec.ts';

/** A memory as a line needs it. */
export interface MemoryAsked {
  /** Name of its file in the folder of the run. */
  readonly name: string;
  readonly profile: IngestProfile;
  readonly reranker: string | undefined;
  readonly embedder: string | undefined;
  /** Whether a model reads, walks or answers. */
  readonly needsModel: boolean;
  readonly seed: number;
}

export interface OpenedMemory {
  readonly engine: Mnemis;
  readonly clock: CaseClock;
  close(): Promise<void>;
}

/** What results depend on besides the lines; part of the keys by which they are kept. */
export interface RunSetting {
  readonly version: string;
  /** Digest of the data set. */
  readonly data: string;
  readonly embedder: string;
  readonly reranker: string;
  /** Reads, walks and answers; null: none is needed. */
  readonly model: string | null;
  readonly judgeModel: string | null;
  /** Digests of the prompts of judges by file, by the names of the judges. */
  readonly judgeFiles: Readonly<Record<string, string>>;
}

/** Input of `runEvaluation`. */
export interface EvaluationRun {
  readonly dataset: EvaluationDataset;
  readonly rows: readonly ResolvedRow[];
  readonly seeds: readonly number[];
  readonly setting: RunSetting;
  readonly results: KeptResults;
  /** Null: no model is used, or its replies need not be kept. */
  readonly replies: KeptReplies | null;
  readonly openMemory: (asked: MemoryAsked) => Promise<OpenedMemory>;
  /** For baselines. */
  readonly embedder: () => Promise<Embedder>;
  readonly judgeOf: (name: string) => Promise<Judge>;
  readonly judgeModel: (seed: number) => Promise<LanguageModel>;
  /** Questions at once. */
  readonly concurrency: number;
  readonly signal?: AbortSignal | undefined;
  readonly budget?: TokenBudget | undefined;
  readonly onProgress?: ((done: number, total: number, what: string) => void) | undefined;
}

/** A line of the table, with all its answers. */
export interface LineResult {
  readonly row: ResolvedRow;
  readonly answers: readonly KeptAnswer[];
}

export interface EvaluationResult {
  readonly lines: readonly LineResult[];
  /** Lines whose models are not installed. */
  readonly skipped: readonly { readonly label: string; readonly reason: string }[];
}

/** The key of a line's results. */
export function keyOfRow(row: ResolvedRow, { setting }: Pick<EvaluationRun, 'setting'>): string {
  return digestOf({
    ...settingsOf(row),
    ...setting,
    model: asksModel(row) ? setting.model : null,
    judgeModel: row.judge === null ? null : setting.judgeModel,
    judgeFiles: setting.judgeFiles[row.judge ?? ''] ?? null,
  });
}

/** Whether a model walks or answers, which then walks for the line. */
function asksModel({ profile, answerer }: ResolvedRow): boolean {
  return profile.tier === 'llm' || answerer === 'llm';
}

/** The name of the memory that a profile writes. */
export function memoryName(
  { profile, embedder }: Pick<ResolvedRow, 'profile' | 'embedder'>,
  { setting }: Pick<EvaluationRun, 'setting'>,
): string {
  const { version, data, model } = setting;
  const written = {
    ...{ version, data, profile: profileSettings(profile), embedder: embedder ?? setting.embedder },
    model: profile.tier === 'llm' ? model : null,
  };
  return `${profile.name.replaceAll(/[^\w-]+/g, '-').slice(0, 60)}-${digestOf(written).slice(0, 8)}.db`;
}

/**
 * Runs the lines of a table on a data set. Each profile reads it once, into a memory that stays; each question of each
 * line is asked once for each seed. What is done is kept, so that a run after a kill or a cancel goes on behind it.
 *
 * @throws CancelledError, BudgetExhaustedError: what was done is kept.
 */
export async function runEvaluation(run: EvaluationRun): Promise<EvaluationResult> {
  const progress = new Progress(run);
  const skipped = new Map<ResolvedRow, string>();
  for (const [name, rows] of groupBy(run.rows, (row) => memoryOf(row, run))) {
    if (name === null) {
      await askBaselines(rows, run, progress);
      continue;
    }
    for (const [, alike] of groupBy(rows, (row) => `${asksModel(row)} ${row.reranker}`)) {
      try {
        await ingest(name, alike[0]!, run, progress);
        for (const seed of run.seeds) await askRows(name, alike, { seed, run, progress });
      } catch (error) {
        const reason = reasonOf(alike[0]!, error);
        for (const row of alike) skipped.set(row, reason);
      }
    }
  }
  const lines = run.rows
    .filter((row) => !skipped.has(row))
    .map((row) => ({
      row,
      answers: answersOf(row, run),
    }));
  return { lines, skipped: [...skipped].map(([{ label }, reason]) => ({ label, reason })) };
}

/** In the order of the data set and of the seeds, whatever the order in which they were given. */
function answersOf(row: ResolvedRow, run: EvaluationRun): KeptAnswer[] {
  const key = keyOfRow(row, run);
  return [...questionsOf(run)].flatMap(({ case: { scope }, question: { id } }) =>
    run.seeds.flatMap((seed) => run.results.answer({ row: key, seed, scope, id }) ?? []),
  );
}

/** Why lines are left out: a model that they name is not there. Any other error ends the run. */
function reasonOf({ reranker, embedder }: ResolvedRow, error: unknown): string {
  const missing = [ModelMissingError, RuntimeMissingError, UnknownNameError];
  if ((reranker ?? embedder) === undefined || !missing.some((kind) => kind.isInstance(error))) throw error;
  return (error as Error).message;
}

function memoryOf(row: ResolvedRow, run: EvaluationRun): string | null {
  return isBaseline(row) ? null : memoryName(row, run);
}

function isBaseline(row: ResolvedRow): row is BaselineRow {
  return typeof row.recipe === 'string';
}

type BaselineRow = Omit<ResolvedRow, 'recipe'> & { readonly recipe: Baseline };

/** Counts questions, each of each line and seed, and conversations to read. */
class Progress {
  #done = 0;
  readonly #total: number;
  readonly #tell: EvaluationRun['onProgress'];
  readonly #signal: AbortSignal | undefined;

  constructor({ dataset, rows, seeds, onProgress, signal }: EvaluationRun) {
    const questions = dataset.cases.reduce((sum, each) => sum + each.questions.length, 0);
    this.#total = questions * rows.length * seeds.length;
    this.#tell = onProgress;
    this.#signal = signal;
  }

  /** @throws CancelledError */
  check(): void {
    if (this.#signal?.aborted)
      throw new CancelledError(
        `${this.#done} of ${this.#total} questions are done and kept; the same command goes on behind them`,
        this.#signal.reason,
      );
  }

  tell(what: string): void {
    this.#tell?.(this.#done, this.#total, what);
  }

  add(what: string, questions = 1): void {
    this.#done += questions;
    this.tell(what);
  }
}

/** Of the model that writes: lines with other seeds share a memory. */
const WRITING_SEED = 42;

async function ingest(name: string, row: ResolvedRow, run: EvaluationRun, progress: Progress): Promise<void> {
  const { dataset, results, replies, signal, budget } = run;
  const missing = dataset.cases.filter(({ scope }) => results.ingested(name, scope) === undefined);
  if (missing.length === 0) return;
  if (replies !== null) replies.phase = name;
  const { profile, reranker, embedder } = row;
  const needsModel = profile.tier === 'llm';
  const opened = await run.openMemory({ name, profile, reranker, embedder, needsModel, seed: WRITING_SEED });
  try {
    for (const each of missing) {
      progress.check();
      progress.tell(`${profile.name} reads ${each.scope}`);
      opened.clock.set(endOf(each));
      const { turns, seconds, setAside } = await ingestCase(opened.engine.scope(each.scope), each, {
        signal,
        budget,
      }).catch((error: unknown) => {
        progress.check();
        throw error;
      });
      await results.keep({ kind: 'ingested', memory: name, scope: each.scope, turns, seconds, setAside });
    }
  } finally {
    await opened.close();
  }
}

interface Asking {
  readonly seed: number;
  readonly run: EvaluationRun;
  readonly progress: Progress;
}

async function askRows(name: string, rows: readonly ResolvedRow[], asking: Asking): Promise<void> {
  const { run, seed, progress } = asking;
  const open = rows.filter((row) => missingOf(row, asking).length > 0);
  for (const { label } of rows.filter((row) => !open.includes(row)))
    progress.add(label, [...questionsOf(run)].length);
  if (open.length === 0) return;
  const { profile, reranker, embedder } = rows[0]!;
  const needsModel = asksModel(rows[0]!);
  const opened = await run.openMemory({ name, profile, reranker, embedder, needsModel, seed });
  try {
    for (const row of open) await askRow(row, opened, asking);
  } finally {
    await opened.close();
  }
}

function* questionsOf({ dataset }: EvaluationRun) {
  for (const each of dataset.cases) for (const question of each.questions) yield { case: each, question };
}

function missingOf(row: ResolvedRow, { run, seed }: Pick<Asking, 'run' | 'seed'>) {
  const key = keyOfRow(row, run);
  return [...questionsOf(run)].filter(
    ({ case: { scope }, question: { id } }) =>
      run.results.answer({ row: key, seed, scope, id }) === undefined,
  );
}

async function askRow(row: ResolvedRow, { engine, clock }: OpenedMemory, asking: Asking): Promise<void> {
  const { run, seed, progress } = asking;
  const key = keyOfRow(row, run);
  if (run.replies !== null) run.replies.phase = key;
  const grade = await graderOf(row, asking);
  for (const each of run.dataset.cases) {
    const memory = engine.scope(each.scope);
    const sourceIdAt = sourceIdsByPlace(each.turns);
    // The clock is the engine's: only questions of one time are asked at once.
    for (const [time, questions] of groupBy(each.questions, ({ askedAt }) => askedAt ?? endOf(each))) {
      clock.set(time);
      await atOnce(questions, row.answerer === 'llm' ? run.concurrency : 1, async (question) => {
        const known = run.results.answer({ row: key, seed, scope: each.scope, id: question.id });
        if (known === undefined) {
          progress.check();
          const asked = { row, grade, question, memory, sourceIdAt, run };
          const { measured, ...said } = await ask(asked).catch((error: unknown) => {
            progress.check();
            throw error;
          });
          await run.results.keep(lineOf(measured, said, { row: key, seed, scope: each.scope }));
        }
        progress.add(row.label);
      });
    }
  }
}

/** Runs jobs, at most `most` at once; the first failure ends it when those under way have ended. */
async function atOnce<T>(items: readonly T[], most: number, job: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  let failed = false;
  const worker = async () => {
    for (const item of left) {
      if (failed) return;
      await job(item).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: most }, worker));
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
}

type Grader = (question: EvaluationQuestion, answer: string | null) => Promise<Grade>;

async function graderOf({ judge: name }: ResolvedRow, { run, seed }: Asking): Promise<Grader | null> {
  if (name === null) return null;
  const { signal, budget } = run;
  const [judge, model] = [await run.judgeOf(name), await run.judgeModel(seed)];
  return async (question, answer) => {
    const failures: string[] = [];
    const onFailure = ({ code }: MnemisError) => failures.push(code);
    const grade = await judge.grade(judgeInput(question, answer), { model, signal, budget, onFailure });
    stopIfOfEveryQuestion(failures);
    return grade;
  };
}

/** The model cannot be reached or refuses this account: a result without it would be that of another line. */
export class EvaluationStoppedError extends defineError('evaluation-stopped', (reason: string) => ({
  message: `The language model failed (${reason}). What was done before is kept; the same command goes on behind it when the model answers again.`,
})) {}
/** What will fail for the next question too; other failures are the question's own. */
const OF_EVERY_QUESTION = /\bmodel-(?:unavailable|key|quota|process|closed)\b/;

/** @param failures - Codes of errors, or notes that name them. @throws EvaluationStoppedError */
function stopIfOfEveryQuestion(failures: readonly string[]): void {
  for (const failure of failures) {
    const code = OF_EVERY_QUESTION.exec(failure)?.[0];
    if (code !== undefined) throw new EvaluationStoppedError(code);
  }
}

interface AskedQuestion {
  readonly row: ResolvedRow;
  readonly grade: Grader | null;
  readonly question: EvaluationQuestion;
  readonly memory: MemoryScope;
  readonly sourceIdAt: SourceIdAt;
  readonly run: EvaluationRun;
}

interface Said {
  /** Null: it was declined, or nobody answers. */
  readonly answer: string | null;
  readonly verdict: string | null;
  readonly notes: readonly string[];
}

async function ask(asked: AskedQuestion): Promise<Said & { readonly measured: Measured }> {
  const { row, question, memory, sourceIdAt, run } = asked;
  const { signal, budget } = run;
  const recipe = row.recipe as Recipe;
  const options = { recipe, signal, budget, contextForm: row.context, earlier: question.earlier };
  const started = performance.now();
  let context: ComposedContext | null = null;
  const given =
    row.answerer === 'none'
      ? null
      : await memory.ask(question.text, {
          ...options,
          answerer: row.answerer,
          onContext: (composed) => {
            context = composedOf(composed, sourceIdAt);
          },
        });
  const block = given === null ? await memory.context(question.text, options) : null;
  if (block !== null) context = composedOf(block, sourceIdAt);
  const milliseconds = performance.now() - started;
  if (budget?.exhausted) throw new BudgetExhaustedError(budget.limit, budget.spent);
  const { ranked, routes } = (given?.search ?? block?.search)!;
  const ofRoutes = routes.flatMap(({ failure, notes }) => [...(failure === null ? [] : [failure]), ...notes]);
  stopIfOfEveryQuestion([...(given?.notes ?? []), ...ofRoutes]);
  const subgraph =
    row.answerer === 'none' ? await turnsInSubgraph(memory, question.text, { recipe, signal }) : null;
  const idsOf = (turns: typeof ranked.episodes) => turns.flatMap((turn) => sourceIdAt(turn) ?? []);
  const answer = given === null || !given.answered ? null : withoutCitations(given.text);
  const graded = given === null ? null : await asked.grade?.(question, answer);
  return {
    answer,
    verdict: graded?.verdict ?? null,
    notes: given?.notes ?? [],
    measured: {
      question,
      rankedTurns: idsOf(ranked.episodes),
      rankedSessions: ranked.episodes.map(({ session }) => session),
      subgraphTurns: subgraph === null ? null : subgraph.flatMap((turn) => sourceIdAt(turn) ?? []),
      routes,
      context,
      milliseconds,
      answer:
        given === null
          ? null
          : {
              isDeclined: !given.answered,
              scores: scoresOf(answer ?? '', given.answered, question.answer),
              judged: graded?.score ?? null,
              promptTokens: given.usage.promptTokens,
              completionTokens: given.usage.completionTokens,
            },
    },
  };
}

function lineOf(
  measured: Measured,
  { answer, verdict, notes }: Said,
  of: Pick<KeptAnswer, 'row' | 'seed' | 'scope'>,
): KeptAnswer {
  const { id, category, text, answer: gold, evidenceTurns } = measured.question;
  return {
    kind: 'answer',
    ...of,
    ...{ id, category, question: text, gold, answer, verdict },
    evidenceTurns: [...evidenceTurns],
    rankedTurns: measured.rankedTurns.slice(0, DEPTH_KEPT),
    contextTurns: [...(measured.context?.turns ?? [])],
    figures: figuresOf(measured),
    notes: [...notes],
  };
}
/** Turns whose order is kept, for recalls of other depths. */
const DEPTH_KEPT = 100;

/** Baselines rank the turns of a conversation without a memory. */
async function askBaselines(
  rows: readonly ResolvedRow[],
  run: EvaluationRun,
  progress: Progress,
): Promise<void> {
  const [seed] = run.seeds as [number];
  const wanted = rows.filter(isBaseline);
  for (const each of run.dataset.cases) {
    progress.check();
    const open = wanted.filter((row) =>
      missingOf(row, { run, seed }).some(({ case: { scope } }) => scope === each.scope),
    );
    const rankings = open.length === 0 ? null : await runBaselines(each, await run.embedder(), run.signal);
    for (const row of wanted) {
      for (const ranked of rankings?.[row.recipe] ?? []) {
        const of = { row: keyOfRow(row, run), seed, scope: each.scope };
        if (run.results.answer({ ...of, id: ranked.question.id }) !== undefined) continue;
        const measured = { ...ranked, subgraphTurns: null, routes: [], context: null, answer: null };
        await run.results.keep(lineOf(measured, NOTHING_SAID, of));
      }
      progress.add(row.label, each.questions.length);
    }
  }
}
const NOTHING_SAID: Said = { answer: null, verdict: null, notes: [] };
