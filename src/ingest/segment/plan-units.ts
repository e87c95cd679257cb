import type { TurnToRead } from '../extract/extractor.ts';
import type { Partition } from '../profile.ts';
import { BUFFER_LIMITS, type BufferLimits, FEWEST_TURNS } from './defaults.ts';
import type { Segmenter, TurnToSegment } from './segmenter.ts';

/** UTF-8 bytes per token. */
const BYTES_PER_TOKEN = 4;

/**
 * Estimates the number of tokens of a turn in a prompt, with speaker and attachments, without a tokenizer: a quarter
 * of its UTF-8 bytes, at least 1. Compared to o200k_base this is 12 % too high for LoCoMo's English turns. Counts
 * bytes, not characters, because tokenizers use more tokens for characters with more bytes.
 */
export function estimateTokens({
  speaker,
  content,
  attachments,
}: Pick<TurnToRead, 'speaker' | 'content' | 'attachments'>): number {
  const texts = [speaker, content, ...attachments.map(({ description }) => description)];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** What makes the planner search for boundaries (GAM Algorithm 2). `end` covers `flush` and `close`. */
export const TRIGGERS = ['pause', 'overflow', 'end'] as const;
export type Trigger = (typeof TRIGGERS)[number];

/** Consecutive turns about one topic, and the trigger that completed them. */
interface Unit<Turn> {
  readonly turns: readonly Turn[];
  readonly trigger: Trigger;
}

interface UnitPlan<Turn> {
  /** Complete units, in order. */
  readonly units: readonly Unit<Turn>[];
  /** The turns that stay in the buffer, in order; they follow the last unit. Empty at a session's end. */
  readonly tail: readonly Turn[];
  /** Whether planning stopped before the last turn, because there were enough units. */
  readonly isUnfinished: boolean;
}

export interface PlanOptions {
  readonly segmenter: Segmenter;
  /** Number of turns that were in the buffer before; their triggers have been handled. Default 0. */
  readonly buffered?: number;
  /** Whether no turn of the session will follow. */
  readonly ended: boolean;
  readonly limits?: BufferLimits;
  /** Planning stops when complete units have this many turns. Default: it continues to the last turn. */
  readonly enough?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Cuts a session's buffer into units of consolidation (docs/papers.md §3.1). `turns` are those in the buffer followed
 * by the new ones, in order. Adding turns one by one gives the same units as adding them at once.
 *
 * A pause or an overflow completes units up to the last boundary and keeps the tail; an overflow without a boundary
 * completes all turns; a session's end completes all turns. Every turn is in one unit or in the tail. Units have at
 * least two turns, except when a session ends with one turn and this plan has no unit before it to join.
 *
 * @throws CancelledError when the signal fires, and what the segmenter throws; the buffer is unchanged then.
 */
export async function planUnits<Turn extends TurnToSegment>(
  turns: readonly Turn[],
  options: PlanOptions,
): Promise<UnitPlan<Turn>> {
  const buffer = new EventBuffer<Turn>(turns.slice(0, options.buffered ?? 0), options);
  const { enough = Number.POSITIVE_INFINITY, buffered = 0 } = options;
  for (const [at, turn] of turns.slice(buffered).entries()) {
    await buffer.append(turn);
    const isLast = buffered + at + 1 === turns.length;
    if (!isLast && buffer.complete >= enough)
      return { units: buffer.units, tail: buffer.tail, isUnfinished: true };
  }
  if (options.ended) await buffer.end();
  return { units: buffer.units, tail: buffer.tail, isUnfinished: false };
}

class EventBuffer<Turn extends TurnToSegment> {
  readonly units: Unit<Turn>[] = [];
  readonly #options: PlanOptions;
  readonly #limits: BufferLimits;
  #held: Turn[];
  #tokens: number;

  constructor(held: readonly Turn[], options: PlanOptions) {
    this.#held = [...held];
    this.#tokens = tokensOf(held);
    this.#options = options;
    this.#limits = options.limits ?? BUFFER_LIMITS;
  }

  /** Number of turns in complete units. */
  get complete(): number {
    return this.units.reduce((sum, unit) => sum + unit.turns.length, 0);
  }

  get tail(): readonly Turn[] {
    return this.#held;
  }

  async append(turn: Turn): Promise<void> {
    const last = this.#held.at(-1);
    if (last !== undefined && turn.validAt - last.validAt >= this.#limits.pause)
      this.#complete(await this.#boundaries(), 'pause');
    this.#held.push(turn);
    this.#tokens += estimateTokens(turn);
    while (this.#tokens > this.#limits.tokens && this.#held.length >= FEWEST_TURNS) await this.#overflow();
  }

  async end(): Promise<void> {
    if (this.#held.length === 0) return;
    this.#complete([...(await this.#boundaries()), this.#held.length - 1], 'end');
    this.#joinLoneEnd();
  }

  async #overflow(): Promise<void> {
    const boundaries = await this.#boundaries();
    this.#complete(boundaries.length > 0 ? boundaries : [this.#held.length - 1], 'overflow');
  }

  async #boundaries(): Promise<readonly number[]> {
    const { segmenter, signal } = this.#options;
    return segmenter.boundaries(this.#held, { signal });
  }

  /** Removes the units that end at these turns from the buffer. */
  #complete(ends: readonly number[], trigger: Trigger): void {
    let start = 0;
    for (const end of ends) {
      this.units.push({ turns: this.#held.slice(start, end + 1), trigger });
      start = end + 1;
    }
    this.#held = this.#held.slice(start);
    this.#tokens = tokensOf(this.#held);
  }

  /** After an overflow a single last turn may remain; it joins the unit before it. */
  #joinLoneEnd(): void {
    const [before, lone] = this.units.slice(-2);
    if (before === undefined || lone === undefined || lone.turns.length >= FEWEST_TURNS) return;
    this.units.splice(-2, 2, { turns: [...before.turns, ...lone.turns], trigger: 'end' });
  }
}

function tokensOf(turns: readonly TurnToSegment[]): number {
  return turns.reduce((sum, turn) => sum + estimateTokens(turn), 0);
}

interface PartitionOptions extends Omit<PlanOptions, 'segmenter'> {
  readonly partition: Partition;
  /** For a partition by topic. */
  readonly segmenter: Segmenter | null;
}

/**
 * Cuts a session's turns into units under a profile's partition: topics by `planUnits`; else the whole session at its
 * end, or units of a number of turns or tokens, with a shorter one at the session's end. A turn that has more tokens
 * than a unit may hold becomes its own unit.
 */
export async function planPartition<Turn extends TurnToSegment>(
  turns: readonly Turn[],
  { partition, segmenter, ...options }: PartitionOptions,
): Promise<UnitPlan<Turn>> {
  if (partition.by === 'topic') return planUnits(turns, { ...options, segmenter: segmenter! });
  const full = partition.by === 'session' ? [] : fullUnits(turns, partition);
  const tail = turns.slice(full.reduce((sum, unit) => sum + unit.turns.length, 0));
  if (!options.ended || tail.length === 0) return { units: full, tail, isUnfinished: false };
  return { units: [...full, { turns: tail, trigger: 'end' }], tail: [], isUnfinished: false };
}

function fullUnits<Turn extends TurnToSegment>(
  turns: readonly Turn[],
  partition: Exclude<Partition, { by: 'topic' | 'session' }>,
): Unit<Turn>[] {
  const units: Unit<Turn>[] = [];
  let [held, tokens]: [Turn[], number] = [[], 0];
  const complete = () => {
    if (held.length > 0) units.push({ turns: held, trigger: 'overflow' });
    [held, tokens] = [[], 0];
  };
  for (const turn of turns) {
    const size = estimateTokens(turn);
    if (partition.by === 'tokens' && tokens + size > partition.tokens) complete();
    held.push(turn);
    tokens += size;
    if (partition.by === 'turns' && held.length === partition.turns) complete();
  }
  return units;
}
