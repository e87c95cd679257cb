import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { plusUsage } from '../../src/inference/language-model/tokens/plus-usage.ts';
import { isDefect } from '../../src/ingest/local-fallback.ts';
import { firstUnits } from '../../src/ingest/write/plan-batch.ts';
import { NO_USAGE } from '../../src/model/retrieved-item.ts';
import { readHidden } from '../definition.ts';
import { DEFAULT_SCOPE, type RunConfig, readContext, scopeOf } from '../run-context.ts';
import type { ingestionContext, IngestionState as State, IngestionUpdate as Update } from './state.ts';
import { COUNTS, type StepCall, type StepsOf, type Stop } from './steps.ts';
import { reportBuilt, reportOutcomes, reportReading, reportResolution, reportWaiting } from './summaries.ts';

/** Resets what a previous run of the thread left, its inputs included. */
const FRESH = {
  turns: [],
  ended: false,
  sessions: [],
  outcomes: null,
  units: [],
  batch: [],
  oneByOne: false,
  staleness: 0,
  reading: null,
  resolution: null,
  built: null,
  consolidated: 0,
  segments: 0,
  entities: 0,
  facts: 0,
  repeated: 0,
  outdated: 0,
  setAside: 0,
  waiting: null,
  usage: NO_USAGE,
  stopped: null,
  stoppedCode: null,
} satisfies Update;

/**
 * How often a stale batch is resolved again by the profile's judge. The limit keeps concurrent writers from delaying
 * it for ever.
 */
const MOST_STALE = 1;
/** With new turns in more sessions than this, all sessions are checked, so that the state stays small. */
const MOST_SESSIONS = 50;

export function ingestionNodes(stepsOf: StepsOf, contextSchema: ReturnType<typeof ingestionContext>) {
  const stepsFor = ({ scope, settings: { profile, tier } }: State, config: RunConfig) =>
    stepsOf({ scope: scope ?? DEFAULT_SCOPE, profile, tier }, config);
  return {
    /** Buffering state: stores the new turns and makes them searchable; changes nothing else. */
    async buffer(state: State, config: RunConfig): Promise<Update> {
      const context = readContext(contextSchema, config);
      const scope = scopeOf(state, context);
      const { ended = false, sessions = [] } = state;
      const turns = readHidden(state, config, 'turns') ?? [];
      const settings = { ...settingsOf(context), ended, sessions: sessions.length === 0 ? null : sessions };
      const fresh: Update = { ...FRESH, scope, settings };
      if (turns.length === 0) return fresh;
      const steps = await stepsFor({ ...state, scope, settings }, config);
      const given = withIdentity(turns, config.configurable?.thread_id);
      const { result, sessions: stored } = await steps.buffer(given, callOf({ ...state, settings }, config));
      const isAll = ended || settings.sessions !== null || stored.length > MOST_SESSIONS;
      return {
        ...fresh,
        outcomes: reportOutcomes(result),
        settings: isAll ? settings : { ...settings, sessions: [...stored] },
      };
    },

    /** Searches the sessions with a trigger for complete units; without any, the run ends. */
    async plan(state: State, config: RunConfig): Promise<Update> {
      const steps = await stepsFor(state, config);
      const { units, stop, usage } = await steps.plan(state.settings, callOf(state, config));
      const spent = plusUsage(state.usage, usage);
      if (units.length > 0) return { units, usage: spent };
      const waiting = reportWaiting(await steps.waiting(state.settings.sessions));
      return { units, usage: spent, ...stopped(stop), waiting };
    },

    /** Consolidation state, first step: gate, keywords, summary, entities, facts and the self-check of a batch. */
    async read(state: State, config: RunConfig): Promise<Update> {
      const steps = await stepsFor(state, config);
      const batch = [...firstUnits(state.units, state.oneByOne ? 1 : steps.turnsPerBatch)];
      return unlessDefect(state, async () => {
        const done = await steps.read(batch, callOf(state, config));
        const units = state.units.slice(batch.length);
        const usage = plusUsage(state.usage, done.usage);
        return { batch, units, reading: reportReading(done), staleness: 0, usage };
      });
    },

    async resolve(state: State, config: RunConfig): Promise<Update> {
      if (state.batch.length === 0) return {};
      const steps = await stepsFor(state, config);
      return unlessDefect(state, async () => {
        const done = await steps.resolve(state.batch, callOf(state, config));
        return { resolution: reportResolution(done), usage: plusUsage(state.usage, done.usage) };
      });
    },

    /**
     * De-duplicates facts, ends outdated ones, writes descriptions and profiles, and links segments to their nearest
     * neighbours.
     */
    async build(state: State, config: RunConfig): Promise<Update> {
      if (state.batch.length === 0) return {};
      const steps = await stepsFor(state, config);
      return unlessDefect(state, async () => {
        const done = await steps.build(state.batch, callOf(state, config));
        return { built: reportBuilt(done), usage: plusUsage(state.usage, done.usage) };
      });
    },

    /** Commits the batch in one transaction, which removes its turns from the buffer. */
    async commit(state: State, config: RunConfig): Promise<Update> {
      if (state.batch.length === 0) return {};
      const steps = await stepsFor(state, config);
      return unlessDefect(state, async () => {
        const isLast = state.staleness >= MOST_STALE;
        const done = await steps.commit(state.batch, { ...callOf(state, config), isLast });
        const usage = plusUsage(state.usage, done.usage);
        if (done.stale !== null) return { batch: done.stale, staleness: state.staleness + 1, usage };
        const totals = Object.fromEntries(COUNTS.map((name) => [name, state[name] + done.counts[name]]));
        config.writer?.({ type: 'progress', ...totals, waiting: done.pending });
        const update = { ...totals, batch: [], staleness: 0, usage };
        if (done.stop === null) return update;
        const waiting = reportWaiting(await steps.waiting(state.settings.sessions));
        return { ...update, units: [], ...stopped(done.stop), waiting };
      });
    },
  };
}

/** Where a run goes from `commit`. */
export function afterCommit({ stopped, batch, units }: State) {
  if (stopped !== null) return 'the work must stop';
  if (batch.length > 0) return 'memory has changed';
  return units.length > 0 ? 'units are left' : 'no unit is left';
}

function settingsOf({ profile, tier, tokenBudget }: z.output<ReturnType<typeof ingestionContext>>) {
  return { profile: profile ?? null, tier: tier ?? null, tokenBudget: tokenBudget ?? null };
}

function callOf({ settings: { tokenBudget }, usage, oneByOne }: State, { signal }: RunConfig): StepCall {
  const spent = usage.promptTokens + usage.completionTokens;
  return { signal, oneByOne, budget: tokenBudget === null ? null : { limit: tokenBudget, spent } };
}

/**
 * After a defect the batch and the plan are empty, so that the run plans again and goes on unit by unit. A defect of a
 * single unit ends the run.
 */
async function unlessDefect({ oneByOne }: State, work: () => Promise<Update>): Promise<Update> {
  try {
    return await work();
  } catch (error) {
    if (oneByOne || !isDefect(error)) throw error;
    return { oneByOne: true, batch: [], units: [], staleness: 0 };
  }
}

function stopped(stop: Stop | null): Update {
  return stop === null ? {} : { stopped: stop.reason, stoppedCode: stop.code };
}

/**
 * Gives turns of a thread an identity if they have none, so that a replay of the thread finds them known. Otherwise
 * they would be added again, at the end of their session.
 */
export function withIdentity(turns: readonly unknown[], thread: unknown): readonly unknown[] {
  if (typeof thread !== 'string') return turns;
  const seen = new Map<string, number>();
  return turns.map((turn) => {
    if (!isObject(turn) || turn.index !== undefined || turn.sourceId !== undefined) return turn;
    const words = JSON.stringify([thread, turn]);
    const before = seen.get(words) ?? 0;
    seen.set(words, before + 1);
    const digest = createHash('sha256').update(`${before} ${words}`).digest('hex');
    return { ...turn, sourceId: `thread:${digest.slice(0, 32)}` };
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
