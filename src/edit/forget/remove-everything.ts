import { isHandKind } from '../../ingest/corrections/correction-detail.ts';
import type { IndexedScope, StoredScope } from '../../ingest/ingest-context.ts';
import type { GraphChanges, RowRemoval, RowUpdate } from '../../model/graph-changes.ts';
import type { NodeKind, NodeRows } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { itemTexts } from '../../store/item-json.ts';
import { collect } from '../../util/collections.ts';
import { countRemovals, type RemovedCounts, type RemovedTexts, textsOf } from './deletion-set.ts';
import { healNext } from './segments.ts';
import { TurnList } from './turn-list.ts';

/** Kinds of rows derived from turns, by reading or by corrections. */
const DERIVED = [
  'segment',
  'description',
  'fact',
  'profile',
  'entity',
  'category',
  'hierarchy',
  'failure',
] as const satisfies readonly NodeKind[];

interface CoarseRemoval {
  /** One transaction per step. The turns are removed in the last one, so that an interrupted run starts again. */
  readonly steps: readonly { readonly changes: GraphChanges; readonly counts: RemovedCounts }[];
  readonly texts: RemovedTexts;
  /** Remaining live turns; all of them are read again. */
  readonly reread: readonly string[];
}

/**
 * Plans the removal of turns and of everything derived in the scope, whether it depends on them or not; the remaining
 * turns are read again. It is the fallback if `planDeletion` fails: it follows no dependency, so a defect there cannot
 * stop it. It also removes corrections and given facts, which name removed rows, and what was read from turns whose
 * text a retention rule has removed. Tombstones, retention records and store items stay.
 */
export async function planCoarseDeletion(
  { store, scope, index }: IndexedScope,
  episodes: readonly string[],
  { rowsPerStep, until }: { readonly rowsPerStep: number; readonly until: number },
): Promise<CoarseRemoval> {
  const list = await TurnList.read(store, scope);
  const turns = list.withVersions(episodes, until);
  const removed = new Set<string>(turns.map(({ id }) => id));
  const removals: RowRemoval[] = [];
  for (const kind of DERIVED)
    for (const { id } of await collect(store.scan(scope, kind, ['id'] as never))) removals.push({ kind, id });
  for (const { id, kind } of await collect(store.scan(scope, 'correction', ['id', 'kind'])))
    if (isHandKind(kind)) removals.push({ kind: 'correction', id });
  const owners = new Set([...removed, ...removals.map(({ id }) => id)]);
  for (const { id, owner } of await collect(store.scan(scope, 'embedding', ['id', 'owner'])))
    if (owners.has(owner)) removals.push({ kind: 'embedding', id });
  const remaining = [...list.all()].filter(({ id }) => !removed.has(id));
  const isReadable = (id: string) => !index.corrections.turnsWithoutText.has(id);
  const reread = remaining.flatMap(({ id, expiredAt }) =>
    expiredAt === null && isReadable(id) ? [id as string] : [],
  );
  const episodeRows = await store.get(scope, 'episode', [...removed]);
  const steps: GraphChanges[] = [];
  for (let start = 0; start < removals.length; start += rowsPerStep)
    steps.push({ removals: removals.slice(start, start + rowsPerStep) });
  steps.push({
    relationships: await nextEdges({ store, scope, list, removed }, turns),
    updates: reread.map(
      (id): RowUpdate => ({
        kind: 'episode',
        id,
        set: { status: 'stored', gate: 'unjudged', verified: false },
      }),
    ),
    removals: turns.map(({ id }) => ({ kind: 'episode', id })),
  });
  return {
    steps: steps.map((changes) => ({ changes, counts: countRemovals(changes.removals ?? []) })),
    texts: await derivedTexts({ store, scope }, episodeRows),
    reread,
  };
}

/** On failure, returns no edges: a session keeps its order by turn index without them. */
async function nextEdges(...input: Parameters<typeof healNext>): Promise<Relationship[]> {
  try {
    return await healNext(...input);
  } catch {
    return [];
  }
}

async function derivedTexts(
  { store, scope }: StoredScope,
  episode: readonly NodeRows['episode'][],
): Promise<RemovedTexts> {
  return textsOf({
    episode,
    segment: await collect(store.scan(scope, 'segment')),
    fact: await collect(store.scan(scope, 'fact')),
    description: await collect(store.scan(scope, 'description')),
    profile: await collect(store.scan(scope, 'profile')),
  });
}

/** Kinds that searches return are removed first. */
const ORDER = [
  'episode',
  'fact',
  'profile',
  'segment',
  'description',
  'entity',
  'category',
  'hierarchy',
  'failure',
  'item',
  'correction',
  'embedding',
] as const satisfies readonly NodeKind[];

const DATED = ORDER.filter((kind) => kind !== 'hierarchy' && kind !== 'embedding');

type Sources = StoredScope;

/** Creation time of the newest row of a scope; null if the scope is empty. */
export async function youngestRow({ store, scope }: Sources): Promise<number | null> {
  let youngest: number | null = null;
  for (const kind of DATED)
    for await (const rows of store.scan(scope, kind, ['createdAt'] as never))
      for (const { createdAt } of rows as readonly { readonly createdAt: number }[])
        youngest = Math.max(youngest ?? createdAt, createdAt);
  return youngest;
}

interface RemoveAllOptions {
  /** Id of the record of the forgetting. */
  readonly keep: string;
  /** Rows created later than this were added after the forgetting started and stay. */
  readonly until: number;
  readonly rows: number;
}

/**
 * Removes everything that a scope held at a time, except tombstones and the record of this forgetting, `rows` rows per
 * step.
 */
export async function* removalsOfAll(
  { store, scope }: Sources,
  { keep, until, rows }: RemoveAllOptions,
): AsyncGenerator<{ readonly changes: GraphChanges; readonly counts: RemovedCounts }> {
  let removals: RowRemoval[] = [];
  const step = () => {
    const changes = { removals };
    removals = [];
    return { changes, counts: countRemovals(changes.removals) };
  };
  const remaining = new Set<string>([keep]);
  for (const kind of DATED)
    for await (const batch of store.scan(scope, kind, ['id', 'createdAt'] as never))
      for (const { id, createdAt } of batch as readonly { readonly id: string; readonly createdAt: number }[])
        if (createdAt > until) remaining.add(id);
  for (const kind of ORDER) {
    const fields = kind === 'embedding' ? ['id', 'owner'] : ['id'];
    for (const row of await collect(store.scan(scope, kind, fields as never))) {
      const { id, owner = id } = row as { readonly id: string; readonly owner?: string };
      if (remaining.has(owner)) continue;
      removals.push({ kind, id });
      if (removals.length >= rows) yield step();
    }
  }
  if (removals.length > 0) yield step();
}

/** The text of all rows of a scope. */
export async function* textsOfAll({ store, scope }: Sources): AsyncGenerator<RemovedTexts> {
  const none = { episode: [], segment: [], fact: [], description: [], profile: [] };
  for (const kind of ['episode', 'fact', 'profile', 'segment', 'description'] as const)
    for await (const rows of store.scan(scope, kind))
      yield textsOf({ ...none, [kind]: rows as readonly NodeRows[typeof kind][] });
  for await (const rows of store.scan(scope, 'item', ['value']))
    yield { said: itemTexts(rows), derived: new Set() };
}
