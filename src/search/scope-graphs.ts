import type { Unlink } from '../model/graph-changes.ts';
import {
  FACT_ROLES,
  type Relationship,
  type RelationshipKind,
  TOPIC_RELATIONS,
} from '../model/relationships.ts';
import { GraphView } from './graph-view.ts';

/** Relationships of one scope that searches follow, between the numbers of its rows. */
export interface ScopeGraphs {
  /** Episode → entity. */
  readonly mentions: GraphView;
  /** Fact → entity; the type of an edge is the role's place in `FACT_ROLES`. */
  readonly about: GraphView;
  /** Fact → episode. */
  readonly evidence: GraphView;
  /** Episode → segment. */
  readonly inSegment: GraphView;
  /** Segment → segment; the weight is the confidence, the type the relation's place in `TOPIC_RELATIONS`. */
  readonly related: GraphView;
}

/** Looks up the numbers of the rows of one kind. */
interface Numbered {
  ordinalOf(id: string): number | undefined;
}
export interface NumberedRows {
  readonly episode: Numbered;
  readonly fact: Numbered;
  readonly entity: Numbered;
  readonly segment: Numbered;
}

interface EdgesOfKind {
  readonly kind: RelationshipKind;
  readonly graph: keyof ScopeGraphs;
  readonly from: keyof NumberedRows;
  readonly to: keyof NumberedRows;
  /** Number of types of its edges. */
  readonly types: number;
}

const EDGES: readonly EdgesOfKind[] = [
  { kind: 'MENTIONS', graph: 'mentions', from: 'episode', to: 'entity', types: 1 },
  { kind: 'ABOUT', graph: 'about', from: 'fact', to: 'entity', types: FACT_ROLES.length },
  { kind: 'EVIDENCED_BY', graph: 'evidence', from: 'fact', to: 'episode', types: 1 },
  { kind: 'IN_SEGMENT', graph: 'inSegment', from: 'episode', to: 'segment', types: 1 },
  { kind: 'RELATED', graph: 'related', from: 'segment', to: 'segment', types: TOPIC_RELATIONS.length },
];

export function emptyScopeGraphs(): ScopeGraphs {
  return {
    mentions: new GraphView(),
    about: new GraphView(),
    evidence: new GraphView(),
    inSegment: new GraphView(),
    related: new GraphView(),
  };
}

/** Adds relationships to these graphs; skips other kinds. */
export function linkRows(
  graphs: ScopeGraphs,
  rows: NumberedRows,
  relationships: readonly Relationship[],
): void {
  for (const edges of EDGES) {
    const ofKind = relationships.filter(
      ({ kind, fromKind }) => kind === edges.kind && fromKind === edges.from,
    );
    link(graphs[edges.graph], ofKind, { from: rows[edges.from], to: rows[edges.to] });
  }
}

/** Removes a relationship in every role or relation. */
export function unlinkRows(
  graphs: ScopeGraphs,
  rows: NumberedRows,
  { kind, from, fromKind, to }: Unlink,
): void {
  const edges = EDGES.find((each) => each.kind === kind && each.from === fromKind);
  if (edges === undefined) return;
  const [start, end] = [rows[edges.from].ordinalOf(from), rows[edges.to].ordinalOf(to)];
  if (start === undefined || end === undefined) return;
  for (let type = 0; type < edges.types; type++) graphs[edges.graph].removeEdge(start, end, type);
}

/** Removes the relationships to an entity whose row was removed. */
export function unlinkEntity(graphs: ScopeGraphs, ordinal: number): void {
  for (const { graph, to } of EDGES) if (to === 'entity') graphs[graph].removeEdgesOf(ordinal, 'in');
}

/** Skips an edge with an expired row, which has no number. */
function link(
  graph: GraphView,
  edges: readonly Relationship[],
  { from, to }: { from: Numbered; to: Numbered },
): void {
  let lastId = '';
  let last: number | undefined;
  for (const edge of edges) {
    // The database returns the edges of one node together, and comparing an id is faster than a lookup.
    if (edge.from !== lastId) [lastId, last] = [edge.from, from.ordinalOf(edge.from)];
    const other = to.ordinalOf(edge.to);
    if (last !== undefined && other !== undefined)
      graph.addEdge({ from: last, to: other, weight: edge.confidence, type: typeOf(edge) });
  }
}

function typeOf({ role, relation }: Relationship): number | undefined {
  if (role !== undefined) return FACT_ROLES.indexOf(role);
  return relation === undefined ? undefined : TOPIC_RELATIONS.indexOf(relation);
}
