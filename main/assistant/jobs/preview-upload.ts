import { PreviewTally } from '../../../src/importers/preview-import.ts';
import { DEFAULT_LLM_PROFILE, DEFAULT_LOCAL_PROFILE } from '../../../src/ingest/profile.ts';
import { withoutUndefined } from '../../../src/util/collections.ts';
import { configuredProfileName } from '../../config.ts';
import type { ImportPreviewReply } from '../../contract/jobs.ts';
import {
  lookThrough,
  measureSeconds,
  rehearse,
  TURNS_GLANCED,
  type TurnsInFile,
} from '../../import-runs/import-price.ts';
import { findProfile } from '../../papers.ts';
import type { AppContext } from '../app-context.ts';
import { readPreferences } from '../store/read-preferences.ts';
import { type ImportSource, importSource, withName } from './import-job.ts';
import type { StoredJob } from './job-table.ts';
import type { TaskOf } from './job-task.ts';
import { ownTurn } from './own-turns.ts';
import type { Upload, Uploads } from './uploads.ts';

interface PreviewOptions {
  readonly uploads: Uploads;
  readonly jobs: readonly StoredJob[];
  readonly signal: AbortSignal | undefined;
}

/** What an import of an upload would add, and cost. Stores nothing, and calls no model. */
export async function previewUpload(
  context: AppContext,
  {
    upload: id,
    scope,
    settings = {},
  }: Pick<TaskOf<'import'>, 'upload' | 'scope'> & Partial<Pick<TaskOf<'import'>, 'settings'>>,
  { uploads, jobs, signal }: PreviewOptions,
): Promise<ImportPreviewReply> {
  const upload = await uploads.whole(id);
  const source = await importSource(upload, { ...settings, ...calledAs(context, settings.speaker) });
  return withName(source, async () => {
    const { tally, found } = await look(context, { source, scope, signal });
    const { because, importer } = source;
    const { from, to, ...seen } = tally.result({ format: importer.name, bytes: upload.bytes });
    return {
      upload: id,
      ...nameAndSize(upload),
      format: seen.format,
      because,
      from,
      to,
      conversations: seen.conversations,
      turns: seen.turns,
      known: found.known + found.superseding,
      speakers: seen.speakers.map((speaker) => ({ ...speaker })),
      largest: seen.largest.map(({ id, title, turns }) => ({ name: title ?? id, turns })),
      leftOut: seen.leftOut.map(({ reason, count }) => ({ reason, count })),
      rejected: seen.rejected.map(({ reason, count }) => ({ reason, count })),
      notes: [...seen.notes],
      cost: await costs(context, { found, jobs, signal }),
    };
  });
}

/** What memory calls the speaker who is the user. */
export function calledAs(
  { store }: Pick<AppContext, 'store'>,
  speaker: string | undefined,
): { readonly name?: string } {
  return speaker === undefined ? {} : { name: readPreferences(store).name || speaker };
}

const nameAndSize = ({ name, bytes }: Upload) => ({ name, bytes });

interface LookOptions {
  readonly source: ImportSource;
  readonly scope: string;
  readonly signal: AbortSignal | undefined;
}

async function look({ engine }: AppContext, { source, scope, signal }: LookOptions) {
  const { importer, name, path, settings, own } = source;
  const tally = new PreviewTally();
  const records = importer.read(
    path,
    withoutUndefined({ name, signal, settings: withoutUndefined(settings), ...tally.listeners }),
  );
  const memory = engine.scope(scope);
  const found = await lookThrough(records, {
    tally,
    memory: {
      preview: async (turns) =>
        (await memory.preview(turns.map((turn) => ownTurn(turn, own)))).outcomes.map(({ status }) => status),
    },
  });
  return { tally, found };
}

interface CostOptions extends Pick<PreviewOptions, 'jobs' | 'signal'> {
  readonly found: TurnsInFile;
}

async function costs(context: AppContext, options: CostOptions): Promise<ImportPreviewReply['cost']> {
  const { found, signal } = options;
  const configured = await findProfile(configuredProfileName(context.config));
  const profile = configured.tier === 'local' ? configured : await findProfile(DEFAULT_LOCAL_PROFILE);
  const seconds = await measureSeconds(found, { profile, signal });
  return { local: { seconds }, llm: await llmCost(context, options) };
}

async function llmCost(
  context: AppContext,
  { found, jobs, signal }: CostOptions,
): Promise<ImportPreviewReply['cost']['llm']> {
  const { llmProvider, llmModel: model } = context.config;
  if (llmProvider === 'none' || model === undefined) return null;
  const configured = await findProfile(configuredProfileName(context.config));
  const profile = configured.tier === 'llm' ? configured : await findProfile(DEFAULT_LLM_PROFILE);
  const { calls, promptTokens, completionTokens } = await rehearse(found, TURNS_GLANCED, { profile, signal });
  const price = readPreferences(context.store).prices[model];
  const perCall = secondsPerCall(jobs, model);
  return {
    calls,
    tokens: promptTokens + completionTokens,
    seconds: perCall === null ? null : calls * perCall,
    dollars:
      price === undefined ? null : (promptTokens * price.prompt + completionTokens * price.completion) / 1e6,
  };
}

/** As measured by earlier imports with this model; null if there were none. */
function secondsPerCall(jobs: readonly StoredJob[], model: string): number | null {
  const read = jobs.filter(({ task }) => task.kind === 'import' && task.model === model);
  const sum = (name: string) => read.reduce((total, { job }) => total + (job.counts[name] ?? 0), 0);
  return sum('calls') === 0 ? null : sum('readingSeconds') / sum('calls');
}
