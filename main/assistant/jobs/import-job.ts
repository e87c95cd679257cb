import { type ImportCounts, NO_TURNS } from '../../../src/engine/import-turns.ts';
import { FileUnreadableError } from '../../../src/errors/index.ts';
import { detectFormat } from '../../../src/importers/detect-format.ts';
import type { Importer } from '../../../src/importers/importer.ts';
import { IMPORTERS, importerNamed } from '../../../src/importers/registry.ts';
import { reasonOf } from '../../../src/importers/unreadable.ts';
import { TokenBudget } from '../../../src/inference/language-model/calling/token-budget.ts';
import { statementsIn } from '../../../src/inference/language-model/reading/drop-log.ts';
import { type ModelUsage, NO_MODEL_USAGE } from '../../../src/inference/language-model/tokens/usage-meter.ts';
import type { Usage } from '../../../src/model/retrieved-item.ts';
import { withoutUndefined } from '../../../src/util/collections.ts';
import type { Job } from '../../contract/jobs.ts';
import { addGivenFacts } from '../../import-runs/given-facts.ts';
import { shareEnriched, shareStored } from '../../import-runs/import-share.ts';
import type { AppContext } from '../app-context.ts';
import type { JobRun, TaskOf } from './job-task.ts';
import { type OwnSpeaker, withOwnTurns } from './own-turns.ts';
import { Pace, Rate } from './pace.ts';
import type { Upload, Uploads } from './uploads.ts';

type ImportTask = TaskOf<'import'>;

/** An upload with its importer, and the evidence for that. */
export interface ImportSource {
  readonly importer: Importer;
  readonly because: string;
  readonly path: string;
  readonly name: string;
  /** For `read` and `facts` of the importer. */
  readonly settings: Omit<ImportTask['settings'], 'format' | 'speaker' | 'name'>;
  readonly own: OwnSpeaker | null;
}

/** @throws FileUnreadableError, which names the upload as the user does, UnknownNameError */
export async function importSource(
  { path, name }: Upload & { readonly path: string },
  { format, speaker, name: called = speaker, ...settings }: ImportTask['settings'],
): Promise<ImportSource> {
  const own = speaker === undefined || called === undefined ? null : { speaker, name: called };
  const source = { path, name, settings, own };
  if (format !== undefined) return { importer: importerNamed(format), because: 'it was chosen', ...source };
  return { ...(await withName({ path, name }, () => detectFormat(path, IMPORTERS, name))), ...source };
}

/** Calls the upload by the name of its file in messages: its path says nothing to the user. */
export async function withName<T>(
  { path, name }: Pick<ImportSource, 'path' | 'name'>,
  job: () => Promise<T>,
): Promise<T> {
  try {
    return await job();
  } catch (error) {
    if (!FileUnreadableError.isInstance(error)) throw error;
    throw new FileUnreadableError(name, reasonOf(path, error), error);
  }
}

/** Imports an upload, or continues: turns that are stored already are known. */
export async function runImport(
  context: AppContext,
  { uploads, task, run }: { readonly uploads: Uploads; readonly task: ImportTask; readonly run: JobRun },
): Promise<void> {
  const source = await importSource(await uploads.whole(task.upload), task.settings);
  const running = new ImportRun(context, { source, task, run });
  await withName(source, () => running.run().finally(() => running.noteTime()));
}

interface ImportWork {
  readonly source: ImportSource;
  readonly task: ImportTask;
  readonly run: JobRun;
}

/** Names of an import's counts, which `describeImported` reads from the table. */
type ImportTotals = Record<
  | 'read'
  | 'added'
  | 'known'
  | 'superseding'
  | 'rejected'
  | 'leftOut'
  | 'consolidated'
  | 'setAside'
  | 'entities'
  | 'facts'
  | 'pending'
  | 'dropped'
  | 'calls'
  | 'tokens'
  | 'readingSeconds',
  number
>;

class ImportRun {
  readonly #context: AppContext;
  readonly #work: ImportWork;
  readonly #pace = new Pace();
  readonly #rate = new Rate();
  #counts: ImportCounts = NO_TURNS;
  #usage: ModelUsage = NO_MODEL_USAGE;
  #leftOut = 0;
  #givenFacts = 0;
  #dropped = 0;
  #ofFile = 0;
  #storedAfter: number | null = null;
  #timedAt = performance.now();
  #readingSeconds = 0;

  constructor(context: AppContext, work: ImportWork) {
    this.#context = context;
    this.#work = work;
  }

  async run(): Promise<void> {
    const { source, task, run } = this.#work;
    const { signal } = run;
    const { importer, path, name, settings, own } = source;
    const records = importer.read(path, {
      name,
      signal,
      settings: withoutUndefined(settings),
      onLeftOut: () => this.#leftOut++,
      onProgress: ({ done, total }) => {
        this.#ofFile = total === null || total === 0 ? 0 : done / total;
      },
    });
    const { tokenBudget, enrich } = task;
    const events = this.#context.engine.scope(task.scope).import(withOwnTurns(records, own), {
      signal,
      enrich,
      ...(tokenBudget !== undefined && { budget: new TokenBudget(tokenBudget) }),
    });
    let firstRejection: string | undefined;
    for await (const event of events) {
      if (event.type === 'rejected') {
        firstRejection ??= `${event.where}: ${event.reason}`;
        continue;
      }
      this.#counts = event.counts;
      this.#noteUsage(event.usage);
      if (event.type === 'done') {
        this.#dropped = statementsIn(event.dropped);
        run.report({ counts: this.#totals() });
      } else if (event.phase === 'storing') this.#reportStoring();
      else {
        this.#storedAfter ??= event.seconds;
        this.#readingSeconds = event.seconds - this.#storedAfter;
        this.#reportEnriching(event);
      }
    }
    const { read, rejected } = this.#counts;
    if (read > 0 && read === rejected && firstRejection !== undefined)
      throw new FileUnreadableError(path, `nothing in it is a turn (${firstRejection})`);
    if (importer.facts !== undefined)
      await this.#addGivenFacts(importer.facts(path, { name, signal, settings: withoutUndefined(settings) }));
  }

  #reportStoring(): void {
    const { task, run } = this.#work;
    // How long reading for facts takes is unknown until it has begun.
    const secondsToGo = task.enrich ? null : this.#rate.secondsToGo(this.#ofFile, 1);
    const share = task.enrich ? shareStored(this.#ofFile) : this.#ofFile;
    run.report({ phase: 'storing', share, secondsToGo, counts: this.#totals() });
  }

  #reportEnriching({
    toGo,
    grouping,
  }: {
    readonly toGo: { readonly seconds: number } | null;
    readonly grouping?: unknown;
  }): void {
    const { consolidated, setAside, pending } = this.#totals();
    this.#work.run.report({
      phase: grouping === undefined ? 'enriching' : 'grouping',
      share: shareEnriched({ consolidated, setAside, pending }),
      secondsToGo: toGo === null || grouping !== undefined ? null : this.#pace.next(toGo.seconds),
      counts: this.#totals(),
    });
  }

  async #addGivenFacts(records: Parameters<typeof addGivenFacts>[0]): Promise<void> {
    const { task, run } = this.#work;
    run.report({ phase: 'facts', secondsToGo: null });
    const scope = this.#context.engine.scope(task.scope);
    const { added } = await addGivenFacts(records, {
      add: (facts) => scope.addFacts(facts, { signal: run.signal }),
      onRejected: () => undefined, // its turn is stored; the statement is read from it
    });
    this.#givenFacts = added;
    run.report({ counts: this.#totals() });
  }

  #noteUsage(usage: ModelUsage): void {
    const delta = {
      calls: usage.calls - this.#usage.calls,
      promptTokens: usage.promptTokens - this.#usage.promptTokens,
      completionTokens: usage.completionTokens - this.#usage.completionTokens,
    };
    const { config, usage: log } = this.#context;
    log.record({ model: config.llmModel ?? 'unknown', purpose: 'reading', usage: delta });
    this.#usage = usage;
    if (delta.calls > 0) this.#noteUsed(delta);
  }

  /** Notes the time since the last note. */
  noteTime(): void {
    this.#noteUsed(NO_MODEL_USAGE);
  }

  #noteUsed(usage: Usage): void {
    const now = performance.now();
    const milliseconds = now - this.#timedAt;
    this.#timedAt = now;
    const { task, run } = this.#work;
    this.#context.usage.add({ kind: 'import', subject: run.job, model: task.model, usage, milliseconds });
  }

  /** With those of the earlier runs: a turn that one of them added is known to this one. */
  #totals(): ImportTotals {
    const { read, added, known, superseding, rejected, consolidated, setAside, entities, facts, pending } =
      this.#counts;
    const { calls, promptTokens, completionTokens } = this.#usage;
    const before = this.#work.run.earlier.counts;
    const earlier = (name: keyof ImportTotals) => before[name] ?? 0;
    const addedBefore = earlier('added') + earlier('superseding');
    return {
      read: Math.max(read, earlier('read')),
      added: added + earlier('added'),
      known: Math.max(earlier('known'), known - addedBefore),
      superseding: superseding + earlier('superseding'),
      rejected: Math.max(rejected, earlier('rejected')),
      leftOut: Math.max(this.#leftOut, earlier('leftOut')),
      consolidated: consolidated + earlier('consolidated'),
      setAside: setAside + earlier('setAside'),
      entities: entities + earlier('entities'),
      facts: facts + this.#givenFacts + earlier('facts'),
      pending,
      dropped: this.#dropped + earlier('dropped'),
      calls: calls + earlier('calls'),
      tokens: promptTokens + completionTokens + earlier('tokens'),
      readingSeconds: this.#readingSeconds + earlier('readingSeconds'),
    };
  }
}

/** What an import that stopped has stored. */
export function describeImported({ counts }: Pick<Job, 'counts'>): string {
  const { added = 0, superseding = 0, consolidated = 0 } = counts;
  const stored = added + superseding;
  if (stored + consolidated === 0) return 'It stored no turns.';
  return `${stored === 1 ? '1 turn was stored and is' : `${stored} turns were stored and are`} kept; ${consolidated} ${consolidated === 1 ? 'was' : 'were'} read for facts.`;
}
