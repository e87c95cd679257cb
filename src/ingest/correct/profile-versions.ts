import type { Correction, Profile } from '../../model/nodes.ts';
import type { IngestContext } from '../ingest-context.ts';
import { type CorrectionDetail, readDetail } from './correction-detail.ts';

/** Whose a profile version is; undefined for one that is not there any more. */
export type OwnerOf = (version: string) => string | undefined;

/** Of all profile versions that corrections and their undoing wrote or ended. */
export async function versionsByHand({
  index,
  store,
  scope,
}: Pick<IngestContext, 'index' | 'store' | 'scope'>): Promise<ReadonlyMap<string, Profile>> {
  const ids = index.rulings.corrections.flatMap((each) => versionsIn(readDetail(each)));
  const rows = await store.get(scope, 'profile', [...new Set(ids)]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Whether a correction wrote or ended a version of an entity's profile. */
export function isTouching(detail: CorrectionDetail, owner: string, ownerOf: OwnerOf): boolean {
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
