import { type ImportCounts, type ImportEvent, NO_TURNS } from '../../src/engine/import-turns.ts';
import type { EnrichmentReport } from '../../src/engine/ingestion/enrichment-report.ts';
import { CancelledError } from '../../src/errors/index.ts';
import type { Importer, ImportRecord, ImportSettings } from '../../src/importers/importer.ts';
import type { ImportPart } from '../../src/importers/plan-import.ts';
import { type LeftOutCount, PreviewTally } from '../../src/importers/preview-import.ts';
import { NO_MODEL_USAGE } from '../../src/inference/language-model/tokens/usage-meter.ts';
import { TURN_KNOWN } from '../../src/ingest/admit/plan-episodes.ts';
import { groupBy, withoutUndefined } from '../../src/util/collections.ts';
import { importInParts } from '../client/import-in-parts.ts';
import { withBudget } from '../client/with-budget.ts';
import { configuredProfileName } from '../config.ts';
import { addGivenFacts, type GivenFacts } from '../import-runs/given-facts.ts';
import { shareEnriched, shareStored } from '../import-runs/import-share.ts';
import { counted } from './console.ts';
import { describeEnriching, stagesReport, usageReport } from './enrichment.ts';
import { startProgress } from './progress.ts';
import type { ClientCommand } from './run-command.ts';

/** The most rejected records to print; the rest are only counted. */
const REJECTIONS_SHOWN = 20;

/** Files of one format to import, and how to read them. */
export interface ImportTask extends Pick<ImportPart, 'importer' | 'path' | 'only'> {
  readonly file: string;
  /** The file's own name, where its path does not have it. */
  readonly name?: string | undefined;
  readonly settings: ImportSettings;
}

/** For `read` and `facts` of the importer. */
export function readOptionsOf({ name, only, settings }: ImportTask, signal: AbortSignal) {
  return { signal, settings, ...withoutUndefined({ name, only: only ?? undefined }) };
}

export interface ImportReport extends ImportCounts {
  readonly file: string;
  readonly format: string;
  readonly profile: string;
  readonly hierarchy: EnrichmentReport['hierarchy'];
  readonly seconds: number;
  readonly turnsPerSecond: number;
  readonly usage: ReturnType<typeof usageReport>;
  readonly byStage: ReturnType<typeof stagesReport>;
  readonly dropped: EnrichmentReport['dropped'];
  readonly rejections: readonly { readonly where: string; readonly reason: string }[];
  /** Turns that were read but not stored, by reason; `rejections` has the places. */
  readonly notStored: readonly {
    readonly status: 'known' | 'rejected';
    readonly reason: string;
    readonly turns: number;
  }[];
  /** Records skipped on purpose, by reason. */
  readonly leftOut: readonly LeftOutCount[];
  /** Assumptions of the reader, such as a date order. */
  readonly notes: readonly string[];
  /** Null if the format has no statements. */
  readonly givenFacts: GivenFacts | null;
}

interface RunOptions {
  /** Whether the stored turns are read for facts. */
  readonly enrich: boolean;
  /** Name of the file among others of the same import, for messages. */
  readonly among?: string | undefined;
  /** Number of turns that earlier parts of the same import stored, for the message of a cancellation. */
  readonly storedBefore?: number;
}

export async function runImport(
  command: ClientCommand,
  task: ImportTask,
  { enrich, among, storedBefore = 0 }: RunOptions,
): Promise<ImportReport> {
  const { client, config, console, signal } = command;
  const { importer, path, file } = task;
  const rejections: { where: string; reason: string }[] = [];
  let [state, share]: [ImportState, number] = [NOT_BEGUN, 0];
  let givenFacts: GivenFacts | null = null;
  let failure: unknown = null;
  const progress = startProgress(console, 'Importing', 100);
  const tally = new PreviewTally();
  const options = readOptionsOf(task, signal);
  const records = importer.read(path, {
    ...options,
    ...tally.listeners,
    onProgress: ({ done, total }) => {
      share = total === null || total === 0 ? 0 : done / total;
    },
  });
  try {
    for await (const event of eventsOf(command, records, enrich)) {
      if (event.type === 'rejected') rejections.push({ where: event.where, reason: event.reason });
      else state = stateAfter(event, state);
      if (event.type !== 'progress') continue;
      const { counts, seconds } = event;
      if (event.phase === 'storing')
        progress.update(
          100 * shareStored(share),
          `${counted(counts.read, 'turn')} stored${seconds > 0 ? `, ${Math.round(counts.read / seconds)}/s` : ''}`,
          null, // reading for facts takes most of the time, and its speed is not known yet
        );
      else
        progress.update(100 * shareEnriched(counts), describeEnriching(event), event.toGo?.seconds ?? null);
    }
    if (importer.facts !== undefined)
      givenFacts = await addGivenFacts(importer.facts(path, options), {
        add: (facts) => client.addFacts({ scope: config.scope, facts }, { signal }),
        onRejected: (rejection) => rejections.push(rejection),
      });
  } catch (error) {
    failure = error;
    throw withAdvice(error, state.counts, storedBefore);
  } finally {
    progress.stop(); // before the next line is printed: output would break the bar
    const { pending } = state.counts;
    if (failure !== null && pending > 0 && !CancelledError.isInstance(failure))
      console.note(
        `The turns are stored and searchable; ${pending} wait to be read for facts ("mnemis resume" reads them). It stopped because:`,
      );
    const of = among === undefined ? '' : `${among}: `;
    for (const note of tally.notes) console.note(`${of}${note}.`);
    for (const { where, reason } of rejections.slice(0, REJECTIONS_SHOWN))
      console.note(`${of}${where}: ${reason}; skipped`);
    const hidden = rejections.length - REJECTIONS_SHOWN;
    if (hidden > 0) console.note(`${hidden} more were skipped; --json lists all`);
  }
  const { counts, hierarchy, seconds, usage, byStage, dropped } = state;
  return {
    file,
    format: importer.name,
    profile: await profileOf(command),
    ...counts,
    hierarchy,
    seconds: Math.round(seconds * 1000) / 1000,
    turnsPerSecond: seconds === 0 ? 0 : Math.round((counts.read / seconds) * 10) / 10,
    usage: usageReport(usage),
    byStage: stagesReport(byStage),
    dropped,
    rejections,
    notStored: notStoredIn(counts.known, rejections),
    leftOut: tally.leftOut,
    notes: tally.notes,
    givenFacts,
  };
}

function notStoredIn(known: number, rejections: ImportReport['rejections']): ImportReport['notStored'] {
  const rejected = groupBy(rejections, ({ reason }) => reason);
  return [
    ...(known === 0 ? [] : [{ status: 'known' as const, reason: TURN_KNOWN, turns: known }]),
    ...Array.from(rejected, ([reason, some]) => ({
      status: 'rejected' as const,
      reason,
      turns: some.length,
    })),
  ];
}

/** Reads the turns for facts that several imports have stored. */
export async function enrichStored(command: ClientCommand): Promise<ImportReport> {
  const nothing: Importer = { name: 'none', description: 'nothing', read: async function* () {} };
  const task = { importer: nothing, path: '', only: null, file: '', settings: {} };
  return runImport(command, task, { enrich: true });
}

export async function profileOf({ client, memory, config }: ClientCommand): Promise<string> {
  return memory === null ? (await client.health({})).ingestion.profile : configuredProfileName(config);
}

type ImportState = Pick<
  Extract<ImportEvent, { type: 'done' }>,
  'counts' | 'usage' | 'seconds' | 'hierarchy' | 'byStage' | 'dropped'
>;

const NOT_BEGUN: ImportState = {
  counts: NO_TURNS,
  usage: NO_MODEL_USAGE,
  seconds: 0,
  hierarchy: null,
  byStage: {},
  dropped: [],
};

function stateAfter(event: Exclude<ImportEvent, { type: 'rejected' }>, before: ImportState): ImportState {
  const { counts, usage, seconds } = event;
  const { hierarchy, byStage, dropped } = event.type === 'done' ? event : before;
  return { counts, usage, seconds, hierarchy, byStage, dropped };
}

function eventsOf(
  { client, memory, config: { scope, llmTokenBudget: tokenBudget }, signal }: ClientCommand,
  records: AsyncIterable<ImportRecord>,
  enrich: boolean,
): AsyncIterable<ImportEvent> {
  if (memory === null) return importInParts(client, records, { scope, enrich, tokenBudget, signal });
  return memory.import(records, { ...withBudget({ tokenBudget }, { signal }), enrich });
}

/** Replaces the cancellation of a reader or a model call, which does not know what was stored. */
function withAdvice(
  error: unknown,
  { added, superseding, consolidated }: ImportCounts,
  storedBefore: number,
): unknown {
  const kept = `${counted(storedBefore + added + superseding, 'turn')} stored and kept`;
  if (CancelledError.isInstance(error))
    return new CancelledError(
      consolidated > 0
        ? `${kept}, ${consolidated} of them read for facts; "mnemis resume" continues`
        : `${kept}; import the same file again to continue`,
      error,
    );
  return error;
}
