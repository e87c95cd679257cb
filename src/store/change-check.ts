import { InvalidChangeError } from '../errors/index.ts';
import type { ColumnType } from '../model/columns.ts';
import type { GraphChanges, RowRemoval, RowUpdate, Unlink } from '../model/graph-changes.ts';
import { NODE_KINDS, type NodeKind, type NodeRows, TIME_PRECISIONS } from '../model/nodes.ts';
import { RELATIONSHIPS, type Relationship } from '../model/relationships.ts';
import { CARRIED_COLUMNS, type CarriedColumn, columnsByName } from '../model/rows.ts';
import { NO_TIME } from './schema.ts';

/** Why a value does not fit its column, or null. The reason never contains the value, which may be the user's text. */
function misfit(column: ColumnType, value: unknown): string | null {
  switch (column.type) {
    case 'name':
    case 'text':
      return typeof value === 'string' ? null : 'is not a text';
    case 'optionalName':
      return value === null || typeof value === 'string' ? null : 'is neither a text nor null';
    case 'integer':
      return Number.isSafeInteger(value) ? null : 'is not a whole number';
    case 'time':
      return isTime(value) ? null : 'is not a time in whole milliseconds';
    case 'optionalTime':
      return value === null || isTime(value) ? null : 'is neither a time in whole milliseconds nor null';
    case 'boolean':
      return typeof value === 'boolean' ? null : 'is not a boolean';
    case 'number':
      return Number.isFinite(value) ? null : 'is not a finite number';
    case 'code':
      return column.values.includes(String(value)) ? null : `is none of ${column.values.join(', ')}`;
    case 'json':
      return column.form.safeParse(value).success ? null : 'does not fit its schema';
    case 'interval':
      return value === null || isInterval(value) ? null : 'is neither a time interval nor null';
    case 'vector':
      return value instanceof Float32Array ? null : 'is not a Float32Array';
  }
}

function isTime(value: unknown): boolean {
  return Number.isSafeInteger(value) && value !== NO_TIME;
}

function isInterval(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const interval = value as { start?: unknown; end?: unknown; precision?: unknown; text?: unknown };
  return (
    isTime(interval.start) &&
    isTime(interval.end) &&
    TIME_PRECISIONS.some((precision) => precision === interval.precision) &&
    typeof interval.text === 'string'
  );
}

export type IdsByKind = ReadonlyMap<NodeKind, ReadonlySet<string>>;

/** What a change set requires and adds. */
export interface ChangeSummary {
  /** The scope must contain these rows before the change. */
  readonly required: IdsByKind;
  /** Ids of the rows that the change adds. */
  readonly added: IdsByKind;
}

/** @throws InvalidChangeError for every error of a change set that shows without reading the store. */
export function checkChanges(changes: GraphChanges): ChangeSummary {
  const added = checkNodes(changes);
  const required = new Map<NodeKind, Set<string>>();
  const need = (kind: NodeKind, id: string) => {
    if (!added.get(kind)?.has(id)) setOf(required, kind).add(id);
  };
  for (const unlink of changes.unlinks ?? []) {
    checkPair(unlink);
    setOf(required, unlink.fromKind).add(unlink.from); // required even if the change adds the row: unlinks run before additions
    setOf(required, unlink.toKind).add(unlink.to);
  }
  checkRelationships(changes.relationships ?? []);
  for (const edge of changes.relationships ?? []) {
    need(edge.fromKind, edge.from);
    need(edge.toKind, edge.to);
  }
  for (const update of changes.updates ?? []) {
    checkUpdate(update);
    need(update.kind, update.id);
  }
  checkRemovals(changes.removals ?? []);
  for (const removal of changes.removals ?? []) need(removal.kind, removal.id);
  return { required, added };
}

/** Two relationships with equal keys are the same. */
export function relationshipKey(edge: Relationship): string {
  return `${edge.role ?? ''} ${unlinkKey(edge)}`;
}

/** The same for every role between two nodes: an unlink removes all of them. */
export function unlinkKey(edge: Unlink): string {
  const { kind, fromKind, from, toKind, to } = edge;
  return `${kind} ${fromKind} ${toKind} ${from.length} ${from}${to}`; // ids may hold any characters
}

export function repeatedRelationship(edge: Pick<Relationship, 'kind'>): InvalidChangeError {
  return new InvalidChangeError(`the same ${edge.kind} relationship occurs twice`);
}

export function repeatedId(kind: NodeKind): InvalidChangeError {
  return new InvalidChangeError(`an id of a ${kind} is already taken`);
}

function checkNodes(changes: GraphChanges): IdsByKind {
  const added = new Map<NodeKind, Set<string>>();
  for (const kind of Object.keys(changes.nodes ?? {}))
    if (!isNodeKind(kind)) throw new InvalidChangeError(`unknown node kind ${JSON.stringify(kind)}`);
  for (const kind of NODE_KINDS) {
    const ids = setOf(added, kind);
    const columns = Object.entries(columnsByName(kind));
    for (const row of changes.nodes?.[kind] ?? []) {
      checkRow(kind, row, columns);
      if (ids.has(row.id)) throw repeatedId(kind);
      ids.add(row.id);
    }
  }
  return added;
}

function checkRow<K extends NodeKind>(
  kind: K,
  row: NodeRows[K],
  columns: readonly (readonly [string, ColumnType])[],
): void {
  checkId(kind, row.id);
  for (const [name, column] of columns) {
    const reason = misfit(column, row[name as keyof NodeRows[K]]);
    if (reason !== null) throw new InvalidChangeError(`${kind}.${name} ${reason}`);
  }
}

/** Ids are lookup keys, so they must survive any encoding: not empty, and no lone surrogates. */
function checkId(kind: NodeKind, id: unknown): void {
  if (typeof id !== 'string' || id === '' || id.length > 500 || /\p{Surrogate}/u.test(id))
    throw new InvalidChangeError(`an id of a ${kind} is not a text of 1 to 500 whole characters`);
}

function checkRelationships(edges: readonly Relationship[]): void {
  const seen = new Set<string>();
  for (const edge of edges) {
    checkRelationship(edge);
    const key = relationshipKey(edge);
    if (seen.has(key)) throw repeatedRelationship(edge);
    seen.add(key);
  }
}

function checkPair(edge: Unlink): void {
  const rules = RELATIONSHIPS[edge.kind];
  if (rules === undefined) throw new InvalidChangeError('a relationship has an unknown kind');
  const pairs: readonly (readonly [NodeKind, NodeKind])[] = rules.pairs;
  if (!pairs.some(([from, to]) => from === edge.fromKind && to === edge.toKind))
    throw new InvalidChangeError(`${edge.kind} does not join ${edge.fromKind} to ${edge.toKind}`);
}

function checkRelationship(edge: Relationship): void {
  checkPair(edge);
  const carries: readonly CarriedColumn[] = RELATIONSHIPS[edge.kind].carries;
  for (const [name, column] of Object.entries(CARRIED_COLUMNS) as [CarriedColumn, ColumnType][]) {
    const value = edge[name];
    const reason = carries.includes(name)
      ? misfit(column, value)
      : value === undefined
        ? null
        : 'is not carried';
    if (reason !== null) throw new InvalidChangeError(`${name} of ${edge.kind} ${reason}`);
  }
}

function checkUpdate(update: RowUpdate): void {
  if (!isNodeKind(update.kind)) throw new InvalidChangeError('an update has an unknown node kind');
  const columns = columnsByName(update.kind);
  for (const [name, value] of Object.entries(update.set)) {
    const column = columns[name];
    if (column?.isMutable !== true) throw new InvalidChangeError(`${update.kind}.${name} may not change`);
    const reason = misfit(column, value);
    if (reason !== null) throw new InvalidChangeError(`${update.kind}.${name} ${reason}`);
  }
}

function checkRemovals(removals: readonly RowRemoval[]): void {
  for (const { kind } of removals)
    if (!isNodeKind(kind)) throw new InvalidChangeError('a removal has an unknown node kind');
}

function isNodeKind(kind: string): kind is NodeKind {
  return (NODE_KINDS as readonly string[]).includes(kind);
}

function setOf(map: Map<NodeKind, Set<string>>, kind: NodeKind): Set<string> {
  const set = map.get(kind) ?? new Set();
  map.set(kind, set);
  return set;
}
