import type { GraphChanges } from '../../model/graph-changes.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { Correction, Episode, Fact, Profile } from '../../model/nodes.ts';
import type { JointType } from './change-event.ts';

/**
 * An event without a word of the user's: it may wait for a reader while what it tells of is forgotten. The words are
 * read from the graph when the event is taken.
 */
export type ChangeDraft =
  | {
      readonly type: 'stored' | 'withdrawn' | 'fact' | 'ruled';
      readonly at: Milliseconds;
      readonly id: string;
    }
  | {
      readonly type: 'entity';
      readonly at: Milliseconds;
      readonly id: string;
      /** Its first profile. */
      readonly profile: string;
    }
  | { readonly type: 'superseded'; readonly at: Milliseconds; readonly id: string; readonly old: string }
  | {
      readonly type: JointType;
      readonly at: Milliseconds;
      readonly counts: Readonly<Record<string, number>>;
    };

const ORDER: readonly ChangeDraft['type'][] = [
  'stored',
  'entity',
  'fact',
  'superseded',
  'withdrawn',
  'ruled',
  'rederived',
  'restored',
];

/** By time; of one time what came in before what it did. */
export function inOrder(drafts: readonly ChangeDraft[]): ChangeDraft[] {
  const idOf = (draft: ChangeDraft) => ('id' in draft ? draft.id : '');
  return drafts.toSorted(
    (a, b) =>
      a.at - b.at ||
      ORDER.indexOf(a.type) - ORDER.indexOf(b.type) ||
      (idOf(a) < idOf(b) ? -1 : idOf(a) > idOf(b) ? 1 : 0),
  );
}

/** What a commit tells. @param now For what has no time of its own in it. */
export function draftsOf(changes: GraphChanges, now: Milliseconds): ChangeDraft[] {
  const { episode = [], fact = [] } = changes.nodes ?? {};
  return inOrder([
    ...episode.filter(hasText).map(storedDraft),
    ...entityDrafts(changes.nodes?.entity ?? [], changes.nodes?.profile ?? []),
    ...fact.map(({ id, createdAt: at }): ChangeDraft => ({ type: 'fact', at, id })),
    ...supersededDrafts(changes, now),
    ...withdrawnDrafts(changes),
    ...ruledDrafts(changes),
  ]);
}

/** A turn whose text was removed by a retention rule came in before. */
function hasText({ content, attachments }: Pick<Episode, 'content' | 'attachments'>): boolean {
  return content !== '' || attachments.length > 0;
}

export function storedDraft({ id, createdAt: at }: Pick<Episode, 'id' | 'createdAt'>): ChangeDraft {
  return { type: 'stored', at, id };
}

/** By their oldest profiles among the given ones; what has none has no name to be told by. */
export function entityDrafts(
  entities: readonly { readonly id: string; readonly createdAt: Milliseconds }[],
  profiles: readonly Pick<Profile, 'id' | 'owner' | 'createdAt'>[],
): ChangeDraft[] {
  const first = new Map<string, Pick<Profile, 'id' | 'createdAt'>>();
  for (const profile of profiles) {
    const known = first.get(profile.owner);
    if (known === undefined || profile.createdAt < known.createdAt) first.set(profile.owner, profile);
  }
  return entities.flatMap(({ id, createdAt: at }): ChangeDraft[] => {
    const profile = first.get(id)?.id;
    return profile === undefined ? [] : [{ type: 'entity', at, id, profile }];
  });
}

function supersededDrafts({ nodes, relationships = [] }: GraphChanges, now: Milliseconds): ChangeDraft[] {
  const createdAt = new Map<string, Milliseconds>((nodes?.fact ?? []).map((row) => [row.id, row.createdAt]));
  return relationships.flatMap(({ kind, from: id, to: old }): ChangeDraft[] => {
    if (kind !== 'SUPERSEDES') return [];
    const times = [id, old].flatMap((end) => createdAt.get(end) ?? []);
    return [{ type: 'superseded', at: times.length === 0 ? now : Math.max(...times), id, old }];
  });
}

/** What gave way to another fact in the same commit is told as superseded. */
function withdrawnDrafts({ updates = [], relationships = [] }: GraphChanges): ChangeDraft[] {
  const superseded = new Set(relationships.flatMap(({ kind, to }) => (kind === 'SUPERSEDES' ? [to] : [])));
  return updates.flatMap((update): ChangeDraft[] => {
    const at = update.kind === 'fact' ? update.set.expiredAt : undefined;
    return at == null || superseded.has(update.id) ? [] : [{ type: 'withdrawn', at, id: update.id }];
  });
}

/**
 * A row that takes the place of another one is told when it ends that one's work, as at the end of forgetting: then it is
 * the last to be finished. Others of its commit were finished before, and only name rows anew.
 */
function ruledDrafts({ nodes, updates = [], removals = [] }: GraphChanges): ChangeDraft[] {
  const made = nodes?.correction ?? [];
  const isReplacing = removals.some(({ kind }) => kind === 'correction');
  const latest = Math.max(...made.map(({ finishedAt }) => finishedAt ?? 0));
  const told = isReplacing ? made.filter(({ finishedAt }) => finishedAt === latest) : made;
  const finished = updates.flatMap((update): ChangeDraft[] => {
    const at = update.kind === 'correction' ? update.set.finishedAt : undefined;
    return at == null ? [] : [{ type: 'ruled', at, id: update.id }];
  });
  return [...told.flatMap(ruledDraft), ...finished];
}

/** What is under way is told when it is done. */
export function ruledDraft({ id, finishedAt: at }: Pick<Correction, 'id' | 'finishedAt'>): ChangeDraft[] {
  return at === null ? [] : [{ type: 'ruled', at, id }];
}

/** A fact that was corrected ends where it began (see fact-versions.ts); one that merely ended was not given up. */
export function isWithdrawn(
  { validAt, invalidAt, expiredAt }: Pick<Fact, 'validAt' | 'invalidAt' | 'expiredAt'>,
  isSuperseded: boolean,
): boolean {
  const neverHeld = isSuperseded && (invalidAt === null || invalidAt <= validAt);
  return expiredAt !== null && !neverHeld;
}
