import type { Correction } from '../../model/nodes.ts';
import { type CorrectionDetail, readDetail } from './correction-detail.ts';
import { isTouching, type OwnerOf } from './profile-versions.ts';

/**
 * Later corrections, not undone, that go by what a correction made of memory, and those that rest on them: the newest
 * first, the order in which they are to be undone.
 *
 * @param corrections In the order in which they were made.
 * @param ownerOf Whose a profile version is, of those that the corrections wrote or ended.
 */
export function restingOn(
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
export function changedBy(detail: CorrectionDetail): readonly string[] {
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
