import { ModelRequestRefusedError, ModelUnavailableError } from '../../errors/index.ts';
import type { EntityId, FailureId } from '../../model/ids.ts';
import type { Episode } from '../../model/nodes.ts';
import type { CorrectionIndex } from '../../search/correction-index.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { NONE } from '../../search/timeline.ts';
import { Breather } from '../../util/breathe.ts';
import { collect, groupBy } from '../../util/collections.ts';
import { entityNameKey } from '../../util/tidy.ts';
import { type MaskedTurn, maskGradually } from '../admit/mask-recalled.ts';
import type { RecalledTexts } from '../admit/recalled-texts.ts';
import {
  type ConsolidationContext,
  type FailedUnit,
  type PlannedUnit,
  type ReadUnit,
  turnToRead,
} from '../consolidation-context.ts';
import { lastForgetting, nameForgottenAt } from '../corrections/tombstones.ts';
import type { TurnToRead } from '../extract/extractor.ts';
import { groupByTokens } from '../extract/llm/llm-reader.ts';
import { readUpTo } from '../extract/local/reading-limit.ts';
import type { CheckedReading, ReadOptions } from '../extract/segment-reader.ts';
import { describeFailure, isCausedByTurns, isUnexplained } from '../local-fallback.ts';
import { readName } from '../resolve/name-form.ts';
import type { ResolvedNames } from '../resolve/resolved-entities.ts';
import { solePerson } from '../resolve/sole-person.ts';
import { UnitNames } from '../resolve/unit-names.ts';
import { estimateTokens } from '../segment/plan-units.ts';
import { checkServer } from './check-server-prompt.ts';

/** The turns of a unit without texts that memory had returned. */
interface MaskedUnit {
  readonly turns: readonly TurnToRead[];
  /** One per turn: whether it has no other text. */
  readonly isRecalled: readonly boolean[];
}

interface MaskOptions {
  readonly texts: RecalledTexts;
  /** The only person who speaks in the scope; null if there are none or several. */
  readonly user: string | null;
  /** Number of characters of a turn that are read. */
  readonly upTo: (content: string) => number;
  readonly breather: Breather;
}

/**
 * Removes recalled texts, so that memory does not learn from itself: a recalled fact that is pasted into a turn would
 * become its own evidence. A new version of a turn is not masked, because it may repeat what memory has from the old
 * one.
 */
async function maskUnit(
  { episodes: whole }: PlannedUnit,
  { texts, user, upTo, breather }: MaskOptions,
): Promise<MaskedUnit> {
  const episodes = whole.map((episode) => ({
    ...episode,
    content: episode.content.slice(0, upTo(episode.content)),
  }));
  const masked: MaskedTurn[] = [];
  for (const episode of episodes) {
    const isNewVersion = episode.version > 1;
    masked.push(
      isNewVersion ? { content: episode.content, share: 0 } : await maskGradually(episode, texts, breather),
    );
  }
  return {
    turns: episodes.map((episode, at) => ({
      ...turnToRead(episode),
      content: masked[at]!.content,
      ...(user !== null && episode.role === 'assistant' ? { user } : {}),
    })),
    isRecalled: masked.map(({ share }, at) => share === 1 && episodes[at]!.attachments.length === 0),
  };
}

/** Drops turns that were recalled as a whole, regardless of the reader's judgement. */
function dropRecalled(reading: CheckedReading, { isRecalled }: MaskedUnit): CheckedReading {
  if (!isRecalled.includes(true)) return reading;
  return {
    ...reading,
    judgements: reading.judgements.map((judgement, at) => (isRecalled[at] ? 'dropped' : judgement)),
    verified: reading.verified.map((verified, at) => verified && !isRecalled[at]),
  };
}

/** The result of reading a batch. Units in neither list stay pending. */
export interface BatchReading {
  readonly read: readonly ReadUnit[];
  readonly failed: readonly FailedUnit[];
  /** The error that stopped the reading early, such as an exhausted budget; null if there was none. */
  readonly stoppedBy: unknown;
  /** Units that failed for a reason that may be the server's; they stay pending. Default: none. */
  readonly tried?: readonly FailedUnit[];
  /** The last forgetting before the reading: see `lastForgetting`. Absent if nothing can have been forgotten since. */
  readonly forgotten?: string | null | undefined;
  /** Units read in one call, in order, by a reader that asks only which names are known. Default: none. */
  readonly groups?: readonly ReadGroup[];
}

interface ReadGroup {
  readonly units: Units;
  /** By key of the names that the reader asked for: whether they were known. */
  readonly answers: ReadonlyMap<string, boolean>;
  /** The only person who spoke in the scope. */
  readonly user: string | null;
}

interface BatchOptions {
  /** Keys of names that count as known: those of batches that are read but not committed. */
  readonly named?: Iterable<string>;
}

type Units = readonly PlannedUnit[];

/** How often a unit is tried alone. */
const TRIES_ALONE = 2;
/** After this many unexplained failures without a single answer, find out whether the server is down. */
const FAILURES_THAT_STOP = 2;
/** How often a unit fails, while nothing else is read, before it is set aside. */
const MOST_RUNS = 3;

/**
 * Reads units: those of a session in calls of limited size, one after another, and sessions in parallel. Readings are
 * kept even if a later call fails. A failure that the turns cause is narrowed down to its unit; so is one that may be
 * the server's (`isUnexplained`), if the server works otherwise. Any other failure stops the reading.
 */
export async function readBatch(
  context: ConsolidationContext,
  units: Units,
  { named = [] }: BatchOptions = {},
): Promise<BatchReading> {
  const batch = new Reading(context, named);
  const sessions = [...groupBy(units, (unit) => unit.session).values()];
  if (context.profile.tier === 'llm') await Promise.all(sessions.map((each) => batch.readSession(each)));
  else for (const each of sessions) await batch.readSession(each);
  await batch.settle();
  return batch.result(units);
}

/**
 * The part of a reading that reading its units now, after others were committed, would give again: the first groups of
 * which every answer about known names is still right.
 */
export function stillRead(context: ConsolidationContext, reading: BatchReading): BatchReading {
  const { groups = [], failed, stoppedBy, forgotten } = reading;
  const { entities } = context.index;
  const isWhole = failed.length === 0 && stoppedBy === null && forgotten === lastForgetting(context.index);
  const readings = new Map(reading.read.map((unit) => [unit.episodes, unit]));
  const named = new Set<string>();
  const kept: ReadGroup[] = [];
  for (const group of isWhole ? groups : []) {
    const isKnown = (key: string) => named.has(key) || entities.idOfName(key) !== undefined;
    if (group.user !== solePerson(context.index)) break;
    if ([...group.answers].some(([key, answer]) => isKnown(key) !== answer)) break;
    kept.push(group);
    for (const { episodes } of group.units) addNames(named, readings.get(episodes)!.reading);
  }
  const read = kept.flatMap(({ units }) => units.map(({ episodes }) => readings.get(episodes)!));
  return { ...reading, read, failed: [], stoppedBy: null, groups: kept };
}

/** Keys of the names and aliases that units were read to have. */
export function namesRead(read: readonly ReadUnit[]): Set<string> {
  const keys = new Set<string>();
  for (const { reading } of read) addNames(keys, reading);
  return keys;
}

function addNames(keys: Set<string>, { extraction }: CheckedReading): void {
  for (const { name, aliases } of extraction.entities)
    for (const each of [name, ...aliases]) keys.add(entityNameKey(each));
}

interface Unanswered {
  readonly units: Units;
  readonly error: unknown;
  /** Number of answers before the failure. */
  readonly answers: number;
}

class Reading {
  readonly #context: ConsolidationContext;
  readonly #read = new Map<PlannedUnit, CheckedReading>();
  readonly #resolved = new Map<PlannedUnit, ResolvedNames>();
  readonly #failed = new Map<PlannedUnit, FailedUnit>();
  readonly #unanswered: Unanswered[] = [];
  readonly #refused = new Map<PlannedUnit, unknown>();
  readonly #tried = new Map<PlannedUnit, FailedUnit>();
  #serves: Promise<boolean> | null = null;
  /** Names in the batch so far. They count as known, so that results depend little on batch limits. */
  readonly #named: Set<string>;
  readonly #groups: ReadGroup[] = [];
  readonly #forgotten: string | null;
  #stoppedBy: unknown = null;
  #answers = 0;

  constructor(context: ConsolidationContext, named: Iterable<string>) {
    this.#context = context;
    this.#named = new Set(named);
    this.#forgotten = lastForgetting(context.index);
  }

  async readSession(units: Units): Promise<void> {
    let earlier: string | undefined;
    for (const group of this.#calls(units)) {
      if (this.#stoppedBy !== null) return;
      const error = await this.#attempt(group, earlier);
      if (isUnexplained(error)) await this.#noteUnanswered(group, error);
      else if (error !== null)
        for (const unit of group) await this.#readAlone(unit, { tried: group.length === 1 ? 1 : 0, error });
      earlier = group.map((unit) => this.#read.get(unit)?.summary).findLast((summary) => summary) ?? earlier;
    }
  }

  /**
   * Retries units without an answer. If the server answers nothing else either, it is down and reading stops. If a
   * model rejects requests (HTTP 400) and has never read anything, the request is wrong, not the turns, unless these
   * were set aside before.
   */
  async settle(): Promise<void> {
    const undecided = new Map<PlannedUnit, unknown>();
    for (const { units, error, answers } of this.#unanswered) {
      if (this.#stoppedBy !== null) break;
      if (this.#answers === answers && !(await this.#isServing(error))) this.#stoppedBy ??= error;
      for (const unit of units) {
        if (this.#stoppedBy !== null || undecided.size >= FAILURES_THAT_STOP) break;
        // It was just tried alone, and there is no sign that it may go better.
        const isKnown = units.length === 1 && this.#answers === answers && !this.#context.health.hasReadInRun;
        const failure = isKnown ? error : await this.#attempt([unit]);
        if (!isUnexplained(failure)) this.#fail(unit, failure);
        else if (!isKnown && !(await this.#isServing(failure))) this.#stoppedBy ??= failure;
        else if (this.#context.health.hasReadInRun) this.#setAside(unit, failure);
        else undecided.set(unit, failure);
      }
    }
    for (const [unit, error] of this.#refused)
      if (this.#context.health.hasRead || (await this.#runsBefore(unit)) + 1 >= MOST_RUNS)
        this.#setAside(unit, error);
      else this.#stoppedBy ??= error;
    for (const [unit, error] of undecided) await this.#decide(unit, error);
    // What was not tried alone because the run stops has failed in it, too.
    if (this.#tried.size > 0)
      for (const { units, error } of this.#unanswered)
        for (const unit of units) if (!this.#isSettled(unit)) this.#noteTried(unit, error);
  }

  result(units: Units): BatchReading {
    const read = units.flatMap((unit) => {
      const reading = this.#read.get(unit);
      const resolved = this.#resolved.get(unit);
      return reading === undefined ? [] : [{ ...unit, reading, ...(resolved && { resolved }) }];
    });
    return {
      read,
      failed: [...this.#failed.values()],
      stoppedBy: this.#stoppedBy,
      tried: [...this.#tried.values()],
      forgotten: this.#forgotten,
      groups: this.#groups,
    };
  }

  /** Groups of units that a reader reads in one call, or single units if it calls per unit. */
  #calls(units: Units): Units[] {
    const { tier, reading } = this.#context.profile;
    if (tier === 'local') return [units];
    if (reading !== 'together') return units.map((unit) => [unit]);
    return groupByTokens(units, ({ episodes }) => episodes);
  }

  async #noteUnanswered(units: Units, error: unknown): Promise<void> {
    this.#unanswered.push({ units, error, answers: this.#answers });
    if (this.#answers > 0 || this.#unanswered.length < FAILURES_THAT_STOP) return;
    // Others that time out would take too long.
    const isSlow = ModelUnavailableError.isInstance(error) && error.reason === 'timeout';
    this.#serves ??= isSlow ? Promise.resolve(false) : this.#isServing(error);
    if (!(await this.#serves) && this.#answers === 0) this.#stoppedBy ??= error;
  }

  /** Whether the server answers a question without any turns, after it failed with the error. */
  async #isServing(error: unknown): Promise<boolean> {
    const { stages, calls } = this.#context;
    const isDown =
      ModelUnavailableError.isInstance(error) && ['unreachable', 'rate-limited'].includes(error.reason);
    if (isDown || stages.model === null) return false;
    try {
      await stages.model.text(checkServer, null, calls);
      return true;
    } catch (failure) {
      if (isCausedByTurns(failure)) return true;
      if (!isUnexplained(failure)) this.#stoppedBy ??= failure;
      return false;
    }
  }

  /**
   * The server answers, but not for this unit. If nothing else was read in the run, that may lie in the settings: the
   * unit waits, and is set aside when it has failed in several runs.
   */
  async #decide(unit: PlannedUnit, error: unknown): Promise<void> {
    if (this.#context.health.hasReadInRun || (await this.#runsBefore(unit)) + 1 >= MOST_RUNS)
      return this.#setAside(unit, error);
    this.#noteTried(unit, error);
    this.#stoppedBy ??= error;
  }

  /** In how many runs a turn of the unit has failed. */
  async #runsBefore({ episodes }: PlannedUnit): Promise<number> {
    const { store, scope } = this.#context;
    const from = episodes.map(({ id }) => id);
    const edges = await collect(store.relationships(scope, 'FAILED_IN', { from }));
    const rows = await store.get(scope, 'failure', [...new Set(edges.map(({ to }) => to))] as FailureId[]);
    const runs = new Map(rows.map(({ id, attempts }) => [id as string, attempts]));
    const counts = [...groupBy(edges, (edge) => edge.from).values()].map((own) =>
      own.reduce((sum, { to }) => sum + (runs.get(to) ?? 0), 0),
    );
    return Math.max(0, ...counts);
  }

  #noteTried(unit: PlannedUnit, error: unknown): void {
    this.#tried.set(unit, { ...unit, ...describeFailure(error), attempts: 1 });
  }

  #isSettled(unit: PlannedUnit): boolean {
    return this.#read.has(unit) || this.#failed.has(unit) || this.#tried.has(unit);
  }

  async #readAlone(
    unit: PlannedUnit,
    { tried, error: first }: { tried: number; error: unknown },
  ): Promise<void> {
    let error = first;
    for (let attempt = tried; attempt < TRIES_ALONE; attempt++) {
      if (this.#stoppedBy !== null) return;
      const failure = await this.#attempt([unit]);
      if (failure === null) return;
      error = failure;
    }
    this.#fail(unit, error);
  }

  #fail(unit: PlannedUnit, error: unknown): void {
    if (error === null) return;
    if (ModelRequestRefusedError.isInstance(error)) this.#refused.set(unit, error);
    else if (isUnexplained(error)) this.#unanswered.push({ units: [unit], error, answers: this.#answers });
    else if (this.#stoppedBy === null) this.#setAside(unit, error);
  }

  #setAside(unit: PlannedUnit, error: unknown): void {
    this.#failed.set(unit, { ...unit, ...describeFailure(error), attempts: TRIES_ALONE });
  }

  /** Returns the failure if others can continue without these turns; null if they were read, or if the work stops. */
  async #attempt(units: Units, earlier?: string): Promise<unknown> {
    const { stages, calls, recalled, health, profile } = this.#context;
    if (this.#stoppedBy !== null) return null;
    try {
      const context = await readingContext(this.#context, units);
      const answers = new Map<string, boolean>();
      const known = (name: string) => {
        const key = entityNameKey(name);
        const answer = this.#named.has(key) || context.known(name);
        answers.set(key, answer);
        return answer;
      };
      const names = profile.resolution === 'judged-first' ? new UnitNames(this.#context, units[0]!) : null;
      const options: ReadOptions = {
        ...context,
        ...(earlier ? { earlier } : {}),
        ...(names && { resolve: names.resolve }),
        known,
        ...calls,
      };
      const upTo = profile.tier === 'local' ? readUpTo : (content: string) => content.length;
      const masked: MaskedUnit[] = [];
      const breather = new Breather();
      const user = solePerson(this.#context.index);
      for (const unit of units) masked.push(await maskUnit(unit, { texts: recalled, user, upTo, breather }));
      const segments = masked.map(({ turns }) => turns);
      const readings = await stages.reader.read(segments, options);
      for (const [at, unit] of units.entries()) {
        this.#keep(unit, dropRecalled(readings[at]!, masked[at]!));
        if (names?.resolved) this.#resolved.set(unit, names.resolved);
      }
      if (profile.tier === 'local') this.#groups.push({ units, answers, user });
      this.#answers += 1;
      health.hasRead = true;
      health.hasReadInRun = true;
      return null;
    } catch (error) {
      if (isCausedByTurns(error) || isUnexplained(error)) return error;
      this.#stoppedBy ??= error;
      return null;
    }
  }

  #keep(unit: PlannedUnit, read: CheckedReading): void {
    const reading = dropForgotten(read, unit.episodes, this.#context.index.corrections);
    this.#read.set(unit, reading);
    addNames(this.#named, reading);
  }
}

/**
 * Removes from a reading what older turns state of forgotten entities. Older turns are read again for many reasons,
 * and must not recreate a forgotten entity; newer turns can.
 */
export function dropForgotten(
  reading: CheckedReading,
  turns: readonly Pick<Episode, 'createdAt'>[],
  corrections: CorrectionIndex,
): CheckedReading {
  if (!corrections.hasTombstones('entity')) return reading;
  const { extraction } = reading;
  const forgotten = new Map<string, number>();
  for (const { name, aliases } of extraction.entities) {
    const times = [name, ...aliases].flatMap((each) => nameForgottenAt(each, corrections) ?? []);
    if (times.length > 0) forgotten.set(entityNameKey(name), Math.max(...times));
  }
  if (forgotten.size === 0) return reading;
  const isSince = (turn: number, name: string) =>
    turns[turn]!.createdAt > (forgotten.get(entityNameKey(name)) ?? -Infinity);
  const entities = extraction.entities.flatMap((entity) => {
    const said = entity.turns.filter((turn) => isSince(turn, entity.name));
    if (said.length === entity.turns.length) return [entity];
    // The description may depend on older turns.
    return said.length === 0 ? [] : [{ ...entity, turns: said, description: '' }];
  });
  const facts = extraction.facts.flatMap((fact) => {
    const involved = [...fact.participants, fact.subject, fact.object].filter((name) => name !== null);
    const said = fact.turns.filter((turn) => involved.every((name) => isSince(turn, name)));
    return said.length === 0 ? [] : [{ ...fact, turns: said }];
  });
  return { ...reading, extraction: { ...extraction, entities, facts } };
}

/** docs/papers.md §1.1. */
const RECENT_TURNS = 10;
const RECENT_TOKENS = 1_000;
const MOST_NAMES = 30;
/** The most often mentioned of what a speaker is known to have. */
const MOST_OF_SPEAKER = 8;
/** Runs of capitalised words, up to four. */
const CAPITALISED = /\p{Lu}[\p{L}\p{M}'’-]*(?:\s+\p{Lu}[\p{L}\p{M}'’-]*){0,3}/gu;

type ReadingContext = Pick<ReadOptions, 'known' | 'names' | 'earlier' | 'recent'>;

/** The context from memory for reading units of one session; bounded, regardless of the size of memory. */
async function readingContext(
  context: ConsolidationContext,
  units: readonly PlannedUnit[],
): Promise<ReadingContext> {
  const { index, profile } = context;
  const known = (name: string) => index.entities.idOfName(entityNameKey(name)) !== undefined;
  if (profile.tier === 'local') return { known };
  return {
    known,
    names: knownNames(index, units),
    earlier: await earlierSummary(context, units[0]!),
    ...(profile.reading === 'together' ? {} : { recent: await recentTurns(context, units[0]!) }),
  };
}

/**
 * Names in memory that the turns contain, and what the speakers are known to have: "my wife" means "Owen's wife". Names
 * of the speakers are in the turns anyway.
 */
function knownNames(index: ScopeIndex, units: readonly PlannedUnit[]): string[] {
  const { entities } = index;
  const episodes = units.flatMap((unit) => unit.episodes);
  const speakers = new Set(episodes.map(({ speaker }) => entityNameKey(speaker)));
  const names = new Set<string>();
  const add = (id: EntityId | undefined) => {
    const name = id === undefined ? undefined : entities.profileOf(id)?.name;
    if (name !== undefined && !speakers.has(entityNameKey(name)) && names.size < MOST_NAMES) names.add(name);
  };
  for (const { content } of episodes)
    for (const said of content.slice(0, 4_000).match(CAPITALISED) ?? [])
      for (const part of [said, ...said.split(/\s+/)]) add(entities.idOfName(entityNameKey(part)));
  for (const speaker of speakers) {
    const theirs = entities
      .idsOfStart(speaker)
      .filter((id) => readName(entities.profileOf(id)!.name).possession?.owner === speaker)
      .sort((a, b) => index.mentionCount(b) - index.mentionCount(a));
    for (const id of theirs.slice(0, MOST_OF_SPEAKER)) add(id);
  }
  return [...names];
}

async function earlierSummary(
  { index, store, scope }: ConsolidationContext,
  { episodes }: PlannedUnit,
): Promise<string | undefined> {
  const { ids, timeline } = index.episodes;
  const ordinal = ids.ordinalOf(episodes[0]!.id);
  const before = ordinal === undefined ? NONE : timeline.previous.at(ordinal);
  const segment = before === NONE ? undefined : index.segmentOf(ids.idOf(before));
  return segment === undefined ? undefined : (await store.get(scope, 'segment', [segment]))[0]?.summary;
}

/** The turns of the scope that arrived just before these, oldest first. */
async function recentTurns(
  { index, store, scope }: ConsolidationContext,
  { episodes }: PlannedUnit,
): Promise<TurnToRead[]> {
  const { ids, conversation } = index.episodes;
  const before: string[] = [];
  const first = ids.ordinalOf(episodes[0]!.id) ?? 0;
  for (let ordinal = first - 1; ordinal >= 0 && before.length < RECENT_TURNS; ordinal--)
    if (conversation.isLive(ordinal)) before.push(ids.idOf(ordinal));
  let left = RECENT_TOKENS;
  const newest = (await store.get(scope, 'episode', before)).map(turnToRead);
  const fitting = newest.findIndex((turn) => {
    left -= estimateTokens(turn);
    return left < 0;
  });
  return newest.slice(0, fitting === -1 ? newest.length : fitting).reverse();
}
