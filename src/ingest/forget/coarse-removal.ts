import type { GraphChanges, RowRemoval, RowUpdate } from '../../model/graph-changes.ts';
import type { NodeKind, NodeRows } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { isHandKind } from '../correct/correction-detail.ts';
import type { IngestContext } from '../ingest-context.ts';
import { collect } from './collect.ts';
import { healNext } from './heal-next.ts';
import { countRemovals, type RemovedCounts } from './removal.ts';
import { type RemovedTexts, textsOf } from './texts-of.ts';
import { TurnList } from './turn-list.ts';

/** Everything that is made from turns, by hand or by reading them. */
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

export interface CoarseRemoval {
  /** In steps of one transaction each; the turns go with the last one, so that what breaks off is begun again. */
  readonly steps: readonly { readonly changes: GraphChanges; readonly counts: RemovedCounts }[];
  readonly texts: RemovedTexts;
  /** Live turns that stay: all of them are read again. */
  readonly reread: readonly string[];
}

/**
 * Removes turns and everything that was derived in the scope, whether it rests on them or not; the turns that stay are
 * read again. The fallback where `removalOf` fails: it follows no derivation, so that a defect in one cannot stop it.
 * Corrections by hand and given facts go too, since they name rows that go, and so does what was read from turns whose
 * text a retention rule has removed. Tombstones, retention records and store items stay.
 */
export async function coarseRemovalOf(
  { store, scope, index }: Pick<IngestContext, 'store' | 'scope' | 'index'>,
  episodes: readonly string[],
  { rowsPerStep, until }: { readonly rowsPerStep: number; readonly until: number },
): Promise<CoarseRemoval> {
  const list = await TurnList.read(store, scope);
  const turns = list.withVersions(episodes, until);
  const going = new Set<string>(turns.map(({ id }) => id));
  const removals: RowRemoval[] = [];
  for (const kind of DERIVED)
    for (const { id } of await collect(store.scan(scope, kind, ['id'] as never))) removals.push({ kind, id });
  for (const { id, kind } of await collect(store.scan(scope, 'correction', ['id', 'kind'])))
    if (isHandKind(kind)) removals.push({ kind: 'correction', id });
  const owners = new Set([...going, ...removals.map(({ id }) => id)]);
  for (const { id, owner } of await collect(store.scan(scope, 'embedding', ['id', 'owner'])))
    if (owners.has(owner)) removals.push({ kind: 'embedding', id });
  const staying = [...list.all()].filter(({ id }) => !going.has(id));
  const isReadable = (id: string) => !index.rulings.turnsWithoutText.has(id);
  const reread = staying.flatMap(({ id, expiredAt }) =>
    expiredAt === null && isReadable(id) ? [id as string] : [],
  );
  const episodeRows = await store.get(scope, 'episode', [...going]);
  const steps: GraphChanges[] = [];
  for (let start = 0; start < removals.length; start += rowsPerStep)
    steps.push({ removals: removals.slice(start, start + rowsPerStep) });
  steps.push({
    relationships: await nextEdges({ store, scope, list, gone: going }, turns),
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

/** Without the edges the turns of a session are still in order by their index, so a defect here stops nothing. */
async function nextEdges(...input: Parameters<typeof healNext>): Promise<Relationship[]> {
  try {
    return await healNext(...input);
  } catch {
    return [];
  }
}

async function derivedTexts(
  { store, scope }: Pick<IngestContext, 'store' | 'scope'>,
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
