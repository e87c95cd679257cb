import { type CorrectionDetail, readDetail } from '../../ingest/corrections/correction-detail.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { Correction, Profile } from '../../model/nodes.ts';

/**
 * Later corrections, not undone, that go by what a correction made of memory, and those that rest on them: the newest
 * first, the order in which they are to be undone.
 *
 * @param corrections In the order in which they were made.
 * @param ownerOf Whose a profile version is, of those that the corrections wrote or ended.
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
    if (detail === null || detail.kind === 'undo' || !below.some((each) => restsOn(detail, each, ownerOf)))
      continue;
    below.push(detail);
    found.unshift(later);
  }
  return found;
}

function restsOn(later: CorrectionDetail, earlier: CorrectionDetail, ownerOf: OwnerOf): boolean {
  // That two are two has to do with who is who, not with what they are called.
  if (later.kind === 'keep-apart' && !isOfIdentity(earlier)) return false;
  if (earlier.kind === 'keep-apart' && !isOfIdentity(later)) return false;
  const changed = new Set(changedBy(earlier));
  if (subjectsOf(later).some((id) => changed.has(id))) return true;
  // Where both moved the end of a fact, each knows the end that it found.
  if (earlier.kind !== 'pin-fact' && endedBy(later).some((id) => changed.has(id))) return true;
  // A profile tells of what belongs to its entity: who is who goes back only when nothing was told on top of it.
  if (!isOfIdentity(earlier) && !isOfIdentity(later)) return false;
  return toldBy(earlier, ownerOf).some((owner) => isTouching(later, owner, ownerOf));
}

function isOfIdentity({ kind }: CorrectionDetail): boolean {
  return kind === 'merge-entities' || kind === 'split-entity';
}

function endedBy({ journal: { before } }: CorrectionDetail): readonly string[] {
  return before.filter(({ kind }) => kind === 'fact').map(({ id }) => id);
}

function toldBy({ journal: { created, before } }: CorrectionDetail, ownerOf: OwnerOf): readonly string[] {
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

/** Facts and entities that are not what they were before it. */
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

/** Whose a profile version is; undefined for one that is not there any more. */
type OwnerOf = (version: string) => string | undefined;

/** Of all profile versions that corrections and their undoing wrote or ended. */
export async function versionsByHand({
  index,
  store,
  scope,
}: Pick<IngestContext, 'index' | 'store' | 'scope'>): Promise<ReadonlyMap<string, Profile>> {
  const ids = index.corrections.all.flatMap((each) => versionsIn(readDetail(each)));
  const rows = await store.get(scope, 'profile', [...new Set(ids)]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Whether a correction wrote or ended a version of an entity's profile. */
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
 * The versions of one profile that corrections replaced, with the corrections that held at each of them. They go by the
 * order of the corrections, not by their times.
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
   * The version to go back to: nothing but corrections has replaced it, and those that held at it are those that hold
   * once `undone` does not. Null where something was read since.
   *
   * @param version The current one; where there is none, the one that `undone` ended.
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

  /** Corrections of the profile that held just before a step. */
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
