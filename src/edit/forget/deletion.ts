import { isWithoutStatements } from '../../ingest/describe/profile-summary.ts';
import type { StoredScope } from '../../ingest/ingest-context.ts';
import type { GraphChanges, RowRemoval, RowUpdate, Unlink } from '../../model/graph-changes.ts';
import type { Milliseconds } from '../../model/ids.ts';
import { IMAGE_URI } from '../../model/image-uri.ts';
import type { Description, Episode, Fact, NodeKind, Profile, Segment } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { collect, stringsIn } from '../../util/collections.ts';

/** What one step of a forgetting removes, before dependent rows are added. */
export interface DeletionSet {
  /** Turns that this step removes, in every version. */
  readonly turns: ReadonlySet<string>;
  /** All turns of the forgetting. */
  readonly allTurns: ReadonlySet<string>;
  /** Profiles older than this cannot contain removed text; null if no turns are removed. */
  readonly since: Milliseconds | null;
  readonly facts: ReadonlySet<string>;
  /** Of `facts`, those that remaining turns support too. */
  readonly alsoSupported: ReadonlySet<string>;
  /** Removed with their descriptions. */
  readonly segments: readonly Segment[];
  /** Entities to remove even if other turns mention them. */
  readonly entities: ReadonlySet<string>;
  readonly failures: ReadonlySet<string>;
  /** Entities that lose a mention, or are removed. */
  readonly touched: ReadonlySet<string>;
  readonly unlinks: readonly Unlink[];
  readonly updates: readonly RowUpdate[];
  readonly relationships: readonly Relationship[];
}

interface RemovedRows {
  readonly episode: readonly Episode[];
  readonly segment: readonly Segment[];
  readonly fact: readonly Fact[];
  readonly description: readonly Description[];
  readonly profile: readonly Profile[];
}

/** Text of removed rows. */
export interface RemovedTexts {
  /** What turns said, where and by whom. */
  readonly said: ReadonlySet<string>;
  /** Derived text: statements, summaries, descriptions. Other rows may contain the same text. */
  readonly derived: ReadonlySet<string>;
}

export function textsOf({ episode, segment, fact, description, profile }: RemovedRows): RemovedTexts {
  const said = episode.flatMap(({ content, attachments, metadata, speaker, session, sourceId }) => [
    content,
    ...attachments.map((attachment) => attachment.description),
    ...attachments.flatMap(({ uri }) => (uri?.startsWith(IMAGE_URI) ? [uri] : [])),
    ...stringsIn(Object.values(metadata)),
    speaker,
    session,
    sourceId ?? '',
  ]);
  const derived = [
    ...fact.map(({ statement }) => statement),
    ...segment.map(({ summary }) => summary),
    ...description.map(({ text }) => text),
    // Profiles without statements list names, which are searched separately.
    ...profile.flatMap((each) => (isWithoutStatements(each) ? [] : [each.summary])),
  ];
  return { said: withText(said), derived: withText(derived) };
}

function withText(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.filter((text) => text.trim() !== ''));
}

export type RemovedCounts = { readonly [K in NodeKind]?: number };

/** A step of forgetting. */
export interface Deletion {
  /** One transaction, without vectors of the profiles that it writes; empty if there is nothing to remove. */
  readonly changes: GraphChanges;
  readonly counts: RemovedCounts;
  /** All removed text, for the proof. */
  readonly texts: RemovedTexts;
  /** Remaining turns that must be read again. */
  readonly reread: readonly string[];
  /** Last profiles of entities that no turn mentions and no fact is about any more. */
  readonly vanishing: readonly Profile[];
}

const NOTHING = { texts: { said: new Set<string>(), derived: new Set<string>() }, reread: [], vanishing: [] };

/** A step that follows no dependency. */
export function plainDeletion(changes: GraphChanges, rest: Partial<Deletion> = {}): Deletion {
  return { ...NOTHING, changes, counts: countRemovals(changes.removals ?? []), ...rest };
}

export function removalsOf(kind: NodeKind, ids: Iterable<string>): RowRemoval[] {
  return Array.from(ids, (id) => ({ kind, id }));
}

export function countRemovals(removals: readonly RowRemoval[]): RemovedCounts {
  const counts: { [K in NodeKind]?: number } = {};
  for (const { kind } of removals) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** The vectors of removed rows. */
export async function vectorsOf(
  { store, scope }: StoredScope,
  owners: ReadonlySet<string>,
): Promise<RowRemoval[]> {
  if (owners.size === 0) return [];
  const listed = await collect(store.scan(scope, 'embedding', ['id', 'owner']));
  return listed.flatMap(({ id, owner }) => (owners.has(owner) ? [{ kind: 'embedding' as const, id }] : []));
}

/** A turn waits to be read again. */
export function waits(id: string): RowUpdate {
  return { kind: 'episode', id, set: { status: 'stored', gate: 'unjudged', verified: false } };
}
