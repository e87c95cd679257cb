import { existsSync } from 'node:fs';
import type { IngestionCost, StageCost } from '../../../src/eval/ingestion-cost.ts';
import type { Importer } from '../../../src/importers/importer.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { type Config, configuredProfile, resolveConfig } from '../../config.ts';
import { CommandConsole, type Terminal } from '../console.ts';
import { counted } from '../counted.ts';
import { startProgress } from '../progress.ts';
import { type CommonFlags, cancellable, withMemory } from '../with-memory.ts';

/** More turns than this are priced by whole sessions from the file's beginning. */
const TURNS_REHEARSED = 2_000;
const TURNS_PER_LOOK = 256;

export interface ImportPrice extends StageCost {
  readonly profile: string;
  readonly turns: number;
  readonly new: number;
  readonly known: number;
  readonly superseding: number;
  readonly rejected: number;
  /** Turns of the scope that wait already: the import reads them along, and their price is not in this one. */
  readonly pending: number;
  readonly sessions: number;
  /** How many turns the figures were measured on; fewer than are new, they are extrapolated. */
  readonly rehearsed: number;
  readonly byStage: IngestionCost['byStage'];
}

interface Counts {
  turns: number;
  known: number;
  superseding: number;
  rejected: number;
}

/** What an import would bring and cost. Nothing is stored; a memory that is there tells which turns it knows. */
export async function priceOf(
  terminal: Terminal,
  flags: CommonFlags & Partial<Config>,
  { importer, file }: { importer: Importer; file: string },
): Promise<{ price: ImportPrice; console: CommandConsole }> {
  const { json = false, ...settings } = flags;
  const { values: config } = resolveConfig({
    flags: settings,
    environment: terminal.env,
    folder: terminal.cwd(),
  });
  const console = new CommandConsole(terminal, json);
  let price: ImportPrice | undefined;
  const run = async (signal: AbortSignal, memory: Known) => {
    price = await priceTurns(importer.read(file, { signal }), { config, memory, signal, console });
  };
  if (config.path !== ':memory:' && existsSync(config.path))
    await withMemory(terminal, { ...flags, access: 'reads' }, async ({ memory, signal }) =>
      run(signal, {
        pending: (await memory.stats()).enrichment.pending,
        preview: async (turns) => (await memory.preview(turns)).outcomes.map(({ status }) => status),
      }),
    );
  else await cancellable(terminal, (signal) => run(signal, NOTHING_KNOWN));
  return { price: price!, console };
}

/** What a memory says of the turns to come, and how many wait in it. */
interface Known {
  readonly pending: number;
  readonly preview: (
    turns: readonly TurnInput[],
  ) => Promise<readonly ('added' | 'known' | 'superseding' | 'rejected')[]>;
}

const NOTHING_KNOWN: Known = { pending: 0, preview: async (turns) => turns.map(() => 'added') };

async function priceTurns(
  records: ReturnType<Importer['read']>,
  {
    config,
    memory,
    signal,
    console,
  }: { config: Config; memory: Known; signal: AbortSignal; console: CommandConsole },
): Promise<ImportPrice> {
  const { measureIngestionCost } = await import('../../../src/eval/ingestion-cost.ts');
  const profile = configuredProfile(config);
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
    counts.turns++;
    if (record.kind === 'rejected') counts.rejected++;
    else if (batch.push(record.turn) === TURNS_PER_LOOK) await look();
  }
  await look();
  const sample = profile.tier === 'local' ? [] : wholeSessions(fresh, TURNS_REHEARSED);
  const progress = startProgress(console, 'Pricing', 1);
  const cost = await measureIngestionCost(sample.length === 0 ? [] : [{ scope: 'price', turns: sample }], {
    profile,
    signal,
  }).finally(() => progress.stop());
  const factor = sample.length === 0 ? 0 : fresh.length / sample.length;
  return {
    profile: profile.name,
    ...counts,
    new: fresh.length - counts.superseding,
    pending: memory.pending,
    sessions: new Set(fresh.map(({ session = 'main' }) => session)).size,
    rehearsed: sample.length,
    ...times(cost, factor),
    byStage: Object.fromEntries(
      Object.entries(cost.byStage).map(([stage, each]) => [stage, times(each, factor)]),
    ),
  };
}

/** The first turns, up to the end of the session in which there are enough. */
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
    ...(price.rejected > 0 ? [`${price.rejected} would be left out`] : []),
  ];
  const fresh = price.new + price.superseding;
  const calls = `${counted(price.calls, 'call')} of the language model with ${counted(price.promptTokens, 'prompt token')} and some ${counted(price.completionTokens, 'completion token')}`;
  const waiting = `${counted(price.pending, 'turn')} already ${price.pending === 1 ? 'waits and is' : 'wait and are'} read along`;
  return [
    `${counted(price.turns, 'turn')} in the file: ${parts.join(', ')}; nothing was stored`,
    price.calls === 0
      ? `Profile "${price.profile}": no call of a language model`
      : `Profile "${price.profile}": about ${calls}, for ${counted(price.sessions, 'session')}`,
    ...Object.entries(price.byStage).map(
      ([stage, each]) =>
        `  ${stage.padEnd(20)}${counted(each.calls, 'call').padStart(12)}, ${counted(each.promptTokens, 'prompt token')}, ${counted(each.completionTokens, 'completion token')}`,
    ),
    ...(price.calls > 0 && price.rehearsed < fresh
      ? [`Measured on the first ${counted(price.rehearsed, 'turn')} and extrapolated.`]
      : []),
    ...(price.pending > 0
      ? [`${waiting}; ${price.pending === 1 ? 'it is' : 'they are'} not in this price`]
      : []),
  ];
}
