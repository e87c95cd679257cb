import type { CorrectionListing } from '../../src/engine/corrections/corrections.ts';
import type { ForgetTarget } from '../../src/engine/forget/forget-target.ts';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import type { Mnemis } from '../../src/engine.ts';
import { CancelledError, InvalidInputError } from '../../src/errors/index.ts';
import type { ImportRecord } from '../../src/importers/importer.ts';
import { TokenBudget } from '../../src/inference/language-model/calling/token-budget.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { mnemisVersion } from '../cli/version.ts';
import {
  type Health,
  type InputOf,
  type MemoryClient,
  PROTOCOL,
  type RequestOptions,
  type TreeReply,
} from '../contract.ts';
import { given } from './given.ts';
import { checked, type Handlers } from './handlers.ts';

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
    search: async ({ scope, query, ...options }, calls) =>
      engine.scope(scope).search(query, withBudget(options, calls)),
    async *ask({ scope, question, ...options }, calls) {
      yield* engine.scope(scope).streamAnswer(question, withBudget(options, calls));
    },
    tree: async ({ scope, ...options }) => treeOf(engine.scope(scope), options),
    entity: async ({ scope, entity, ...page }) => engine.scope(scope).history({ entity }, page),
    episodes: async ({ scope, ids }) => engine.scope(scope).episodes(ids),
    fact: async ({ scope, fact, ...page }) => engine.scope(scope).history({ fact }, page),
    async *changes({ scope, since, follow }, { signal }) {
      yield* engine.scope(scope).changes({ since, signal, ...given({ follow }) });
      if (signal?.aborted) throw new CancelledError('memory is as it was', signal.reason);
    },
    previewForget: async ({ scope, target }) => engine.scope(scope).previewForget(targetOf(target)),
    corrections: async ({ scope, ...listing }) =>
      engine.scope(scope).corrections.list(given(listing) as CorrectionListing),
  } satisfies Partial<Handlers>;
}

function writeHandlers(engine: Mnemis) {
  return {
    add: async ({ scope, turns }, calls) => engine.scope(scope).add(turns, calls),
    flush: async ({ scope, ...options }, calls) => engine.scope(scope).flush(withBudget(options, calls)),
    async *import({ scope, turns, ...options }, calls) {
      const { enrich, ...settings } = withBudget(options, calls);
      yield* engine.scope(scope).import(recordsOf(turns), { ...settings, ...given({ enrich }) });
    },
    async *resume({ scope, ...options }, calls) {
      const { retry, ...settings } = withBudget(options, calls);
      yield* engine.scope(scope).resume({ ...settings, ...given({ retry }) });
    },
    async *forget({ scope, target, author }, { signal }) {
      yield* engine.scope(scope).forget(targetOf(target), { signal, ...given({ author }) });
    },
    async *compact(_, { signal }) {
      yield* engine.compact({ signal });
    },
  } satisfies Partial<Handlers>;
}

function withBudget<T extends { readonly tokenBudget?: number | undefined }>(
  { tokenBudget, ...options }: T,
  calls: RequestOptions,
) {
  const budget = tokenBudget === undefined ? undefined : new TokenBudget(tokenBudget);
  return { ...options, ...calls, budget };
}

const targetOf = (target: InputOf<'forget'>['target']) => given(target) as ForgetTarget;

function* recordsOf(turns: readonly TurnInput[]): Generator<ImportRecord> {
  for (const [place, turn] of turns.entries()) yield { kind: 'turn', turn, where: `turn ${place + 1}` };
}

async function treeOf(
  { hierarchy }: MemoryScope,
  { summaries = false, ...options }: Omit<InputOf<'tree'>, 'scope'>,
): Promise<TreeReply> {
  const nodes = await hierarchy.tree(given(options));
  const told = summaries ? await hierarchy.summaries(idsIn(nodes)) : [];
  const { entities, waiting } = await hierarchy.status();
  return { nodes, summaries: Object.fromEntries(told), entities, waiting };
}

function idsIn(nodes: TreeReply['nodes']): string[] {
  return [...new Set(nodes.flatMap(({ id, children }) => [id as string, ...idsIn(children)]))];
}
