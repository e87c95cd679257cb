import type { IngestionCost, StageCost } from '../../eval/ingestion-cost.ts';
import { Mnemis } from '../../src/engine.ts';
import type { Importer } from '../../src/importers/importer.ts';
import type { PreviewTally } from '../../src/importers/preview-import.ts';
import {
  DEFAULT_LLM_PROFILE,
  DEFAULT_LOCAL_PROFILE,
  type IngestProfile,
  profileNamed,
} from '../../src/ingest/profile.ts';
import { NO_USAGE } from '../../src/model/retrieved-item.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';

/** Above this number of turns, the price is extrapolated from the first whole sessions of the file. */
const TURNS_REHEARSED = 2_000;
/** The same where a rough estimate is enough, such as for the tier that is not configured. */
export const TURNS_GLANCED = 60;
const TURNS_PER_LOOK = 256;
/** A sample ends here, even in the middle of a session. */
const LONGEST_SAMPLE = 16_000;

type Outcome = 'added' | 'known' | 'superseding' | 'rejected';

/** What the price needs from a memory. */
export interface KnownTurns {
  /** What adding the turns would do. */
  readonly preview: (turns: readonly TurnInput[]) => Promise<readonly Outcome[]>;
}

export const NOTHING_KNOWN: KnownTurns = { preview: async (turns) => turns.map(() => 'added') };

/** Turns of a file, by what memory has of them. */
export interface TurnsInFile {
  readonly turns: number;
  readonly new: number;
  readonly known: number;
  readonly superseding: number;
  readonly rejected: number;
  /** With turns that are new or new versions. */
  readonly sessions: number;
  /** The first of those turns: whole sessions, from which costs are extrapolated. */
  readonly sample: readonly TurnInput[];
}

/** Reads a file once, asks memory for its turns in batches, and keeps no more of them than a sample. */
export async function lookThrough(
  records: ReturnType<Importer['read']>,
  { memory, tally }: { readonly memory: KnownTurns; readonly tally: PreviewTally },
): Promise<TurnsInFile> {
  const counts = { turns: 0, new: 0, known: 0, superseding: 0, rejected: 0 };
  const sessions = new Set<string>();
  const sample = new Sample();
  let batch: TurnInput[] = [];
  const look = async () => {
    if (batch.length === 0) return;
    for (const [at, status] of (await memory.preview(batch)).entries()) {
      counts[status === 'added' ? 'new' : status]++;
      if (status !== 'added' && status !== 'superseding') continue;
      sessions.add(sessionOf(batch[at]!));
      sample.add(batch[at]!);
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
  return { ...counts, sessions: sessions.size, sample: sample.turns };
}

/** Collects the first turns up to the end of a session. */
class Sample {
  readonly turns: TurnInput[] = [];
  #isComplete = false;

  add(turn: TurnInput): void {
    const { length } = this.turns;
    const isEnough =
      length >= TURNS_REHEARSED && sessionOf(turn) !== sessionOf(this.turns[TURNS_REHEARSED - 1]!);
    this.#isComplete ||= isEnough || length >= LONGEST_SAMPLE;
    if (!this.#isComplete) this.turns.push(turn);
  }
}

const sessionOf = ({ session = 'main' }: TurnInput) => session;

/** An estimate for all new turns, from `rehearsed` of them. */
export interface Rehearsed extends StageCost {
  readonly profile: string;
  readonly rehearsed: number;
  readonly byStage: IngestionCost['byStage'];
}

interface RehearsalOptions {
  readonly profile: IngestProfile;
  readonly signal: AbortSignal | undefined;
}

export interface ImportCosts {
  /** With the given profile. */
  readonly cost: Rehearsed;
  readonly local: TierCost;
  readonly llm: TierCost;
}

interface TierCost extends StageCost {
  readonly profile: string;
  readonly rehearsed: number;
}

/** Estimates what reading the turns costs in calls and tokens, with a profile and on both tiers. Calls no model. */
export async function rehearseTurns(
  found: Pick<TurnsInFile, 'new' | 'superseding' | 'sample'>,
  { profile, signal }: RehearsalOptions,
): Promise<ImportCosts> {
  const isLocal = profile.tier === 'local';
  const cost = await rehearse(found, isLocal ? 0 : TURNS_REHEARSED, { profile, signal });
  const dear = profileNamed(DEFAULT_LLM_PROFILE);
  const { byStage: _, ...llm } = isLocal
    ? await rehearse(found, TURNS_GLANCED, { profile: dear, signal })
    : cost;
  const name = isLocal ? profile.name : DEFAULT_LOCAL_PROFILE;
  return { cost, local: { profile: name, rehearsed: 0, ...NO_USAGE }, llm };
}

/** Estimates the cost of the turns from whole sessions with at least the first `enough` of them. */
export async function rehearse(
  found: Pick<TurnsInFile, 'new' | 'superseding' | 'sample'>,
  enough: number,
  { profile, signal }: RehearsalOptions,
): Promise<Rehearsed> {
  const sample = enough === 0 ? [] : wholeSessions(found.sample, enough);
  if (sample.length === 0) return { profile: profile.name, rehearsed: 0, byStage: {}, ...NO_USAGE };
  const { measureIngestionCost } = await import('../../eval/ingestion-cost.ts');
  const cost = await measureIngestionCost([{ scope: 'price', turns: sample }], { profile, signal });
  const factor = (found.new + found.superseding) / sample.length;
  const stages = Object.entries(cost.byStage).map(([stage, each]) => [stage, times(each, factor)] as const);
  return {
    profile: profile.name,
    rehearsed: sample.length,
    ...times(cost, factor),
    byStage: Object.fromEntries(stages),
  };
}

/** The first turns, up to the end of the session that holds turn number `enough`, or `enough` turns if it is long. */
function wholeSessions(turns: readonly TurnInput[], enough: number): readonly TurnInput[] {
  const last = turns[enough - 1]?.session;
  const end = turns.slice(0, 2 * enough).findIndex(({ session }, at) => at >= enough && session !== last);
  return turns.slice(0, end === -1 ? enough : end);
}

function times({ calls, promptTokens, completionTokens }: StageCost, factor: number): StageCost {
  return {
    calls: Math.round(calls * factor),
    promptTokens: Math.round(promptTokens * factor),
    completionTokens: Math.round(completionTokens * factor),
  };
}

/** Loads what reading needs and compiles it; an import of a whole file hardly notices this. */
const TURNS_TO_WARM_UP = 20;

/**
 * Seconds that storing the turns and reading them for facts takes with a local profile, measured on the first turns in
 * a temporary memory.
 */
export async function measureSeconds(
  found: Pick<TurnsInFile, 'new' | 'superseding' | 'sample'>,
  { profile, signal }: RehearsalOptions,
): Promise<number> {
  const sample = wholeSessions(found.sample, TURNS_GLANCED);
  if (sample.length === 0) return 0;
  const engine = await Mnemis.open({ path: ':memory:', profile, automatic: false });
  try {
    const read = async (scope: string, turns: readonly TurnInput[]) => {
      const records = turns.map((turn, at) => ({ kind: 'turn' as const, turn, where: `turn ${at + 1}` }));
      for await (const _ of engine.scope(scope).import(records, { signal }));
    };
    await read('warm-up', sample.slice(0, TURNS_TO_WARM_UP));
    const started = performance.now();
    await read('price', sample);
    const seconds = (performance.now() - started) / 1000;
    return (seconds * (found.new + found.superseding)) / sample.length;
  } finally {
    await engine.close();
  }
}
