import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { ForgetEvent } from '../../src/edit/forget/forget-event.ts';
import type { Corrections } from '../../src/engine/corrections.ts';
import type { ScopeHierarchy } from '../../src/engine/hierarchy/scope-hierarchy.ts';
import type { Mnemis } from '../../src/engine.ts';
import { CancelledError, InvalidInputError, StoreWriteError } from '../../src/errors/index.ts';
import type { ImportRecord } from '../../src/importers/importer.ts';
import type { CorrectionInput, CorrectionOptions } from '../../src/model/correction-input.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { DEFAULT_RECIPE } from '../../src/retrieve/recipes/recipes.ts';
import { withoutUndefined } from '../../src/util/collections.ts';
import type { App, AppHandlers } from '../assistant/app-handlers.ts';
import { hasFiles } from '../beside-memory.ts';
import {
  type AppMethod,
  appMethods,
  type Corrected,
  type ExportEvent,
  type Health,
  type InputOf,
  type MemoryClient,
  PROTOCOL,
  type TreeReply,
} from '../contract.ts';
import { findRecipe, recipeEntries } from '../papers.ts';
import { mnemisVersion } from '../version.ts';
import { checked, type Handlers, knowledgeHandlers } from './handlers.ts';
import { placeOf } from './import-in-parts.ts';
import { telling } from './telling.ts';
import { withBudget } from './with-budget.ts';

/** The process that an engine lives in, as far as its clients need it. */
interface EngineHost {
  /** Default: the moment in which the client was made. */
  readonly started?: number;
  readonly idleMinutes?: number | null;
  readonly isAttended?: boolean;
  /** Begins to end the process; absent where it is the caller's own. */
  readonly shutdown?: () => void;
  /** What the client's `close` does; by default it leaves the engine open. */
  readonly close?: () => Promise<void>;
  /** The assistant's part. Without it, methods that need the assistant are refused. */
  readonly app?:
    | (Pick<App, 'beginRemoval'> &
        Partial<Pick<App, 'saveConversations' | 'events'>> & { readonly handlers?: Partial<App['handlers']> })
    | undefined;
}

/** A client of an engine in this process. */
export function localClient(engine: Mnemis, host: EngineHost = {}): MemoryClient {
  const started = host.started ?? Date.now();
  const handlers: Handlers = {
    ...readHandlers(engine),
    ...telling(
      { ...writeHandlers(engine, host.app), ...hierarchyHandlers(engine), ...correctionHandlers(engine) },
      host.app?.events,
    ),
    ...withoutApp(),
    ...knowledgeHandlers(engine),
    ...withoutUndefined(host.app?.handlers ?? {}),
    health: async () => healthOf(engine, { ...host, started }),
    scopes: async () => engine.scopes(),
    recipes: async () => ({ items: await recipeEntries(), usual: DEFAULT_RECIPE }),
    shutdown: async () => {
      if (host.shutdown === undefined)
        throw new InvalidInputError('This engine runs in the caller’s own process, which closes it');
      host.shutdown();
      return { pid: process.pid };
    },
  };
  return { ...checked(handlers), close: host.close ?? (async () => undefined) };
}

function withoutApp(): AppHandlers<AppMethod> {
  const refuse = () => {
    throw new InvalidInputError('This engine was opened without the assistant');
  };
  return Object.fromEntries(
    Object.keys(appMethods).map((name) => [name, refuse]),
  ) as unknown as AppHandlers<AppMethod>;
}

function healthOf(
  engine: Mnemis,
  { started = 0, idleMinutes = null, isAttended = false }: EngineHost,
): Health {
  const { path, backend, schemaVersion, fingerprint: embedder } = engine.describe();
  const ingestion = engine.describeIngestion();
  const version = mnemisVersion();
  const process_ = { pid: process.pid, version, protocol: PROTOCOL, started, idleMinutes, isAttended };
  return { ...process_, path, backend, schemaVersion, embedder, ingestion };
}

function readHandlers(engine: Mnemis) {
  return {
    stats: async ({ scope, ...times }) => engine.scope(scope).stats(times),
    preview: async ({ scope, turns }) => engine.scope(scope).preview(turns),
    search: async ({ scope, query, recipe, ...options }, calls) =>
      engine.scope(scope).search(query, { ...withBudget(options, calls), recipe: await findRecipe(recipe) }),
    context: async ({ scope, question, recipe, ...options }, calls) => {
      const settings = { ...withBudget(options, calls), recipe: await findRecipe(recipe) };
      return engine.scope(scope).context(question, settings);
    },
    async *ask({ scope, question, recipe, ...options }, calls) {
      const settings = { ...withBudget(options, calls), recipe: await findRecipe(recipe) };
      yield* engine.scope(scope).streamAnswer(question, settings);
    },
    entity: async ({ scope, entity, ...page }) => engine.scope(scope).history({ entity }, page),
    episodes: async ({ scope, ids }) => engine.scope(scope).episodes(ids),
    fact: async ({ scope, fact, ...page }) => engine.scope(scope).history({ fact }, page),
    async *changes({ scope, since, follow }, { signal }) {
      yield* engine.scope(scope).changes({ since, signal, ...withoutUndefined({ follow }) });
      if (signal?.aborted) throw new CancelledError('memory is unchanged', signal.reason);
    },
    async *export({ scope }, { signal }) {
      yield* exportedText(engine, scope, signal);
    },
    previewForget: async ({ scope, target, ...options }) =>
      engine.scope(scope).previewForget(target, withoutUndefined(options)),
  } satisfies Partial<Handlers>;
}

/** Events of a forgetting. It is done only when the conversations of the app are clean of what memory no longer has. */
async function* endedBy(
  removal: Awaited<ReturnType<App['beginRemoval']>> | undefined,
  events: AsyncIterable<ForgetEvent>,
  onDone = () => {},
): AsyncGenerator<ForgetEvent> {
  let done: ForgetEvent | null = null;
  try {
    for await (const event of events)
      if (event.type === 'done') done = event;
      else yield event;
  } finally {
    await removal?.end();
  }
  if (done === null) return;
  onDone();
  yield done;
}

function writeHandlers(engine: Mnemis, app: EngineHost['app']) {
  return {
    add: async ({ scope, turns }, calls) => engine.scope(scope).add(turns, calls),
    addFacts: async ({ scope, facts }, calls) => engine.scope(scope).addFacts(facts, calls),
    flush: async ({ scope, ...options }, calls) => engine.scope(scope).flush(withBudget(options, calls)),
    async *import({ scope, turns, ...options }, calls) {
      const { enrich, ...settings } = withBudget(options, calls);
      yield* engine.scope(scope).import(recordsOf(turns), { ...settings, ...withoutUndefined({ enrich }) });
    },
    async *resume({ scope, ...options }, calls) {
      const { retry, ...settings } = withBudget(options, calls);
      yield* engine.scope(scope).resume({ ...settings, ...withoutUndefined({ retry }) });
    },
    async *forget({ scope, target, ...options }, { signal }) {
      const removal = await app?.beginRemoval(scope);
      const events = engine.scope(scope).forget(target, { signal, ...withoutUndefined(options) });
      yield* endedBy(removal, events, () => removal?.tellWhenDerived());
    },
    async *deleteScope({ scope }, { signal }) {
      const removal = await app?.beginRemoval(scope);
      yield* endedBy(removal, engine.deleteScope(scope, { signal }));
    },
    async maintain({ scope, retention, dryRun = false }, { signal }) {
      const rule = retention !== undefined && { retention: ruleOf(retention) };
      const removal = dryRun ? undefined : await app?.beginRemoval(scope);
      try {
        const report = await engine.scope(scope).maintain({ dryRun, signal, ...rule });
        removal?.tellWhenDerived();
        return report;
      } finally {
        await removal?.end();
      }
    },
    async *compact(_, { signal }) {
      yield* engine.compact({ signal });
    },
    verify: async (_, { signal }) => engine.verify({ signal }),
    backup: async ({ folder }, { signal }) => {
      if (!isAbsolute(folder))
        throw new InvalidInputError('A backup needs the absolute path of a new folder');
      const summary = await engine.backup(folder, { signal });
      await app?.saveConversations?.(summary.folder);
      return summary;
    },
  } satisfies Partial<Handlers>;
}

/** Undefined is no rule to the engine, not even its own. */
const ruleOf = (rule: NonNullable<InputOf<'maintain'>['retention']> | null) =>
  rule === null ? undefined : { turns: withoutUndefined(rule.turns) };

function* recordsOf(turns: readonly TurnInput[]): Generator<ImportRecord> {
  for (const [position, turn] of turns.entries()) yield { kind: 'turn', turn, where: placeOf(position) };
}

/** The methods on the category hierarchy, by an engine in this process. Runs on one scope wait for each other. */
function hierarchyHandlers(engine: Mnemis) {
  return {
    tree: async ({ scope, ...options }) => treeOf(engine.scope(scope).hierarchy, options),
    hierarchy: async ({ scope }) => engine.scope(scope).hierarchy.status(),
    async *updateHierarchy({ scope, ...options }, calls) {
      yield* engine.scope(scope).hierarchy.update(withBudget(options, calls));
    },
    async *rebuildHierarchy({ scope, ...options }, calls) {
      yield* engine.scope(scope).hierarchy.rebuild(withBudget(options, calls));
    },
    async *refreshSummaries({ scope, ...options }, calls) {
      const { by, all, least, ...settings } = withBudget(options, calls);
      const refreshed = await engine
        .scope(scope)
        .hierarchy.refresh({ ...settings, ...withoutUndefined({ by, all, least }) });
      yield { type: 'done', refreshed };
    },
  } satisfies Partial<Handlers>;
}

async function treeOf(
  hierarchy: ScopeHierarchy,
  { summaries = false, ...options }: Omit<InputOf<'tree'>, 'scope'>,
): Promise<TreeReply> {
  const { nodes, more } = await hierarchy.browse(withoutUndefined(options));
  const told = summaries ? await hierarchy.summaries(idsIn(nodes)) : [];
  const { entities, waiting } = await hierarchy.counts();
  return { nodes, more, summaries: Object.fromEntries(told), entities, waiting };
}

function idsIn(nodes: TreeReply['nodes']): string[] {
  return [...new Set(nodes.flatMap(({ id, children }) => [id as string, ...idsIn(children)]))];
}

/** The methods on what people put right by hand, by an engine in this process. */
function correctionHandlers(engine: Mnemis) {
  return {
    correct: async ({ scope, correction, author }) =>
      correct(engine.scope(scope).corrections, correction, { author }),
    corrections: async ({ scope, ...listing }) => engine.scope(scope).corrections.list(listing),
    uncertain: async ({ scope }) => engine.scope(scope).corrections.uncertain(),
  } satisfies Partial<Handlers>;
}

function correct(
  corrections: Corrections,
  wanted: CorrectionInput,
  options: CorrectionOptions,
): Promise<Corrected> {
  switch (wanted.kind) {
    case 'edit-fact':
      return corrections.editFact(wanted.fact, wanted.patch, options);
    case 'reject-fact':
      return corrections.rejectFact(wanted.fact, options);
    case 'pin-fact':
      return corrections.pinFact(wanted.fact, options);
    case 'edit-profile':
      return corrections.editProfile(wanted.entity, wanted.patch, options);
    case 'merge-entities':
      return corrections.mergeEntities(wanted.keep, wanted.merged, options);
    case 'split-entity': {
      const { kind: _, entity, ...part } = wanted;
      return corrections.splitEntity(entity, part, options);
    }
    case 'keep-apart':
      return corrections.keepApart(...wanted.entities, options);
    case 'undo':
      return corrections.undo(wanted.correction, options);
  }
}

const BYTES = 256 * 1024;

/**
 * The lines of an export, through a file: one snapshot, whose slow reader does not block writers.
 *
 * @throws CancelledError, DiskFullError, StoreWriteError; nothing is left of the file.
 */
async function* exportedText(
  engine: Mnemis,
  scope: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ExportEvent, void> {
  const folder = await makeFolder(engine.describe().path);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const file = join(folder, 'scope.jsonl');
    const { nodes, relationships } = await engine.scope(scope).exportTo(file, { signal });
    const handle = await open(file);
    try {
      await remove().catch(() => undefined); // where an open file can go, a kill leaves nothing of it from here on
      const lines = handle.createReadStream({ encoding: 'utf8', highWaterMark: BYTES, autoClose: false });
      for await (const text of lines as AsyncIterable<string>) {
        if (signal?.aborted) throw new CancelledError('memory is unchanged', signal.reason);
        yield { type: 'text', text };
      }
    } finally {
      await handle.close();
    }
    yield { type: 'done', nodes, relationships };
  } finally {
    await remove();
  }
}

/**
 * Beside the memory's file, else in the system's temporary folder. One process at a time has a file open, so that what
 * others have left of theirs is nobody's.
 */
async function makeFolder(path: string): Promise<string> {
  if (!hasFiles(path)) return mkdtemp(join(tmpdir(), 'mnemis-export-'));
  const own = `${path}.export-${process.pid}-`;
  try {
    for (const name of await readdir(dirname(path)))
      if (name.startsWith(`${basename(path)}.export-`) && !name.startsWith(basename(own)))
        await rm(join(dirname(path), name), { recursive: true, force: true });
    return await mkdtemp(own);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new StoreWriteError(`there could be no folder for the export: ${code}`, cause);
  }
}
