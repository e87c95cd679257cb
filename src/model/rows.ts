import {
  CORRECTION_KINDS,
  EMBEDDED_FIELDS,
  EPISODE_STATUSES,
  FACT_KINDS,
  FACT_ORIGINS,
  FACT_ROLES,
  GATE_VERDICTS,
  HIERARCHY_ENDS,
  ROLES,
  TOMBSTONE_KINDS,
  TOPIC_RELATIONS,
  TRUST_LEVELS,
} from './codes.ts';
import {
  addedLater,
  attachments,
  boolean,
  type Column,
  code,
  id,
  idList,
  integer,
  json,
  mutable,
  name,
  optionalInterval,
  optionalName,
  optionalTime,
  type RowOf,
  share,
  text,
  textList,
  time,
  title,
  vector,
} from './columns.ts';
import type {
  CategoryId,
  CorrectionId,
  DescriptionId,
  EmbeddingId,
  EntityId,
  EpisodeId,
  FactId,
  FailureId,
  HierarchyId,
  ItemId,
  ProfileId,
  SegmentId,
  TombstoneId,
} from './ids.ts';
import { type TurnMetadata, turnMetadataSchema } from './turn-metadata.ts';

/**
 * The rows of the graph, column by column: their types, what stores keep, exports and tests are made of this table.
 * The order of columns is the order in which stores write them. `nodes.ts` says what each kind is.
 */
export const ROWS = {
  episode: {
    id: id<EpisodeId>(),
    /** Two inputs with the same key are the same turn: see `episodeKey`. */
    key: name,
    /** Counts from 1; the current version of a key is the one whose `expiredAt` is null. */
    version: integer(1),
    session: name,
    /** Position of the turn in its session, from 0. */
    index: integer(0, 1e9),
    content: text,
    speaker: name,
    role: code(ROLES),
    validAt: time,
    /** The time as the caller wrote it. */
    atText: name,
    createdAt: time,
    expiredAt: mutable(optionalTime),
    source: name,
    sourceId: optionalName,
    contentHash: name,
    attachments,
    /** What the program keeps with it; searches can filter by it. */
    metadata: addedLater(
      json<TurnMetadata>(() => turnMetadataSchema),
      {},
    ),
    gate: mutable(code(GATE_VERDICTS)),
    /** Set by the self-check at encoding (GAM §3.3). */
    verified: mutable(boolean),
    status: mutable(code(EPISODE_STATUSES)),
    trust: addedLater(code(TRUST_LEVELS), 'normal'),
  },
  segment: {
    id: id<SegmentId>(),
    session: name,
    /** Ordered from most to least important. */
    keywords: textList,
    summary: text,
    /** Name of the ingest profile that created it; empty in older files. */
    profile: addedLater(name, ''),
    startAt: time,
    endAt: time,
    createdAt: time,
    expiredAt: mutable(optionalTime),
  },
  entity: { id: id<EntityId>(), createdAt: time },
  profile: {
    id: id<ProfileId>(),
    owner: id<EntityId | CategoryId>(),
    name: title,
    aliases: textList,
    summary: text,
    /** At most 5 tags of at most 3 words. */
    tags: textList,
    createdAt: time,
    expiredAt: mutable(optionalTime),
  },
  description: {
    id: id<DescriptionId>(),
    entity: id<EntityId>(),
    segment: id<SegmentId>(),
    text,
    createdAt: time,
  },
  fact: {
    id: id<FactId>(),
    kind: code(FACT_KINDS),
    statement: text,
    /** The relation's words; empty for a proposition. */
    relation: text,
    validAt: mutable(time),
    invalidAt: mutable(optionalTime),
    createdAt: time,
    expiredAt: mutable(optionalTime),
    /** From 0 to 1. */
    confidence: share,
    event: optionalInterval,
    origin: addedLater(code(FACT_ORIGINS), 'read'),
    /** The end stated in the input, independent of any later supersession. */
    statedEnd: addedLater(optionalTime, null),
  },
  category: {
    id: id<CategoryId>(),
    /** From 1, since entities are layer 0. The limit is far above the depth of any hierarchy: loops go over all layers. */
    layer: integer(1, 1_000),
    createdAt: time,
    expiredAt: mutable(optionalTime),
    /** When the content below it first differed from what its summary describes; null while the summary is current. */
    staleSince: mutable(addedLater(optionalTime, null)),
  },
  hierarchy: {
    id: id<HierarchyId>(),
    /** Name of the categorizer. */
    categorizer: name,
    /** Why building stopped. */
    stoppedBy: code(HIERARCHY_ENDS),
    layers: integer(0),
    /** Minimum number of children of a category. */
    minimumChildren: integer(0),
    maximumLayers: integer(0),
    /** Number of entities at the last full build. */
    entities: integer(0),
    /** Size of the top layer when a further layer was last attempted; 0 if none was attempted. */
    topNodes: integer(0),
    /** When the hierarchy was last built in full. */
    builtAt: time,
    /** When the hierarchy was last updated. */
    createdAt: time,
  },
  failure: {
    id: id<FailureId>(),
    session: name,
    /** The `code` of the error. */
    code: name,
    /** A reason that never quotes the user's text. */
    reason: text,
    /** How often the unit was tried, from 1. */
    attempts: integer(1),
    createdAt: time,
    expiredAt: mutable(optionalTime),
  },
  correction: {
    id: id<CorrectionId>(),
    kind: code(CORRECTION_KINDS),
    /** Who made it, as named by the caller. */
    author: name,
    /** Every row that `detail` refers to. */
    targets: idList,
    /** The change as JSON text (see `src/ingest/corrections/correction-detail.ts`). */
    detail: text,
    createdAt: time,
    /** When it was completed; null while it is in progress. */
    finishedAt: mutable(optionalTime),
    undoneAt: mutable(optionalTime),
  },
  tombstone: {
    id: id<TombstoneId>(),
    kind: code(TOMBSTONE_KINDS),
    /** Hexadecimal HMAC-SHA-256 of the forgotten content, keyed with `salt`. */
    digest: name,
    /** Unique per scope, so that equal texts in two scopes have different digests. */
    salt: name,
    createdAt: time,
  },
  item: {
    id: id<ItemId>(),
    namespace: textList,
    key: text,
    /** The value and the list of its searchable fields, as JSON text (see `src/store/item-json.ts`). */
    value: text,
    createdAt: time,
    expiredAt: mutable(optionalTime),
  },
  embedding: {
    id: id<EmbeddingId>(),
    /** The episode, segment, profile, description or fact that has the text. */
    owner: id<string>(),
    field: code(EMBEDDED_FIELDS),
    /** Fingerprint of the embedder that made it. */
    model: name,
    /** Unit length, or all zeros for a text without features. */
    vector,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Column>>>>;

/** A row of a kind. */
export type Row<Kind extends keyof typeof ROWS> = RowOf<(typeof ROWS)[Kind]>;

/** The columns of a kind of row by name, for code that goes through them. */
export const columnsByName = (kind: keyof typeof ROWS): Readonly<Record<string, Column>> => ROWS[kind];

/** The columns of relationships besides their ends; `RELATIONSHIPS` says which kind has which. */
export const CARRIED_COLUMNS = {
  role: code(FACT_ROLES),
  relation: code(TOPIC_RELATIONS),
  confidence: share,
} satisfies Record<string, Column>;
export type CarriedColumn = keyof typeof CARRIED_COLUMNS;
