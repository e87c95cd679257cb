import type { Fact, Profile } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { groupBy } from '../../util/collections.ts';
import { entityNameKey } from '../../util/tidy.ts';
import { type BaseEdge, DERIVED_FROM_TURNS, type ScopeRows } from './scope-rows.ts';

/** Ids of rows in one graph by the ids of the same rows in the other. Turns have the same ids in both. */
export type SameAs = ReadonlyMap<string, string>;

/**
 * Finds the rows that two graphs over the same turns share, so that these keep their ids. Text never changes, so rows
 * with different text are different rows. Two entities are the same if they share a name and are mentioned in the same
 * places, or in most of them.
 */
export function matchRows(fresh: ScopeRows, old: ScopeRows): SameAs {
  const same = new Map<string, string>();
  const match = (entries: Iterable<readonly [string, string]>) => {
    for (const [from, to] of entries) same.set(from, to);
  };
  for (const kind of DERIVED_FROM_TURNS)
    match(
      [...fresh.nodes[kind].keys()].flatMap((id) => (old.nodes[kind].has(id) ? [[id, id] as const] : [])),
    );
  const [left, open] = [without(fresh, same), without(old, same)];
  const [freshEdges, oldEdges] = [new Neighbours(fresh), new Neighbours(old)];
  match(matchSegments({ fresh: left, freshEdges }, { old: open, oldEdges }));
  match(matchFacts({ fresh: left, freshEdges }, { old: open, oldEdges }));
  match(matchEntities({ fresh: left, freshEdges }, { old: open, oldEdges }, same));
  const idOf = (id: string) => same.get(id) ?? null;
  match(
    pairs([...left.nodes.profile.values()], [...open.nodes.profile.values()], {
      freshKey: (row) => profileKey(row, idOf(row.owner)),
      oldKey: (row) => profileKey(row, row.owner),
    }),
  );
  match(
    pairs([...left.nodes.description.values()], [...open.nodes.description.values()], {
      freshKey: ({ entity, segment, text }) => keyOf(idOf(entity), idOf(segment), text),
      oldKey: ({ entity, segment, text }) => keyOf(entity, segment, text),
    }),
  );
  return same;
}

/** The derived rows without a match yet, and all edges. */
function without({ nodes, edges }: ScopeRows, same: SameAs): ScopeRows {
  const left = Object.fromEntries(
    DERIVED_FROM_TURNS.map((kind) => [
      kind,
      new Map([...(nodes[kind] as ReadonlyMap<string, object>)].filter(([id]) => !same.has(id))),
    ]),
  );
  return { nodes: { ...nodes, ...left } as ScopeRows['nodes'], edges };
}

interface Fresh {
  readonly fresh: ScopeRows;
  readonly freshEdges: Neighbours;
}
interface Old {
  readonly old: ScopeRows;
  readonly oldEdges: Neighbours;
}

/** Looks up the other ends of edges. */
class Neighbours {
  readonly #rows: ScopeRows;
  readonly #maps = new Map<string, ReadonlyMap<string, readonly Relationship[]>>();

  constructor(rows: ScopeRows) {
    this.#rows = rows;
  }

  /** Sorted. */
  from(kind: BaseEdge, id: string): string[] {
    return (this.#by(kind, 'from').get(id) ?? []).map(({ to }) => to).sort();
  }

  /** Sorted. */
  to(kind: BaseEdge, id: string): string[] {
    return (this.#by(kind, 'to').get(id) ?? []).map(({ from }) => from).sort();
  }

  #by(kind: BaseEdge, end: 'from' | 'to'): ReadonlyMap<string, readonly Relationship[]> {
    const key = `${kind} ${end}`;
    const known = this.#maps.get(key) ?? groupBy(this.#rows.edges[kind], (edge) => edge[end]);
    this.#maps.set(key, known);
    return known;
  }
}

function matchSegments({ fresh, freshEdges }: Fresh, { old, oldEdges }: Old) {
  const key =
    (edges: Neighbours) =>
    (row: { id: string; createdAt: number; summary: string; keywords: readonly string[] }) =>
      keyOf(row.createdAt, row.summary, row.keywords, edges.to('IN_SEGMENT', row.id));
  return pairs([...fresh.nodes.segment.values()], [...old.nodes.segment.values()], {
    freshKey: key(freshEdges),
    oldKey: key(oldEdges),
  });
}

/** Matches by text and evidence first, then by text alone: the evidence of a fact may have grown or shrunk. */
function matchFacts({ fresh, freshEdges }: Fresh, { old, oldEdges }: Old): Map<string, string> {
  const exact = (edges: Neighbours) => (fact: Fact) =>
    keyOf(factKey(fact), edges.from('EVIDENCED_BY', fact.id));
  const found = new Map(
    pairs([...fresh.nodes.fact.values()], [...old.nodes.fact.values()], {
      freshKey: exact(freshEdges),
      oldKey: exact(oldEdges),
    }),
  );
  const taken = new Set(found.values());
  const left = [...fresh.nodes.fact.values()].filter(({ id }) => !found.has(id));
  const open = [...old.nodes.fact.values()].filter(({ id }) => !taken.has(id));
  for (const [from, to] of pairs(left, open, { freshKey: factKey, oldKey: factKey })) found.set(from, to);
  return found;
}

function factKey(fact: Fact): string {
  const { kind, statement, relation, validAt, confidence, event, origin } = fact;
  return keyOf(kind, statement, relation, validAt, confidence, event, origin);
}

/** Entities of both graphs by the places that mention them: turns and facts, by ids of the old graph. */
function matchEntities(
  { fresh, freshEdges }: Fresh,
  { old, oldEdges }: Old,
  same: SameAs,
): Map<string, string> {
  const namesOf = ({ nodes }: ScopeRows) => {
    const profiles = groupBy([...nodes.profile.values()], ({ owner }) => owner as string);
    return (id: string) => new Set((profiles.get(id) ?? []).map(({ name }) => entityNameKey(name)));
  };
  const [freshNames, oldNames] = [namesOf(fresh), namesOf(old)];
  const speaksOf = new Map<string, string[]>();
  const oldPlaces = new Map<string, number>();
  for (const id of old.nodes.entity.keys()) {
    const places = [...oldEdges.to('MENTIONS', id), ...oldEdges.to('ABOUT', id)];
    oldPlaces.set(id, places.length);
    for (const place of places) {
      const known = speaksOf.get(place);
      if (known === undefined) speaksOf.set(place, [id]);
      else known.push(id);
    }
  }
  const candidates: { from: string; to: string; shared: number; named: boolean }[] = [];
  for (const id of fresh.nodes.entity.keys()) {
    const places = [
      ...freshEdges.to('MENTIONS', id),
      ...freshEdges.to('ABOUT', id).flatMap((fact) => same.get(fact) ?? []),
    ];
    const shared = new Map<string, number>();
    for (const place of places)
      for (const other of speaksOf.get(place) ?? []) shared.set(other, (shared.get(other) ?? 0) + 1);
    const names = freshNames(id);
    for (const [to, count] of shared) {
      const named = [...oldNames(to)].some((name) => names.has(name));
      const all = oldPlaces.get(to)! + places.length;
      candidates.push({ from: id, to, shared: (2 * count) / all, named });
    }
  }
  candidates.sort((a, b) => Number(b.named) - Number(a.named) || b.shared - a.shared);
  const found = new Map<string, string>();
  const taken = new Set<string>();
  // An entity made later, as by a split, is another: at the time of the earlier turns it did not exist.
  const isOlder = (from: string, to: string) =>
    old.nodes.entity.get(to)!.createdAt <= fresh.nodes.entity.get(from)!.createdAt;
  for (const { from, to, shared, named } of candidates) {
    if (found.has(from) || taken.has(to) || (!named && shared < MOSTLY) || !isOlder(from, to)) continue;
    found.set(from, to);
    taken.add(to);
  }
  // If all turns that mentioned an entity were read together with forgotten ones, only its name can match.
  const open = groupBy(
    [...old.nodes.entity.keys()].filter((id) => !taken.has(id)),
    (id) => nameOf(oldNames(id)),
  );
  for (const id of fresh.nodes.entity.keys()) {
    const [other] = found.has(id) ? [] : (open.get(nameOf(freshNames(id))) ?? []);
    if (other === undefined || taken.has(other) || !isOlder(id, other)) continue;
    found.set(id, other);
    taken.add(other);
  }
  return found;
}

function nameOf(names: ReadonlySet<string>): string {
  return [...names][0] ?? '';
}

/** Entities without a common name match if they share more than this part of their places. */
const MOSTLY = 0.6;

/** Includes the creation time: a profile version written as a replacement is a different version. */
function profileKey({ name, aliases, summary, tags, createdAt }: Profile, owner: string | null): string {
  return keyOf(owner, name, aliases, summary, tags, createdAt);
}

/** Pairs rows with equal keys, each once, in order of age. */
function pairs<Row extends { readonly id: string }>(
  fresh: readonly Row[],
  old: readonly Row[],
  { freshKey, oldKey }: { freshKey: (row: Row) => string; oldKey: (row: Row) => string },
): [string, string][] {
  const open = new Map<string, Row[]>();
  for (const row of old) {
    const key = oldKey(row);
    const rows = open.get(key);
    if (rows === undefined) open.set(key, [row]);
    else rows.push(row);
  }
  return fresh.flatMap((row): [string, string][] => {
    const other = open.get(freshKey(row))?.shift();
    return other === undefined ? [] : [[row.id, other.id]];
  });
}

function keyOf(...parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}
