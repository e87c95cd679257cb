import { existsSync } from 'node:fs';
import type { IngestionCost, StageCost } from '../../../eval/ingestion-cost.ts';
import type { Importer, ImportSettings } from '../../../src/importers/importer.ts';
import {
  bytesOf,
  type ImportPreview,
  type LeftOutCount,
  PreviewTally,
} from '../../../src/importers/preview-import.ts';
import {
  DEFAULT_LLM_PROFILE,
  DEFAULT_LOCAL_PROFILE,
  type IngestProfile,
  profileNamed,
} from '../../../src/ingest/profile.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { isoDay } from '../../../src/util/iso-day.ts';
import { type Config, configuredProfileName } from '../../config.ts';
import { findProfile } from '../../papers.ts';
import { CommandConsole, counted, type Terminal } from '../console.ts';
import type { CommonFlags } from '../flags.ts';
import { startProgress } from '../progress.ts';
import { cancellable, settingsOf, withClient } from '../run-command.ts';

/** The file to import, its importer and how to read it. */
export interface ImportTask {
  readonly importer: Importer;
  readonly file: string;
  readonly settings: ImportSettings;
}

/** Above this number of turns, the price is extrapolated from the first whole sessions of the file. */
const TURNS_REHEARSED = 2_000;
/** The same for the tier that is not configured, where a rough estimate is enough. */
const TURNS_GLANCED = 200;
const TURNS_PER_LOOK = 256;

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

interface Counts {
  turns: number;
  known: number;
  superseding: number;
  rejected: number;
}

/**
 * Estimates what an import would add and cost. Stores nothing; an existing memory reports which turns it already has.
 */
export async function priceOf(
  terminal: Terminal,
  flags: CommonFlags & Partial<Config>,
  { importer, file, settings }: ImportTask,
): Promise<{ price: ImportPrice; console: CommandConsole }> {
  const { json = false, ...configured } = flags;
  const { values: config } = settingsOf(terminal, configured);
  const console = new CommandConsole(terminal, json);
  let price: ImportPrice | undefined;
  const tally = new PreviewTally();
  const run = async (signal: AbortSignal, memory: Known) => {
    const records = importer.read(file, { signal, settings, ...tally.listeners });
    const priced = await priceTurns(records, { memory, signal, console, tally });
    const preview = tally.result({ format: importer.name, bytes: await bytesOf(file) });
    price = { ...priced, preview };
  };
  if (config.path !== ':memory:' && existsSync(config.path))
    await withClient(terminal, { ...flags, access: 'reads' }, async ({ client, memory, signal }) => {
      const { scope } = config;
      const served = memory === null ? (await client.health({})).ingestion : null;
      await run(signal, {
        profile: await findProfile(served?.profile ?? configuredProfileName(config)),
        pending: (await client.stats({ scope })).enrichment.pending,
        preview: async (turns) => {
          if (turns.length === 0) return [];
          const { outcomes } = await client.preview({ scope, turns: [...turns] }, { signal });
          return outcomes.map(({ status }) => status);
        },
      });
    });
  else
    await cancellable(terminal, async (signal) =>
      run(signal, { ...NOTHING_KNOWN, profile: await findProfile(configuredProfileName(config)) }),
    );
  return { price: price!, console };
}

/** What the price needs from the memory: its ingest profile, its waiting turns, and which turns it already has. */
interface Known {
  readonly profile: IngestProfile;
  readonly pending: number;
  readonly preview: (
    turns: readonly TurnInput[],
  ) => Promise<readonly ('added' | 'known' | 'superseding' | 'rejected')[]>;
}

const NOTHING_KNOWN: Omit<Known, 'profile'> = {
  pending: 0,
  preview: async (turns) => turns.map(() => 'added'),
};

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
  const { counts, fresh } = await lookThrough(records, { memory, tally });
  const { profile } = memory;
  const isLocal = profile.tier === 'local';
  const progress = startProgress(console, 'Pricing', 1);
  const asked = await rehearse(fresh, isLocal ? 0 : TURNS_REHEARSED, { profile, signal })
    .then(async (cost) => {
      const dear = profileNamed(DEFAULT_LLM_PROFILE);
      return { cost, llm: isLocal ? await rehearse(fresh, TURNS_GLANCED, { profile: dear, signal }) : cost };
    })
    .finally(() => progress.stop());
  const { byStage, ...cost } = asked.cost;
  const { byStage: _, ...llm } = asked.llm;
  return {
    ...counts,
    ...cost,
    new: fresh.length - counts.superseding,
    pending: memory.pending,
    sessions: new Set(fresh.map(({ session = 'main' }) => session)).size,
    byStage,
    byTier: {
      local: { profile: isLocal ? profile.name : DEFAULT_LOCAL_PROFILE, rehearsed: 0, ...NO_COST },
      llm,
    },
  };
}

const NO_COST: StageCost = { calls: 0, promptTokens: 0, completionTokens: 0 };

/** Returns the turns that the memory does not have, asking it in batches. */
async function lookThrough(
  records: ReturnType<Importer['read']>,
  { memory, tally }: Pick<Pricing, 'memory' | 'tally'>,
): Promise<{ counts: Counts; fresh: readonly TurnInput[] }> {
  const counts: Counts = { turns: 0, known: 0, superseding: 0, rejected: 0 };
  const fresh: TurnInput[] = [];
  let batch: TurnInput[] = [];
  const look = async () => {
    for (const [at, status] of (await memory.preview(batch)).entries()) {
      if (status === 'added' || status === 'superseding') fresh.push(batch[at]!);
      if (status !== 'added') counts[status]++;
    }
    batch = [];
  };
  for await (const record of records) {
    tally.add(record);
    counts.turns++;
    if (record.kind === 'rejected') counts.rejected++;
    else if (batch.push(record.turn) === TURNS_PER_LOOK) await look();
  }
  await look();
  return { counts, fresh };
}

type Rehearsed = Pick<ImportPrice, 'profile' | 'rehearsed' | 'byStage'> & StageCost;

/** Estimates the cost of the turns from whole sessions with at least the first `enough` of them. */
async function rehearse(
  fresh: readonly TurnInput[],
  enough: number,
  { profile, signal }: { profile: IngestProfile; signal: AbortSignal },
): Promise<Rehearsed> {
  const sample = enough === 0 ? [] : wholeSessions(fresh, enough);
  if (sample.length === 0) return { profile: profile.name, rehearsed: 0, byStage: {}, ...NO_COST };
  const { measureIngestionCost } = await import('../../../eval/ingestion-cost.ts');
  const cost = await measureIngestionCost([{ scope: 'price', turns: sample }], { profile, signal });
  const factor = fresh.length / sample.length;
  const stages = Object.entries(cost.byStage).map(([stage, each]) => [stage, times(each, factor)] as const);
  return {
    profile: profile.name,
    rehearsed: sample.length,
    ...times(cost, factor),
    byStage: Object.fromEntries(stages),
  };
}

/** The first turns, up to the end of the session that holds turn number `enough`. */
function wholeSessions(turns: readonly TurnInput[], enough: number): readonly TurnInput[] {
  const last = turns[enough - 1]?.session;
  const end = turns.findIndex(({ session }, at) => at >= enough && session !== last);
  return end === -1 ? turns : turns.slice(0, end);
}

function times({ calls, promptTokens, completionTokens }: StageCost, factor: number): StageCost {
  return {
    calls: Math.round(calls * factor),
    promptTokens: Math.round(promptTokens * factor),
    completionTokens: Math.round(completionTokens * factor),
  };
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

/** The content of the file, as lines of text. */
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
