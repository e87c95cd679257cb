import { z } from 'zod';
import { type Column, id, text } from '../../model/columns.ts';
import { NODE_KINDS, type NodeKind } from '../../model/nodes.ts';
import { RELATIONSHIP_KINDS, type RelationshipKind } from '../../model/relationships.ts';
import { CARRIED_COLUMNS, columnsByName } from '../../model/rows.ts';

/**
 * Format described in docs/export-format.md. Increase the version when old readers would misread the new format.
 * Version 2 added columns that a reader of version 1 would drop; 3 added corrections and tombstones, 4 the hierarchy;
 * readers reject rows of an unknown kind. This reader accepts all versions.
 */
export const ARCHIVE_FORMAT = 'mnemis-export';
export const ARCHIVE_VERSION = 5;

export const headerSchema = z.object({
  format: z.literal(ARCHIVE_FORMAT),
  version: z.number().int().positive(),
  scope: text.schema,
  exportedAt: text.schema,
  fingerprint: z.object({ model: text.schema, dimension: z.number().int().positive() }).nullable(),
  counts: z.record(z.string(), z.number().int().nonnegative()),
});
export type ArchiveHeader = z.infer<typeof headerSchema>;

/** What a column is in a line. Vectors are base64 of little-endian 32-bit floats. */
function schemaOf(column: Column): z.ZodType {
  const schema = column.type === 'vector' ? z.base64().transform(decodeVector) : column.schema;
  return 'before' in column ? schema.default(column.before) : schema;
}

/** The row of each kind in a line. */
export const nodeSchemas = new Map(
  NODE_KINDS.map((kind) => {
    const columns = Object.entries(columnsByName(kind));
    return [kind, z.object(Object.fromEntries(columns.map(([name, column]) => [name, schemaOf(column)])))];
  }),
);

const end = id<string>().schema;

export const relationshipSchema = z.object({
  kind: z.enum(RELATIONSHIP_KINDS as [RelationshipKind, ...RelationshipKind[]]),
  fromKind: z.enum(NODE_KINDS),
  from: end,
  toKind: z.enum(NODE_KINDS),
  to: end,
  role: CARRIED_COLUMNS.role.schema.optional(),
  relation: CARRIED_COLUMNS.relation.schema.optional(),
  confidence: CARRIED_COLUMNS.confidence.schema.optional(),
});

/** Any line between the header and the end. */
export const lineSchema = z.union([
  z.object({ node: z.enum(NODE_KINDS), row: z.unknown() }),
  z.object({ relationship: relationshipSchema }),
]);

/** The last line; proves that the file is complete and unchanged. */
export const endSchema = z.object({
  end: z.object({
    nodes: z.number().int().nonnegative(),
    relationships: z.number().int().nonnegative(),
    /** Hexadecimal SHA-256 of all lines before this one, each with its line feed. */
    sha256: text.schema,
  }),
});

/** Rows precede the rows that refer to them: categories have profiles. */
export const NODE_ORDER: ReadonlySet<NodeKind> = new Set([
  'episode',
  'segment',
  'entity',
  'category',
  'hierarchy',
  ...NODE_KINDS,
]);

export function encodeVector(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [position, value] of vector.entries()) bytes.writeFloatLE(value, position * 4);
  return bytes.toString('base64');
}

export function decodeVector(encoded: string): Float32Array {
  const bytes = Buffer.from(encoded, 'base64');
  return Float32Array.from({ length: Math.floor(bytes.length / 4) }, (_, position) =>
    bytes.readFloatLE(position * 4),
  );
}
