import { existsSync } from 'node:fs';
import type { IngestionCost, StageCost } from '../../../eval/ingestion-cost.ts';
import type { Importer } from '../../../src/importers/importer.ts';
import {
  bytesOf,
  type ImportPreview,
  type LeftOutCount,
  PreviewTally,
} from '../../../src/importers/preview-import.ts';
import type { IngestProfile } from '../../../src/ingest/profile.ts';
import { isDatabaseUrl } from '../../../src/util/database-url.ts';
import { isoDay } from '../../../src/util/iso-day.ts';
import { type Config, configuredProfileName } from '../../config.ts';
import {
  type KnownTurns,
  lookThrough,
  NOTHING_KNOWN,
  rehearseTurns,
} from '../../import-runs/import-price.ts';
import { findProfile } from '../../papers.ts';
import { CommandConsole, cancellable, counted, type Terminal } from '../console.ts';
import type { CommonFlags } from '../flags.ts';
import { type ImportTask, readOptionsOf } from '../import-task.ts';
import { startProgress } from '../progress.ts';
import { settingsOf, withClient } from '../run-command.ts';

interface ImportPrice extends StageCost {
  readonly profile: string;
  readonly turns: number;
  readonly new: number;
  readonly known: number;
  readonly superseding: number;
  readonly rejected: number;
  /** Turns of the scope that wait already. The import also reads them; this price excludes them. */
  readonly pending: number;
  readonly sessions: number;
  /** Number of turns measured; the figures are extrapolated if there are more new turns. */
  readonly rehearsed: number;
  readonly byStage: IngestionCost['byStage'];
  /** The cost of each tier, with the configured profile or the tier's default. */
  readonly byTier: Readonly<
    Record<'local' | 'llm', StageCost & { readonly profile: string; readonly rehearsed: number }>
  >;
  /** The content of the file, including turns that memory already has. */
  readonly preview: ImportPreview;
}

/**
 * Estimates what imports would add and cost. Stores nothing; an existing memory reports which turns it already has.
 */
export async function pricesOf(
  terminal: Terminal,
  flags: CommonFlags & Partial<Config>,
  tasks: readonly ImportTask[],
): Promise<{ prices: readonly ImportPrice[]; console: CommandConsole }> {
  const { json = false, ...configured } = flags;
  const { values: config } = settingsOf(terminal, configured);
  const console = new CommandConsole(terminal, json);
  const prices: ImportPrice[] = [];
  const run = async (signal: AbortSignal, memory: Known) => {
    for (const task of tasks) {
      const { importer, path, only } = task;
      const tally = new PreviewTally();
      const records = importer.read(path, { ...readOptionsOf(task, signal), ...tally.listeners });
      const priced = await priceTurns(records, { memory, signal, console, tally });
      const preview = tally.result({ format: importer.name, bytes: await bytesOf(path, only ?? undefined) });
      prices.push({ ...priced, preview });
    }
  };
  if (isDatabaseUrl(config.path) || existsSync(config.path))
    await withClient(terminal, { ...flags, access: 'reads' }, async ({ client, memory, signal }) => {
      const { scope } = config;
      const served = memory === null ? (await client.health({})).ingestion : null;
      await run(signal, {
        profile: await findProfile(served?.profile ?? configuredProfileName(config)),
        pending: (await client.stats({ scope })).enrichment.pending,
        preview: async (turns) => {
          const { outcomes } = await client.preview({ scope, turns: [...turns] }, { signal });
          return outcomes.map(({ status }) => status);
        },
      });
    });
  else
    await cancellable(terminal, async (signal) =>
      run(signal, {
        ...NOTHING_KNOWN,
        pending: 0,
        profile: await findProfile(configuredProfileName(config)),
      }),
    );
  return { prices, console };
}

/** What the price needs from the memory: its ingest profile, its waiting turns, and which turns it already has. */
interface Known extends KnownTurns {
  readonly profile: IngestProfile;
  readonly pending: number;
}

interface Pricing {
  readonly memory: Known;
  readonly signal: AbortSignal;
  readonly console: CommandConsole;
  readonly tally: PreviewTally;
}

async function priceTurns(
  records: ReturnType<Importer['read']>,
  { memory, signal, console, tally }: Pricing,
): Promise<Omit<ImportPrice, 'preview'>> {
  const { sample, ...counts } = await lookThrough(records, { memory, tally });
  const { profile, pending } = memory;
  const progress = startProgress(console, 'Pricing', 1);
  const { cost, local, llm } = await rehearseTurns({ ...counts, sample }, { profile, signal }).finally(() =>
    progress.stop(),
  );
  return { ...counts, ...cost, pending, byTier: { local, llm } };
}

export function describePrice(price: ImportPrice): string[] {
  const parts = [
    `${price.new} new`,
    `${price.known} already known`,
    ...(price.superseding > 0 ? [`${price.superseding} new versions`] : []),
    ...(price.rejected > 0 ? [`${price.rejected} would be skipped`] : []),
  ];
  const fresh = price.new + price.superseding;
  const waiting = `${counted(price.pending, 'turn')} already ${price.pending === 1 ? 'waits and is' : 'wait and are'} also read`;
  return [
    `${counted(price.turns, 'turn')} in the file: ${parts.join(', ')}; nothing was stored`,
    ...describePreview(price.preview),
    price.calls === 0
      ? `Profile "${price.profile}": no language model calls`
      : `Profile "${price.profile}": about ${calls(price)}, for ${counted(price.sessions, 'session')}`,
    ...Object.entries(price.byStage).map(
      ([stage, each]) =>
        `  ${stage.padEnd(20)}${counted(each.calls, 'call').padStart(12)}, ${counted(each.promptTokens, 'prompt token')}, ${counted(each.completionTokens, 'completion token')}`,
    ),
    ...(price.calls > 0 && price.rehearsed < fresh
      ? [`Measured on the first ${counted(price.rehearsed, 'turn')} and extrapolated.`]
      : []),
    ...(price.calls === 0 && price.byTier.llm.calls > 0
      ? [`With --tier llm (profile "${price.byTier.llm.profile}"): about ${calls(price.byTier.llm)}`]
      : []),
    ...(price.pending > 0
      ? [`${waiting}; ${price.pending === 1 ? 'it is' : 'they are'} not in this price`]
      : []),
  ];
}

function calls({ calls, promptTokens, completionTokens }: StageCost): string {
  return `${counted(calls, 'call')} of the language model with ${counted(promptTokens, 'prompt token')} and some ${counted(completionTokens, 'completion token')}`;
}

const SPEAKERS_SHOWN = 6;

function describePreview(preview: ImportPreview): string[] {
  const { bytes, conversations, from, notes, rejected, speakers, to, turns } = preview;
  if (turns === 0) return [...describeLeftOut(preview.leftOut), ...describeRejected(rejected)];
  const size = bytes === null ? '' : `, ${describeBytes(bytes)}`;
  const names = speakers.slice(0, SPEAKERS_SHOWN).map(({ name, turns: said }) => `${name} (${said})`);
  const more = speakers.length > SPEAKERS_SHOWN ? ' and others' : '';
  return [
    `From ${isoDay(from)} to ${isoDay(to)}, in ${counted(conversations, 'conversation')}${size}`,
    `Speakers: ${names.join(', ')}${more}`,
    ...describeLeftOut(preview.leftOut),
    ...describeRejected(rejected),
    ...notes.map((note) => `${note}.`),
  ];
}

/** Records skipped on purpose, by reason. */
export function describeLeftOut(leftOut: readonly LeftOutCount[]): string[] {
  return leftOut.map(({ count, reason, where }) => `Skipped: ${count} × ${reason} (${where})`);
}

function describeRejected(rejected: readonly LeftOutCount[]): string[] {
  return rejected.map(({ count, reason, where }) => `Broken: ${count} × ${reason} (${where})`);
}

function describeBytes(bytes: number): string {
  if (bytes < 1024) return counted(bytes, 'byte');
  const megabytes = bytes / 1024 / 1024;
  return megabytes < 1 ? `${(bytes / 1024).toFixed(1)} KB` : `${megabytes.toFixed(1)} MB`;
}
