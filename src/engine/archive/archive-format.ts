import { z } from 'zod';
import {
  CORRECTION_KINDS,
  EMBEDDED_FIELDS,
  EPISODE_STATUSES,
  FACT_KINDS,
  FACT_ORIGINS,
  GATE_VERDICTS,
  HIERARCHY_ENDS,
  type NodeKind,
  ROLES,
  TIME_PRECISIONS,
  TOMBSTONE_KINDS,
  TRUST_LEVELS,
} from '../../model/nodes.ts';
import { FACT_ROLES, RELATIONSHIP_KINDS, TOPIC_RELATIONS } from '../../model/relationships.ts';
import { MAX_CONTENT_LENGTH } from '../../model/turn-input.ts';
import { turnMetadataSchema } from '../../model/turn-metadata.ts';

/**
 * Format described in docs/export-format.md. Increase the version when old readers would misread the new format.
 * Version 2 added columns that a reader of version 1 would drop; 3 added corrections and tombstones, 4 the hierarchy;
 * readers reject rows of an unknown kind. This reader accepts all versions.
 */
export const ARCHIVE_FORMAT = 'mnemis-export';
export const ARCHIVE_VERSION = 5;

const id = z.string().min(1).max(200);
/** Same limit as for a turn; names are limited as in `add`, with room for the keys derived from them. */
const text = z.string().max(MAX_CONTENT_LENGTH);
const name = z.string().max(4_000);
/** The range of a Date. */
const time = z.number().int().min(-8.64e15).max(8.64e15);
const timeOrNull = time.nullable();
const texts = z.array(text).readonly();
const count = z.number().int().nonnegative();

export const headerSchema = z.object({
  format: z.literal(ARCHIVE_FORMAT),
  version: z.number().int().positive(),
  scope: text,
  exportedAt: text,
  fingerprint: z.object({ model: text, dimension: z.number().int().positive() }).nullable(),
  counts: z.record(z.string(), z.number().int().nonnegative()),
});
export type ArchiveHeader = z.infer<typeof headerSchema>;

const event = z.object({
  start: time,
  end: time,
  precision: z.enum(TIME_PRECISIONS),
  text,
});

/** The row of each kind in a line. Vectors are base64 of little-endian 32-bit floats. */
export const nodeSchemas = {
  episode: z.object({
    id,
    key: name,
    version: z.number().int().positive(),
    session: name,
    index: z.number().int().nonnegative().max(1e9),
    content: text,
    speaker: name,
    role: z.enum(ROLES),
    validAt: time,
    atText: name,
    createdAt: time,
    expiredAt: timeOrNull,
    source: name,
    sourceId: name.nullable(),
    contentHash: name,
    attachments: z.array(z.object({ kind: text, description: text, uri: text.optional() })).readonly(),
    /** Missing before version 5. */
    metadata: turnMetadataSchema.default({}),
    gate: z.enum(GATE_VERDICTS),
    verified: z.boolean(),
    status: z.enum(EPISODE_STATUSES),
    /** Missing in version 1, like the segment's profile and the fact's origin. */
    trust: z.enum(TRUST_LEVELS).default('normal'),
  }),
  segment: z.object({
    id,
    session: name,
    keywords: texts,
    summary: text,
    profile: name.default(''),
    startAt: time,
    endAt: time,
    createdAt: time,
    expiredAt: timeOrNull,
  }),
  entity: z.object({ id, createdAt: time }),
  /** Precedes the profiles, which refer to their owners. */
  category: z.object({
    id,
    // Far above the depth of any hierarchy; limits the loop over all layers.
    layer: z.number().int().positive().max(1_000),
    createdAt: time,
    expiredAt: timeOrNull,
    /** Missing before version 4. */
    staleSince: timeOrNull.default(null),
  }),
  hierarchy: z.object({
    id,
    categorizer: name,
    stoppedBy: z.enum(HIERARCHY_ENDS),
    layers: count,
    minimumChildren: count,
    maximumLayers: count,
    entities: count,
    topNodes: count,
    builtAt: time,
    createdAt: time,
  }),
  profile: z.object({
    id,
    owner: id,
    name,
    aliases: texts,
    summary: text,
    tags: texts,
    createdAt: time,
    expiredAt: timeOrNull,
  }),
  description: z.object({ id, entity: id, segment: id, text, createdAt: time }),
  fact: z.object({
    id,
    kind: z.enum(FACT_KINDS),
    statement: text,
    relation: text,
    validAt: time,
    invalidAt: timeOrNull,
    createdAt: time,
    expiredAt: timeOrNull,
    confidence: z.number().min(0).max(1),
    event: event.nullable(),
    origin: z.enum(FACT_ORIGINS).default('read'),
    statedEnd: timeOrNull.default(null),
  }),
  failure: z.object({
    id,
    session: name,
    code: name,
    reason: text,
    attempts: z.number().int().positive(),
    createdAt: time,
    expiredAt: timeOrNull,
  }),
  correction: z.object({
    id,
    kind: z.enum(CORRECTION_KINDS),
    author: name,
    targets: z.array(id).readonly(),
    detail: text,
    createdAt: time,
    finishedAt: timeOrNull,
    undoneAt: timeOrNull,
  }),
  tombstone: z.object({
    id,
    kind: z.enum(TOMBSTONE_KINDS),
    digest: name,
    salt: name,
    createdAt: time,
  }),
  item: z.object({
    id,
    namespace: texts,
    key: text,
    value: text,
    createdAt: time,
    expiredAt: timeOrNull,
  }),
  embedding: z.object({ id, owner: id, field: z.enum(EMBEDDED_FIELDS), model: name, vector: z.base64() }),
} as const satisfies Record<NodeKind, z.ZodType>;

const nodeKinds = Object.keys(nodeSchemas) as [NodeKind, ...NodeKind[]];

export const relationshipSchema = z.object({
  kind: z.enum(RELATIONSHIP_KINDS as [string, ...string[]]),
  fromKind: z.enum(nodeKinds),
  from: id,
  toKind: z.enum(nodeKinds),
  to: id,
  role: z.enum(FACT_ROLES).optional(),
  relation: z.enum(TOPIC_RELATIONS).optional(),
  confidence: z.number().min(0).max(1).optional(),
});

/** Any line between the header and the end. */
export const lineSchema = z.union([
  z.object({ node: z.enum(nodeKinds), row: z.unknown() }),
  z.object({ relationship: relationshipSchema }),
]);

/** The last line; proves that the file is complete and unchanged. */
export const endSchema = z.object({
  end: z.object({
    nodes: z.number().int().nonnegative(),
    relationships: z.number().int().nonnegative(),
    /** Hexadecimal SHA-256 of all lines before this one, each with its line feed. */
    sha256: text,
  }),
});

/** Rows precede the rows that refer to them. */
export const NODE_ORDER: readonly NodeKind[] = nodeKinds;

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
