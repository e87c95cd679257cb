import { isHandKind } from '../../ingest/corrections/correction-detail.ts';
import type { IndexedScope, StoredScope } from '../../ingest/ingest-context.ts';
import type { RowRemoval } from '../../model/graph-changes.ts';
import type { NodeKind, NodeRows } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { itemTexts } from '../../store/item-json.ts';
import { collect } from '../../util/collections.ts';
import {
  type Deletion,
  plainDeletion,
  type RemovedTexts,
  removalsOf,
  textsOf,
  vectorsOf,
  waits,
} from './deletion.ts';
import { healNext, TurnList } from './turns.ts';

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

/**
 * Plans the removal of turns and of everything derived in the scope, whether it depends on them or not; the remaining
 * turns are read again. The turns are removed in the last step, so that an interrupted run starts again. It is the fallback if `planDeletion` fails: it follows no dependency, so a defect there cannot
 * stop it. It also removes corrections and given facts, which name removed rows, and what was read from turns whose
 * text a retention rule has removed. Tombstones, retention records and store items stay.
 */
export async function planCoarseDeletion(
  context: IndexedScope,
  episodes: readonly string[],
  { rowsPerStep, until }: { readonly rowsPerStep: number; readonly until: number },
): Promise<readonly Deletion[]> {
  const { store, scope, index } = context;
  const list = await TurnList.read(store, scope);
  const turns = list.withVersions(episodes, until);
  const removed = new Set<string>(turns.map(({ id }) => id));
  const removals: RowRemoval[] = [];
  for (const kind of DERIVED)
    for (const { id } of await collect(store.scan(scope, kind, ['id'] as never))) removals.push({ kind, id });
  for (const { id, kind } of await collect(store.scan(scope, 'correction', ['id', 'kind'])))
    if (isHandKind(kind)) removals.push({ kind: 'correction', id });
  removals.push(...(await vectorsOf(context, new Set([...removed, ...removals.map(({ id }) => id)]))));
  const remaining = [...list.all()].filter(({ id }) => !removed.has(id));
  const isReadable = (id: string) => !index.corrections.turnsWithoutText.has(id);
  const reread = remaining.flatMap(({ id, expiredAt }) =>
    expiredAt === null && isReadable(id) ? [id as string] : [],
  );
  const steps: Deletion[] = [];
  for (let start = 0; start < removals.length; start += rowsPerStep)
    steps.push(plainDeletion({ removals: removals.slice(start, start + rowsPerStep) }));
  const last = {
    relationships: await nextEdges({ store, scope, list, removed }, turns),
    updates: reread.map(waits),
    removals: removalsOf('episode', removed),
  };
  const texts = textsOf({
    episode: await store.get(scope, 'episode', [...removed]),
    segment: await collect(store.scan(scope, 'segment')),
    fact: await collect(store.scan(scope, 'fact')),
    description: await collect(store.scan(scope, 'description')),
    profile: await collect(store.scan(scope, 'profile')),
  });
  return [...steps, plainDeletion(last, { texts, reread })];
}

/** On failure, returns no edges: a session keeps its order by turn index without them. */
async function nextEdges(...input: Parameters<typeof healNext>): Promise<Relationship[]> {
  try {
    return await healNext(...input);
  } catch {
    return [];
  }
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

/** Creation time of the newest row of a scope; null if the scope is empty. */
export async function youngestRow({ store, scope }: StoredScope): Promise<number | null> {
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
  { store, scope }: StoredScope,
  { keep, until, rows }: RemoveAllOptions,
): AsyncGenerator<Deletion> {
  let removals: RowRemoval[] = [];
  const step = () => {
    const changes = { removals };
    removals = [];
    return plainDeletion(changes);
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
export async function* textsOfAll({ store, scope }: StoredScope): AsyncGenerator<RemovedTexts> {
  const none = { episode: [], segment: [], fact: [], description: [], profile: [] };
  for (const kind of ['episode', 'fact', 'profile', 'segment', 'description'] as const)
    for await (const rows of store.scan(scope, kind))
      yield textsOf({ ...none, [kind]: rows as readonly NodeRows[typeof kind][] });
  for await (const rows of store.scan(scope, 'item', ['value']))
    yield { said: itemTexts(rows), derived: new Set() };
}
