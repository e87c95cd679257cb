import { EmbeddingSwitch } from '../../../src/engine/embedding-switch.ts';
import type { EngineContext } from '../../../src/engine/engine-context.ts';
import { IndexKeeper } from '../../../src/engine/index-keeper.ts';
import { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { HashingEmbedder } from '../../../src/inference/hashing/hashing-embedder.ts';
import type { LanguageModel } from '../../../src/inference/language-model.ts';
import { Setbacks } from '../../../src/ingest/consolidate/setbacks.ts';
import type { IngestContext } from '../../../src/ingest/ingest-context.ts';
import { profileNamed } from '../../../src/ingest/profiles.ts';
import { stagesOf } from '../../../src/ingest/stages.ts';
import { type SupersededFacts, supersedeFacts } from '../../../src/ingest/supersede/supersede-facts.ts';
import type { Superseder } from '../../../src/ingest/supersede/superseder.ts';
import type { GraphChanges, RowUpdate } from '../../../src/model/graph-changes.ts';
import type { EntityId, Scope } from '../../../src/model/ids.ts';
import type { Fact, NodeKind, NodeRows } from '../../../src/model/nodes.ts';
import type { Relationship, RelationshipKind } from '../../../src/model/relationships.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import type { GraphStore } from '../../../src/store/graph-store.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { type Timeline, type TimelineRows, toldAt, turnsOf } from './timeline.ts';

const SCOPE = 'a' as Scope;
let ids = 0;
const newId = () => String(++ids).padStart(9, '0');

export interface TimelineOptions {
  readonly superseder: Superseder;
  /** Reads in place of the local tier. */
  readonly model?: LanguageModel;
  /** All sessions in one batch, as an import does. */
  readonly atOnce?: boolean;
}

/**
 * Tells a memory a timeline, each session at its own time, and has it judge what is outdated after each: by hand, on
 * the rows of the last flush, as `buildBatch` will do before it writes them.
 */
export async function tell(timeline: Timeline, options: TimelineOptions): Promise<TimelineRows> {
  const store = new InMemoryStore();
  const { sessions } = timeline;
  const tellings = options.atOnce === true ? [sessions] : sessions.map((session) => [session]);
  const known = new Set<string>();
  for (const told of tellings) {
    const context = await engineContext(store, toldAt(told.at(-1)!), options);
    const memory = new MemoryScope(SCOPE, context);
    await memory.add(told.flatMap(turnsOf));
    await memory.flush();
    await supersedeNew(context, known, options.superseder);
    for (const { id } of await rowsOf(store, 'fact')) known.add(id);
  }
  return { facts: await rowsOf(store, 'fact'), supersedes: await edgesOf(store, 'SUPERSEDES') };
}

async function engineContext(
  store: GraphStore,
  now: number,
  { model }: TimelineOptions,
): Promise<EngineContext> {
  const profile = profileNamed(model === undefined ? 'local' : 'default');
  const embedder = new HashingEmbedder({ analyze, dimension: 64 });
  if (store.describe().fingerprint === null) await store.setFingerprint(embedder.fingerprint);
  return {
    store,
    embedding: new EmbeddingSwitch({ embedder, comparesVectors: true }),
    ingest: { profile, stages: stagesOf(profile, { model }), isAutomatic: false },
    admission: { redactsSecrets: true, neverRemember: null },
    clock: () => now,
    newId,
    logger: { warn: () => undefined },
    snapshotFolder: null,
  };
}

async function supersedeNew(
  engine: EngineContext,
  known: ReadonlySet<string>,
  superseder: Superseder,
): Promise<void> {
  const { store, clock, admission } = engine;
  const { index, embedding } = await new IndexKeeper(SCOPE, engine).load();
  const facts = (await rowsOf(store, 'fact')).filter(({ id }) => !known.has(id));
  const fresh = new Set<string>(facts.map(({ id }) => id));
  const edges = [...(await edgesOf(store, 'ABOUT')), ...(await edgesOf(store, 'EVIDENCED_BY'))];
  const context: IngestContext = {
    store,
    scope: SCOPE,
    index,
    embedder: embedding.embedder,
    admission,
    clock,
    newId,
  };
  const relationships = edges.filter(({ from }) => fresh.has(from));
  const result = await supersedeFacts(
    context,
    {
      facts,
      relationships,
      episodes: await rowsOf(store, 'episode'),
      namesOf: (id: EntityId) => {
        const profile = index.entities.profileOf(id);
        return profile === undefined ? [] : [profile.name, ...profile.aliases];
      },
      leaving: fresh,
    },
    { superseder, setbacks: new Setbacks() },
  );
  await store.commit(SCOPE, asChanges(result, facts, relationships));
}

/** The batch is written already: what became of its facts is a change of theirs. */
function asChanges(
  { facts, relationships, updates }: SupersededFacts,
  written: readonly Fact[],
  edges: readonly Relationship[],
): GraphChanges {
  const before = new Map(written.map((fact) => [fact.id, fact]));
  const [linked, kept] = [new Set(edges.map(edgeKey)), new Set(relationships.map(edgeKey))];
  const ended = facts.filter(
    ({ id, invalidAt }) => before.has(id) && before.get(id)!.invalidAt !== invalidAt,
  );
  return {
    unlinks: edges.filter((edge) => !kept.has(edgeKey(edge))),
    nodes: { fact: facts.filter(({ id }) => !before.has(id)) },
    relationships: relationships.filter((edge) => !linked.has(edgeKey(edge))),
    updates: [
      ...updates,
      ...ended.map(
        ({ id, invalidAt, expiredAt }): RowUpdate => ({ kind: 'fact', id, set: { invalidAt, expiredAt } }),
      ),
    ],
  };
}

function edgeKey({ kind, from, to, role }: Relationship): string {
  return `${kind} ${from} ${to} ${role ?? ''}`;
}

async function rowsOf<K extends NodeKind>(store: GraphStore, kind: K): Promise<NodeRows[K][]> {
  const rows: NodeRows[K][] = [];
  for await (const batch of store.scan(SCOPE, kind)) rows.push(...(batch as readonly NodeRows[K][]));
  return rows;
}

async function edgesOf(store: GraphStore, kind: RelationshipKind): Promise<Relationship[]> {
  const edges: Relationship[] = [];
  for await (const batch of store.relationships(SCOPE, kind)) edges.push(...batch);
  return edges;
}
