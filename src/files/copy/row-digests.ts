import { createHash } from 'node:crypto';
import type { NodeKind, NodeRows } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { columnsByName } from '../../model/rows.ts';
import { relationshipKey } from '../../store/change-check.ts';

/** Equal exactly for equal values: `-0` is not 0, vectors bit by bit, objects with their keys in any order. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, exact);
}

function exact(_key: string, value: unknown): unknown {
  if (Object.is(value, -0)) return { negative: 0 };
  if (value instanceof Float32Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** 128 bits of SHA-256 in 16 characters, to hold many of them. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest().toString('latin1', 0, 16);
}

/** Of all columns of a row. */
export function digestOfRow<K extends NodeKind>(kind: K, row: NodeRows[K]): string {
  const columns = Object.keys(columnsByName(kind)) as (keyof NodeRows[K])[];
  return digest(canonical(columns.map((name) => row[name])));
}

/** Identifies a relationship within its scope. */
export const keyOfEdge = (edge: Relationship): string => digest(relationshipKey(edge));

/** The columns of a relationship that its key does not contain. */
export function columnsOfEdge({ relation, confidence }: Relationship): string {
  return relation === undefined && confidence === undefined ? '' : canonical([relation, confidence]);
}
