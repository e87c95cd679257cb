import { z } from 'zod';
import { subjectsOf } from '../../edit/correct/dependent-corrections.ts';
import { forgetDetail } from '../../edit/forget/records.ts';
import { readDetail } from '../../ingest/corrections/correction-detail.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import type { CorrectionId, EntityId, FactId, Milliseconds, Scope } from '../../model/ids.ts';
import type {
  Correction,
  CorrectionKind,
  Episode,
  Fact,
  NodeKind,
  NodeRows,
  Profile,
} from '../../model/nodes.ts';
import { isEmptied } from '../../model/turn-input.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { parseJson } from '../../util/parse-json.ts';
import { everHeld } from '../../util/validity.ts';
import type { ChangedItem, ChangeEvent, JointType } from './change-event.ts';

export interface DescribedScope {
  readonly store: Pick<GraphStore, 'get'>;
  readonly scope: Scope;
  /** The current name of an entity; undefined if it no longer exists. */
  nameOf(entity: string): Promise<string | undefined>;
}

const TYPES: Readonly<Record<CorrectionKind, Extract<ChangeEvent, { correction: unknown }>['type']>> = {
  'edit-fact': 'corrected',
  'reject-fact': 'corrected',
  'pin-fact': 'corrected',
  'edit-profile': 'corrected',
  'keep-apart': 'corrected',
  'merge-entities': 'merged',
  'split-entity': 'split',
  undo: 'undone',
  forget: 'forgot',
  retain: 'retained',
};

const counted = z.object({ counts: z.record(z.string(), z.number()) });

interface Rows {
  readonly turns: ReadonlyMap<string, Episode>;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly facts: ReadonlyMap<string, Fact>;
  readonly corrections: ReadonlyMap<string, Correction>;
}

/** The events of drafts, in their order; null for a draft whose rows are gone. */
export async function describeChanges(
  context: DescribedScope,
  drafts: readonly ChangeDraft[],
): Promise<(ChangeEvent | null)[]> {
  const named = drafts.flatMap((draft) => (draft.type === 'entity' ? draft.profile : []));
  const superseded = drafts.flatMap((draft) => (draft.type === 'superseded' ? draft.old : []));
  const facts = [...drafts.flatMap(idOf('fact', 'withdrawn', 'superseded')), ...superseded];
  const rows: Rows = {
    turns: await rowsNamed(context, 'episode', drafts.flatMap(idOf('stored'))),
    profiles: await rowsNamed(context, 'profile', named),
    facts: await rowsNamed(context, 'fact', facts),
    corrections: await rowsNamed(context, 'correction', drafts.flatMap(idOf('corrected'))),
  };
  const events: (ChangeEvent | null)[] = [];
  for (const draft of drafts) {
    const correction = draft.type === 'corrected' ? rows.corrections.get(draft.id) : undefined;
    events.push(
      correction === undefined
        ? describeRead(draft, rows)
        : await describeCorrectionEvent(context, correction, draft.at),
    );
  }
  return events;
}

function describeRead(draft: ChangeDraft, { turns, profiles, facts }: Rows): ChangeEvent | null {
  const { at } = draft;
  switch (draft.type) {
    case 'rederived':
    case 'restored':
      return { type: draft.type, at, counts: draft.counts };
    case 'stored':
      return describeTurn(turns.get(draft.id), at);
    case 'entity': {
      const name = profiles.get(draft.profile)?.name;
      if (name === undefined) return null;
      return { type: 'learned', what: 'entity', at, entity: draft.id as EntityId, name };
    }
    case 'corrected':
      return null;
  }
  const row = facts.get(draft.id);
  if (row === undefined) return null;
  const { id: fact, statement } = row;
  if (draft.type === 'withdrawn') return { type: draft.type, at, fact, statement };
  if (!('old' in draft)) return { type: 'learned', what: 'fact', at, fact, statement };
  const supersededStatement = facts.get(draft.old)?.statement ?? null;
  return { type: draft.type, at, fact, statement, superseded: draft.old as FactId, supersededStatement };
}

function describeTurn(row: Episode | undefined, at: number): ChangeEvent | null {
  if (row === undefined) return null;
  const { id: episode, session, index, version, speaker } = row;
  return { type: 'stored', at, episode, session, index, version, speaker };
}

async function describeCorrectionEvent(
  context: DescribedScope,
  row: Correction,
  at: number,
): Promise<ChangeEvent> {
  const { id: correction, kind, author, targets } = row;
  const type = TYPES[kind];
  const base = { at, correction, author };
  if (type === 'undone') {
    const [undone] = await context.store.get(context.scope, 'correction', targets);
    return { type, ...base, undoes: (undone?.id as CorrectionId | undefined) ?? null };
  }
  if (type === 'forgot' || type === 'retained') return { type, ...base, counts: countsIn(row) };
  // The targets of a merge include all edges that it moved.
  const detail = readDetail(row);
  const about = await itemsNamed(context, detail === null ? targets : subjectsOf(detail));
  return { type, ...base, kind, about };
}

function countsIn({ detail }: Correction): Readonly<Record<string, number>> {
  const read = parseJson(detail);
  const parsed = counted.safeParse(read.ok ? read.value : null);
  return parsed.success ? parsed.data.counts : {};
}

async function itemsNamed(context: DescribedScope, targets: readonly string[]): Promise<ChangedItem[]> {
  const facts = await rowsNamed(context, 'fact', targets);
  const items: ChangedItem[] = [];
  for (const target of targets) {
    const fact = facts.get(target);
    const name = fact === undefined ? await context.nameOf(target) : undefined;
    if (fact !== undefined) items.push({ kind: 'fact', id: fact.id, text: fact.statement });
    if (name !== undefined) items.push({ kind: 'entity', id: target as EntityId, text: name });
  }
  return items;
}

function idOf(...types: readonly ChangeDraft['type'][]): (draft: ChangeDraft) => string[] {
  return (draft) => ('id' in draft && types.includes(draft.type) ? [draft.id] : []);
}

async function rowsNamed<K extends NodeKind>(
  { store, scope }: DescribedScope,
  kind: K,
  ids: readonly string[],
): Promise<ReadonlyMap<string, NodeRows[K]>> {
  const rows = ids.length === 0 ? [] : await store.get(scope, kind, [...new Set(ids)]);
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * An event without user text: it may wait for a reader while its rows are forgotten. The texts are read from the
 * graph when the event is consumed.
 */
export type ChangeDraft =
  | {
      readonly type: 'stored' | 'withdrawn' | 'fact' | 'corrected';
      readonly at: Milliseconds;
      readonly id: string;
    }
  | {
      readonly type: 'entity';
      readonly at: Milliseconds;
      readonly id: string;
      /** The entity's first profile. */
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
  'corrected',
  'rederived',
  'restored',
];

/** Sorts by time; at equal times, stored turns precede the changes that they caused. */
export function inOrder(drafts: readonly ChangeDraft[]): ChangeDraft[] {
  const idOf = (draft: ChangeDraft) => ('id' in draft ? draft.id : '');
  return drafts.toSorted(
    (a, b) =>
      a.at - b.at ||
      ORDER.indexOf(a.type) - ORDER.indexOf(b.type) ||
      (idOf(a) < idOf(b) ? -1 : idOf(a) > idOf(b) ? 1 : 0),
  );
}

/** The drafts of a commit. @param now Used for changes without a time of their own. */
export function draftsOf(changes: GraphChanges, now: Milliseconds): ChangeDraft[] {
  const { episode = [], fact = [] } = changes.nodes ?? {};
  return inOrder([
    // One whose text a retention rule removed was stored earlier.
    ...episode.filter((turn) => !isEmptied(turn)).map(storedDraft),
    ...entityDrafts(changes.nodes?.entity ?? [], changes.nodes?.profile ?? []),
    ...fact.map(({ id, createdAt: at }): ChangeDraft => ({ type: 'fact', at, id })),
    ...supersededDrafts(changes, now),
    ...withdrawnDrafts(changes),
    ...correctedDrafts(changes),
  ]);
}

export function storedDraft({ id, createdAt: at }: Pick<Episode, 'id' | 'createdAt'>): ChangeDraft {
  return { type: 'stored', at, id };
}

/** Entities by the oldest of the given profiles; an entity without a profile has no name and is skipped. */
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

/** A fact that another one replaced in the same commit is reported as superseded, not withdrawn. */
function withdrawnDrafts({ updates = [], relationships = [] }: GraphChanges): ChangeDraft[] {
  const superseded = new Set(relationships.flatMap(({ kind, to }) => (kind === 'SUPERSEDES' ? [to] : [])));
  return updates.flatMap((update): ChangeDraft[] => {
    const at = update.kind === 'fact' ? update.set.expiredAt : undefined;
    return at == null || superseded.has(update.id) ? [] : [{ type: 'withdrawn', at, id: update.id }];
  });
}

/**
 * A correction that replaces another row is reported if it completes that row's work, as at the end of forgetting:
 * then it has the latest finishing time. Others in the commit were finished before and only rename rows.
 */
function correctedDrafts({ nodes, updates = [], removals = [] }: GraphChanges): ChangeDraft[] {
  const made = (nodes?.correction ?? []).filter((each) => !isRederived(each)); // reported when it ended
  const isReplacing = removals.some(({ kind }) => kind === 'correction');
  const latest = Math.max(...made.map(({ finishedAt }) => finishedAt ?? 0));
  const reported = isReplacing ? made.filter(({ finishedAt }) => finishedAt === latest) : made;
  const finished = updates.flatMap((update): ChangeDraft[] => {
    const at = update.kind === 'correction' ? update.set.finishedAt : undefined;
    return at == null ? [] : [{ type: 'corrected', at, id: update.id }];
  });
  return [...reported.flatMap(correctedDraft), ...finished];
}

function isRederived(correction: Correction): boolean {
  return forgetDetail(correction)?.rederivation === 'done';
}

/** A correction in progress is reported when it is complete. */
export function correctedDraft({ id, finishedAt: at }: Pick<Correction, 'id' | 'finishedAt'>): ChangeDraft[] {
  return at === null ? [] : [{ type: 'corrected', at, id }];
}

/** A corrected fact ends where it began (see fact-versions.ts); a fact that only ended was not withdrawn. */
export function isWithdrawn(
  { validAt, invalidAt, expiredAt }: Pick<Fact, 'validAt' | 'invalidAt' | 'expiredAt'>,
  isSuperseded: boolean,
): boolean {
  const neverHeld = isSuperseded && (invalidAt === null || !everHeld({ validAt, invalidAt }));
  return expiredAt !== null && !neverHeld;
}
