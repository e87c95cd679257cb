import { type CorrectionDetail, readDetail } from '../../ingest/corrections/correction-detail.ts';
import type { IndexedScope } from '../../ingest/ingest-context.ts';
import type { Correction, Profile } from '../../model/nodes.ts';

/**
 * Later corrections, not undone, that depend on a correction, directly or through each other. The newest first: the
 * order in which to undo them.
 *
 * @param corrections In the order in which they were made.
 * @param ownerOf Owner of a profile version that a correction wrote or expired.
 */
export function dependentCorrections(
  corrections: readonly Correction[],
  undone: Correction,
  ownerOf: OwnerOf = () => undefined,
): readonly Correction[] {
  const basis = readDetail(undone);
  if (basis === null) return [];
  const below: CorrectionDetail[] = [basis];
  const found: Correction[] = [];
  for (const later of corrections.slice(corrections.findIndex(({ id }) => id === undone.id) + 1)) {
    const detail = later.undoneAt === null ? readDetail(later) : null;
    if (detail === null || detail.kind === 'undo' || !below.some((each) => dependsOn(detail, each, ownerOf)))
      continue;
    below.push(detail);
    found.unshift(later);
  }
  return found;
}

function dependsOn(later: CorrectionDetail, earlier: CorrectionDetail, ownerOf: OwnerOf): boolean {
  // Keeping entities apart depends on identity (merge, split), not on names.
  if (later.kind === 'keep-apart' && !isOfIdentity(earlier)) return false;
  if (earlier.kind === 'keep-apart' && !isOfIdentity(later)) return false;
  const changed = new Set(changedBy(earlier));
  if (subjectsOf(later).some((id) => changed.has(id))) return true;
  // If both moved the end of one fact, the later one recorded the end that the earlier one set.
  if (earlier.kind !== 'pin-fact' && endedBy(later).some((id) => changed.has(id))) return true;
  // A merge or split cannot be undone while a later correction changed a profile that it rebuilt.
  if (!isOfIdentity(earlier) && !isOfIdentity(later)) return false;
  return profileOwnersOf(earlier, ownerOf).some((owner) => isTouching(later, owner, ownerOf));
}

function isOfIdentity({ kind }: CorrectionDetail): boolean {
  return kind === 'merge-entities' || kind === 'split-entity';
}

function endedBy({ journal: { before } }: CorrectionDetail): readonly string[] {
  return before.filter(({ kind }) => kind === 'fact').map(({ id }) => id);
}

function profileOwnersOf(
  { journal: { created, before } }: CorrectionDetail,
  ownerOf: OwnerOf,
): readonly string[] {
  const versions = [...created, ...before].filter(({ kind }) => kind === 'profile');
  return versions.flatMap(({ id }) => ownerOf(id) ?? []);
}

/** Facts and entities that a correction is about. */
export function subjectsOf(detail: CorrectionDetail): readonly string[] {
  switch (detail.kind) {
    case 'edit-fact':
    case 'reject-fact':
    case 'pin-fact':
      return [detail.fact.id];
    case 'edit-profile':
      return [detail.entity.id];
    case 'merge-entities':
      return [detail.keep.id, detail.merged.id];
    case 'split-entity':
      return [detail.entity.id, ...detail.facts.map(({ id }) => id)];
    case 'keep-apart':
      return detail.entities.map(({ id }) => id);
    case 'undo':
      return [];
  }
}

/** Facts and entities that a correction changed. */
function changedBy(detail: CorrectionDetail): readonly string[] {
  const { before, created, linked, unlinked } = detail.journal;
  const moved = [...linked, ...unlinked].filter(({ kind }) => kind === 'ABOUT').map(({ from }) => from);
  return [
    ...subjectsOf(detail),
    ...('made' in detail ? [detail.made] : []),
    ...created.filter(({ kind }) => kind === 'fact' || kind === 'entity').map(({ id }) => id),
    ...before.filter(({ kind }) => kind === 'fact').map(({ id }) => id),
    ...(detail.kind === 'merge-entities' || detail.kind === 'split-entity' ? moved : []),
  ];
}

/** Owner of a profile version; undefined if the version no longer exists. */
type OwnerOf = (version: string) => string | undefined;

/** All profile versions that corrections or their undoing wrote or expired. */
export async function versionsByHand({
  index,
  store,
  scope,
}: IndexedScope): Promise<ReadonlyMap<string, Profile>> {
  const ids = index.corrections.all.flatMap((each) => versionsIn(readDetail(each)));
  const rows = await store.get(scope, 'profile', [...new Set(ids)]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Whether a correction wrote or expired a version of the entity's profile. */
function isTouching(detail: CorrectionDetail, owner: string, ownerOf: OwnerOf): boolean {
  return versionsIn(detail).some((id) => ownerOf(id) === owner);
}

function versionsIn(detail: CorrectionDetail | null): readonly string[] {
  if (detail === null) return [];
  const { created, before } = detail.journal;
  return [...created, ...before].flatMap(({ kind, id }) => (kind === 'profile' ? [id] : []));
}

interface Step {
  readonly id: string;
  readonly detail: CorrectionDetail;
}

/**
 * The versions of one profile that corrections replaced, with the corrections in force at each version. Versions are
 * ordered by their corrections, not by time.
 */
export class ProfileVersions {
  readonly #rows: ReadonlyMap<string, Profile>;
  readonly #owner: string;
  readonly #steps: readonly Step[];

  /** @param corrections In the order in which they were made. */
  constructor(corrections: readonly Correction[], rows: ReadonlyMap<string, Profile>, owner: string) {
    this.#rows = rows;
    this.#owner = owner;
    const ownerOf = (version: string) => rows.get(version)?.owner;
    this.#steps = corrections.flatMap((each) => {
      const detail = readDetail(each);
      if (detail === null) return [];
      return detail.kind === 'undo' || isTouching(detail, owner, ownerOf) ? [{ id: each.id, detail }] : [];
    });
  }

  /**
   * The version to restore when `undone` is undone: only corrections replaced it, and the corrections in force at it
   * are those in force without `undone`. Null if something was read since.
   *
   * @param version The current version, or the one that `undone` expired if there is no current one.
   */
  without(undone: string, version: string, current: boolean): Profile | null {
    const wanted = this.#heldBefore(this.#steps.length);
    wanted.delete(undone);
    let row = this.#rows.get(version);
    let place = current ? this.#steps.length : this.#steps.findIndex(({ id }) => id === undone);
    for (let hops = 0; row !== undefined && hops <= this.#steps.length; hops++) {
      if (isSame(this.#heldBefore(place), wanted)) return row;
      const { id } = row;
      place = this.#steps.findIndex(({ detail }) => detail.journal.created.some((each) => each.id === id));
      if (place < 0) return null;
      row = this.#steps[place]!.detail.journal.before.map((each) => this.#rows.get(each.id)).find(
        (each) => each?.owner === this.#owner,
      );
    }
    return null;
  }

  /** Corrections of the profile in force just before a step. */
  #heldBefore(place: number): Set<string> {
    const held = new Set<string>();
    for (const { id, detail } of this.#steps.slice(0, place))
      if (detail.kind === 'undo') held.delete(detail.correction);
      else held.add(id);
    return held;
  }
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((id) => other.has(id));
}
