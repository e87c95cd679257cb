import type { Mnemis } from '../../src/engine.ts';
import { CancelledError, InvalidInputError } from '../../src/errors/index.ts';
import type { ImportRecord } from '../../src/importers/importer.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { mnemisVersion } from '../cli/version.ts';
import { type Health, type InputOf, type MemoryClient, PROTOCOL } from '../contract.ts';
import { findRecipe } from '../papers.ts';
import { correctionHandlers } from './correction-handlers.ts';
import { exportedText } from './exported-text.ts';
import { given } from './given.ts';
import { checked, type Handlers } from './handlers.ts';
import { hierarchyHandlers } from './hierarchy-handlers.ts';
import { placeOf } from './turn-place.ts';
import { withBudget } from './with-budget.ts';

/** The process that an engine lives in, as far as its clients need it. */
export interface EngineHost {
  /** Default: the moment in which the client was made. */
  readonly started?: number;
  readonly idleMinutes?: number | null;
  /** Begins to end the process; absent where it is the caller's own. */
  readonly shutdown?: () => void;
  /** What the client's `close` does; by default it leaves the engine open. */
  readonly close?: () => Promise<void>;
}

/** A client of an engine in this process. */
export function localClient(engine: Mnemis, host: EngineHost = {}): MemoryClient {
  const started = host.started ?? Date.now();
  const handlers: Handlers = {
    ...readHandlers(engine),
    ...writeHandlers(engine),
    ...hierarchyHandlers(engine),
    ...correctionHandlers(engine),
    health: async () => healthOf(engine, { ...host, started }),
    scopes: async () => engine.scopes(),
    shutdown: async () => {
      if (host.shutdown === undefined)
        throw new InvalidInputError('This engine runs in the caller’s own process, which closes it');
      host.shutdown();
      return { pid: process.pid };
    },
  };
  return { ...checked(handlers), close: host.close ?? (async () => undefined) };
}

function healthOf(engine: Mnemis, { started = 0, idleMinutes = null }: EngineHost): Health {
  const { path, backend, schemaVersion, fingerprint: embedder } = engine.describe();
  const ingestion = engine.describeIngestion();
  const version = mnemisVersion();
  const process_ = { pid: process.pid, version, protocol: PROTOCOL, started, idleMinutes };
  return { ...process_, path, backend, schemaVersion, embedder, ingestion };
}

function readHandlers(engine: Mnemis) {
  return {
    stats: async ({ scope, ...times }) => engine.scope(scope).stats(times),
    preview: async ({ scope, turns }) => engine.scope(scope).preview(turns),
    search: async ({ scope, query, recipe, ...options }, calls) =>
      engine.scope(scope).search(query, { ...withBudget(options, calls), recipe: await findRecipe(recipe) }),
    async *ask({ scope, question, recipe, ...options }, calls) {
      const settings = { ...withBudget(options, calls), recipe: await findRecipe(recipe) };
      yield* engine.scope(scope).streamAnswer(question, settings);
    },
    entity: async ({ scope, entity, ...page }) => engine.scope(scope).history({ entity }, page),
    episodes: async ({ scope, ids }) => engine.scope(scope).episodes(ids),
    fact: async ({ scope, fact, ...page }) => engine.scope(scope).history({ fact }, page),
    async *changes({ scope, since, follow }, { signal }) {
      yield* engine.scope(scope).changes({ since, signal, ...given({ follow }) });
      if (signal?.aborted) throw new CancelledError('memory is as it was', signal.reason);
    },
    async *export({ scope }, { signal }) {
      yield* exportedText(engine, scope, signal);
    },
    previewForget: async ({ scope, target, ...options }) =>
      engine.scope(scope).previewForget(target, given(options)),
  } satisfies Partial<Handlers>;
}

function writeHandlers(engine: Mnemis) {
  return {
    add: async ({ scope, turns }, calls) => engine.scope(scope).add(turns, calls),
    addFacts: async ({ scope, facts }, calls) => engine.scope(scope).addFacts(facts, calls),
    flush: async ({ scope, ...options }, calls) => engine.scope(scope).flush(withBudget(options, calls)),
    async *import({ scope, turns, ...options }, calls) {
      const { enrich, ...settings } = withBudget(options, calls);
      yield* engine.scope(scope).import(recordsOf(turns), { ...settings, ...given({ enrich }) });
    },
    async *resume({ scope, ...options }, calls) {
      const { retry, ...settings } = withBudget(options, calls);
      yield* engine.scope(scope).resume({ ...settings, ...given({ retry }) });
    },
    async *forget({ scope, target, ...options }, { signal }) {
      yield* engine.scope(scope).forget(target, { signal, ...given(options) });
    },
    maintain: async ({ scope, retention, dryRun = false }, { signal }) =>
      engine
        .scope(scope)
        .maintain({ dryRun, signal, ...(retention !== undefined && { retention: ruleOf(retention) }) }),
    async *compact(_, { signal }) {
      yield* engine.compact({ signal });
    },
  } satisfies Partial<Handlers>;
}

/** Undefined is no rule to the engine, not even its own. */
const ruleOf = (rule: NonNullable<InputOf<'maintain'>['retention']> | null) =>
  rule === null ? undefined : { turns: given(rule.turns) };

function* recordsOf(turns: readonly TurnInput[]): Generator<ImportRecord> {
  for (const [position, turn] of turns.entries()) yield { kind: 'turn', turn, where: placeOf(position) };
}
