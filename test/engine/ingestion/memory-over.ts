import type { EngineContext } from '../../../src/engine/engine-context.ts';
import { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { ScopeSession } from '../../../src/engine/scope-session.ts';
import { DiskFullError } from '../../../src/errors/index.ts';
import { EmbeddingSwitch } from '../../../src/inference/embedder/embedding-switch.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import type { LanguageModel } from '../../../src/inference/language-model.ts';
import { profileNamed } from '../../../src/ingest/profile.ts';
import { type IngestStages, stagesOf } from '../../../src/ingest/stages.ts';
import type { GraphChanges } from '../../../src/model/graph-changes.ts';
import type { Scope } from '../../../src/model/ids.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import type { GraphStore } from '../../../src/store/graph-store.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';

export interface MemoryOverOptions {
  readonly automatic?: boolean;
  /** Default: `local`, or `default` with a model. */
  readonly profile?: string;
  readonly model?: LanguageModel;
  /** Stages in place of the profile's own. */
  readonly stages?: (usual: IngestStages) => Partial<IngestStages>;
  readonly scope?: string;
  /** Parts of the engine in place of the usual ones. */
  readonly parts?: Partial<EngineContext>;
}

export interface Memory {
  readonly session: ScopeSession;
  readonly memory: MemoryScope;
  readonly warnings: string[];
}

let ids = 0;
/** Ascending as the engine's own are, and shorter. */
const newId = () => String(++ids).padStart(9, '0');

/** One scope over a store, without a database file. A second call over the same store is what opening it again is. */
export async function memoryOver(store: GraphStore, options: MemoryOverOptions = {}): Promise<Memory> {
  const { automatic = false, model, scope = 'a', stages, parts = {} } = options;
  const profile = profileNamed(options.profile ?? (model === undefined ? 'local' : 'default'));
  const usual = stagesOf(profile, { model });
  const embedder = new HashingEmbedder({ analyze, dimension: 64 });
  const warnings: string[] = [];
  const context: EngineContext = {
    store,
    embedding: new EmbeddingSwitch({ embedder, comparesVectors: true }),
    ingest: { profile, stages: { ...usual, ...stages?.(usual) }, isAutomatic: automatic },
    admission: { redactsSecrets: true, neverRemember: null },
    clock: Date.now,
    newId,
    logger: { warn: (message) => void warnings.push(message) },
    snapshotFolder: null,
    ...parts,
  };
  if (store.describe().fingerprint === null) await store.setFingerprint(embedder.fingerprint);
  const session = new ScopeSession(scope as Scope, context);
  return { session, memory: new MemoryScope(session), warnings };
}

export interface ReportedStore {
  readonly store: GraphStore;
  /** What was committed, in order; failed commits are not in it. */
  readonly commits: readonly GraphChanges[];
  /** Called before each commit, with its number from 1; what it throws, the commit throws. */
  before: (commit: number) => Promise<void> | void;
  /** Called after each commit was stored; what it throws, the commit throws. */
  after: (commit: number) => Promise<void> | void;
}

/** A store in memory that keeps what was committed and can fail at any commit, before or after it is stored. */
export function watchedStore(): ReportedStore {
  const inner = new InMemoryStore();
  const commits: GraphChanges[] = [];
  let asked = 0;
  const watched = {
    commits,
    before: (_commit: number): Promise<void> | void => undefined,
    after: (_commit: number): Promise<void> | void => undefined,
    store: new Proxy<GraphStore>(inner, {
      get(_, name: keyof GraphStore) {
        if (name !== 'commit') return (inner[name] as (...input: never[]) => unknown).bind(inner);
        return async (scope: Scope, changes: GraphChanges) => {
          const number = ++asked;
          await watched.before(number);
          const sequence = await inner.commit(scope, changes);
          commits.push(changes);
          await watched.after(number);
          return sequence;
        };
      },
    }),
  };
  return watched;
}

export function diskFull(): never {
  throw new DiskFullError('memory.db');
}
