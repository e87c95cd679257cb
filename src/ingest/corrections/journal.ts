import { z } from 'zod';
import { NODE_KINDS, type NodeKind } from '../../model/nodes.ts';
import {
  FACT_ROLES,
  RELATIONSHIP_KINDS,
  type Relationship,
  type RelationshipKind,
  TOPIC_RELATIONS,
} from '../../model/relationships.ts';

/** Times of a row before a correction. */
export interface RowBefore {
  readonly kind: 'fact' | 'profile';
  readonly id: string;
  readonly expiredAt?: number | null | undefined;
  readonly invalidAt?: number | null | undefined;
  /** The value that the correction set `invalidAt` to, to distinguish it from later changes. */
  readonly set?: number | null | undefined;
}

/** What a correction changed in the graph, so that undoing it restores exactly these rows. */
export interface Journal {
  readonly created: readonly { readonly kind: NodeKind; readonly id: string }[];
  readonly linked: readonly Relationship[];
  readonly unlinked: readonly Relationship[];
  readonly before: readonly RowBefore[];
}

export const NO_JOURNAL: Journal = { created: [], linked: [], unlinked: [], before: [] };

const place = z.number().int().nonnegative();
const nodeKind = z.enum(NODE_KINDS);
const timeOrNull = z.number().nullable().optional();
/** Edges that differ in their ends only; the ends as positions in the list of targets, in pairs. */
const edgeGroup = z.object({
  kind: z.enum(RELATIONSHIP_KINDS as readonly [RelationshipKind, ...RelationshipKind[]]),
  fromKind: nodeKind,
  toKind: nodeKind,
  role: z.enum(FACT_ROLES).optional(),
  relation: z.enum(TOPIC_RELATIONS).optional(),
  confidence: z.number().optional(),
  ends: z.array(place),
});

export const journalSchema = z.object({
  created: z.array(z.object({ kind: nodeKind, id: place })),
  linked: z.array(edgeGroup),
  unlinked: z.array(edgeGroup),
  before: z.array(
    z.object({
      kind: z.enum(['fact', 'profile']),
      id: place,
      expiredAt: timeOrNull,
      invalidAt: timeOrNull,
      set: timeOrNull,
    }),
  ),
});
export type PackedJournal = z.output<typeof journalSchema>;

/** @param others Further ids that must be among the targets. */
export function packJournal(
  journal: Journal,
  others: readonly string[],
): { journal: PackedJournal; targets: readonly string[] } {
  const places = new Map<string, number>();
  const placeOf = (id: string) => {
    const known = places.get(id) ?? places.size;
    places.set(id, known);
    return known;
  };
  for (const id of others) placeOf(id);
  const packed: PackedJournal = {
    created: journal.created.map(({ kind, id }) => ({ kind, id: placeOf(id) })),
    linked: packEdges(journal.linked, placeOf),
    unlinked: packEdges(journal.unlinked, placeOf),
    before: journal.before.map((row) => ({ ...row, id: placeOf(row.id) })),
  };
  return { journal: packed, targets: [...places.keys()] };
}

/** Null if it refers to positions that the list does not have. */
export function unpackJournal(packed: PackedJournal, targets: readonly string[]): Journal | null {
  const places = [
    ...[...packed.created, ...packed.before].map(({ id }) => id),
    ...[...packed.linked, ...packed.unlinked].flatMap(({ ends }) => ends),
  ];
  if (places.some((each) => each >= targets.length)) return null;
  return {
    created: packed.created.map(({ kind, id }) => ({ kind, id: targets[id]! })),
    linked: unpackEdges(packed.linked, targets),
    unlinked: unpackEdges(packed.unlinked, targets),
    before: packed.before.map((row) => ({ ...row, id: targets[row.id]! })),
  };
}

function packEdges(edges: readonly Relationship[], placeOf: (id: string) => number): PackedJournal['linked'] {
  const groups = new Map<string, PackedJournal['linked'][number]>();
  for (const { from, to, ...rest } of edges) {
    const key = JSON.stringify(Object.entries(rest).sort());
    const group = groups.get(key) ?? { ...rest, ends: [] };
    groups.set(key, group);
    group.ends.push(placeOf(from), placeOf(to));
  }
  return [...groups.values()];
}

function unpackEdges(groups: PackedJournal['linked'], targets: readonly string[]): Relationship[] {
  return groups.flatMap(({ ends, kind, fromKind, toKind, ...carried }) =>
    Array.from({ length: Math.floor(ends.length / 2) }, (_, at) => ({
      kind,
      fromKind,
      from: targets[ends[2 * at]!]!,
      toKind,
      to: targets[ends[2 * at + 1]!]!,
      ...carried,
    })),
  );
}
