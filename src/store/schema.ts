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
  type NodeRows,
  ROLES,
  TOMBSTONE_KINDS,
  TRUST_LEVELS,
} from '../model/nodes.ts';
import { FACT_ROLES, type RelationshipKind, TOPIC_RELATIONS } from '../model/relationships.ts';
import { turnMetadataSchema } from '../model/turn-metadata.ts';

/**
 * The type of a column. Only `time`, `optionalTime`, `boolean` and `code` columns can change after a row is written,
 * because a database may store changed text incorrectly (docs/kuzu-defects.md, defect 8).
 */
export type ColumnType =
  /** Short text for lookups. */
  | { readonly type: 'name' }
  | { readonly type: 'optionalName' }
  /** Text of any length. */
  | { readonly type: 'text' }
  | { readonly type: 'integer' }
  | { readonly type: 'time' }
  | { readonly type: 'optionalTime' }
  | { readonly type: 'boolean' }
  | { readonly type: 'number' }
  /** One of a fixed list, stored as its position: only ever append to such a list. */
  | { readonly type: 'code'; readonly values: readonly string[] }
  | { readonly type: 'json'; readonly schema: z.ZodType }
  /** A TimeInterval or null. */
  | { readonly type: 'interval' }
  | { readonly type: 'vector' };

export interface NodeTable<K extends NodeKind> {
  readonly table: string;
  readonly columns: { readonly [C in keyof NodeRows[K]]-?: ColumnType };
}

const name = { type: 'name' } as const;
const text = { type: 'text' } as const;
const integer = { type: 'integer' } as const;
const time = { type: 'time' } as const;
const optionalTime = { type: 'optionalTime' } as const;
const code = (values: readonly string[]) => ({ type: 'code', values }) as const;
const textList = { type: 'json', schema: z.array(z.string()) } as const;
const attachments = {
  type: 'json',
  schema: z.array(z.object({ kind: z.string(), description: z.string(), uri: z.string().optional() })),
} as const;

/** The graph's node tables, column by column. Every row also has `scope` and `sequence` (its commit). */
export const NODE_TABLES: { readonly [K in NodeKind]: NodeTable<K> } = {
  episode: {
    table: 'Episode',
    columns: {
      id: name,
      key: name,
      version: integer,
      session: name,
      index: integer,
      content: text,
      speaker: name,
      role: code(ROLES),
      validAt: time,
      atText: name,
      createdAt: time,
      expiredAt: optionalTime,
      source: name,
      sourceId: { type: 'optionalName' },
      contentHash: name,
      attachments,
      metadata: { type: 'json', schema: turnMetadataSchema },
      gate: code(GATE_VERDICTS),
      verified: { type: 'boolean' },
      status: code(EPISODE_STATUSES),
      trust: code(TRUST_LEVELS),
    },
  },
  segment: {
    table: 'Segment',
    columns: {
      id: name,
      session: name,
      keywords: textList,
      summary: text,
      profile: name,
      startAt: time,
      endAt: time,
      createdAt: time,
      expiredAt: optionalTime,
    },
  },
  entity: { table: 'Entity', columns: { id: name, createdAt: time } },
  profile: {
    table: 'Profile',
    columns: {
      id: name,
      owner: name,
      name: text,
      aliases: textList,
      summary: text,
      tags: textList,
      createdAt: time,
      expiredAt: optionalTime,
    },
  },
  description: {
    table: 'Description',
    columns: { id: name, entity: name, segment: name, text, createdAt: time },
  },
  fact: {
    table: 'Fact',
    columns: {
      id: name,
      kind: code(FACT_KINDS),
      statement: text,
      relation: text,
      validAt: time,
      invalidAt: optionalTime,
      createdAt: time,
      expiredAt: optionalTime,
      confidence: { type: 'number' },
      event: { type: 'interval' },
      origin: code(FACT_ORIGINS),
      statedEnd: optionalTime,
    },
  },
  category: {
    table: 'Category',
    columns: {
      id: name,
      layer: integer,
      createdAt: time,
      expiredAt: optionalTime,
      staleSince: optionalTime,
    },
  },
  hierarchy: {
    table: 'Hierarchy',
    columns: {
      id: name,
      categorizer: name,
      stoppedBy: code(HIERARCHY_ENDS),
      layers: integer,
      minimumChildren: integer,
      maximumLayers: integer,
      entities: integer,
      topNodes: integer,
      builtAt: time,
      createdAt: time,
    },
  },
  failure: {
    table: 'Failure',
    columns: {
      id: name,
      session: name,
      code: name,
      reason: text,
      attempts: integer,
      createdAt: time,
      expiredAt: optionalTime,
    },
  },
  correction: {
    table: 'Correction',
    columns: {
      id: name,
      kind: code(CORRECTION_KINDS),
      author: name,
      targets: textList,
      detail: text,
      createdAt: time,
      finishedAt: optionalTime,
      undoneAt: optionalTime,
    },
  },
  tombstone: {
    table: 'Tombstone',
    columns: { id: name, kind: code(TOMBSTONE_KINDS), digest: name, salt: name, createdAt: time },
  },
  item: {
    table: 'Item',
    columns: {
      id: name,
      namespace: textList,
      key: text,
      value: text,
      createdAt: time,
      expiredAt: optionalTime,
    },
  },
  embedding: {
    table: 'Embedding',
    columns: {
      id: name,
      owner: name,
      field: code(EMBEDDED_FIELDS),
      model: name,
      vector: { type: 'vector' },
    },
  },
};

export type CarriedColumn = 'role' | 'relation' | 'confidence';

/** Types of the extra columns of relationships; `RELATIONSHIPS` says which kind has which. */
export const CARRIED_COLUMNS: { readonly [C in CarriedColumn]: ColumnType } = {
  role: code(FACT_ROLES),
  relation: code(TOPIC_RELATIONS),
  confidence: { type: 'number' },
};

/** A relationship table has the name of its kind. */
export const relationshipTable = (kind: RelationshipKind): string => kind;

/** Columns that `GraphChanges.updates` may set. */
export const MUTABLE_COLUMNS: { readonly [K in NodeKind]: readonly string[] } = {
  episode: ['expiredAt', 'gate', 'verified', 'status'],
  segment: ['expiredAt'],
  entity: [],
  profile: ['expiredAt'],
  description: [],
  fact: ['validAt', 'invalidAt', 'expiredAt'],
  category: ['expiredAt', 'staleSince'],
  hierarchy: [],
  failure: ['expiredAt'],
  correction: ['finishedAt', 'undoneAt'],
  tombstone: [],
  item: ['expiredAt'],
  embedding: [],
};

/** Represents "no time" where a database column must hold a number; no real time equals it. */
export const NO_TIME = Number.MAX_SAFE_INTEGER;

/** The newest schema that this version of Mnemis writes; each number has a migration in `kuzu/migrations`. */
export const SCHEMA_VERSION = 5;
