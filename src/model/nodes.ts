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
  Milliseconds,
  ProfileId,
  SegmentId,
  TombstoneId,
} from './ids.ts';

/**
 * Who speaks in a turn: a person, a model, the instructions of an app, a tool with what it returned, anybody else.
 * Kept as a position: append only.
 */
export const ROLES = ['user', 'assistant', 'system', 'tool', 'other'] as const;
/** Of a turn. Where nothing else is said, what a `tool` returned has low trust. */
export type Role = (typeof ROLES)[number];

/**
 * What the memory gate says of a turn (MemORAI §3.1): whether it tells something of the user's world. `unjudged`
 * until it is consolidated. Kept as a position: append only.
 */
export const GATE_VERDICTS = ['unjudged', 'kept', 'dropped'] as const;
/**
 * Of a turn. A dropped one stays stored and searchable; the PageRank route passes it over, unless its `turns` is
 * `all`.
 */
export type GateVerdict = (typeof GATE_VERDICTS)[number];

/**
 * How far the words of a turn may be acted on: what a tool returned may come from anyone. Kept as a position: append
 * only.
 */
export const TRUST_LEVELS = ['low', 'normal', 'high'] as const;
/**
 * Of a turn. Facts that rest on `low` turns alone have a confidence of at most 0.4, and end no fact that has more.
 */
export type Trust = (typeof TRUST_LEVELS)[number];

/** How far enrichment got: stored and searchable, its facts extracted, or set aside after failed retries. */
export const EPISODE_STATUSES = ['stored', 'extracted', 'set-aside'] as const;
/** Of a turn. One that is to be read again is `stored` once more. */
export type EpisodeStatus = (typeof EPISODE_STATUSES)[number];

/**
 * What came with a turn beside its words, such as a picture. Its description is searched like the turn; `uri` is kept
 * and never fetched.
 */
export interface Attachment {
  /** A word for what it is, such as `image`. */
  readonly kind: string;
  readonly description: string;
  readonly uri?: string | undefined;
}

/** One turn, as it was said (Mnemis §2.1). Its text never changes; a correction is a new version. */
export interface Episode {
  readonly id: EpisodeId;
  /** What makes two inputs the same turn: see `episodeKey`. */
  readonly key: string;
  /** Counts from 1; the newest version of a key is the one whose `expiredAt` is null. */
  readonly version: number;
  readonly session: string;
  /** Position of the turn in its session, from 0. */
  readonly index: number;
  readonly content: string;
  readonly speaker: string;
  readonly role: Role;
  readonly validAt: Milliseconds;
  /** The time as the caller wrote it. */
  readonly atText: string;
  readonly createdAt: Milliseconds;
  readonly expiredAt: Milliseconds | null;
  readonly source: string;
  readonly sourceId: string | null;
  readonly contentHash: string;
  readonly attachments: readonly Attachment[];
  readonly gate: GateVerdict;
  /** Set by the self-check at encoding (GAM §3.3). */
  readonly verified: boolean;
  readonly status: EpisodeStatus;
  readonly trust: Trust;
}

/** A topic segment and its summary; its raw side are the episodes IN_SEGMENT (MemORAI §3.1, GAM §3.2). */
export interface Segment {
  readonly id: SegmentId;
  readonly session: string;
  /** From most to least important. */
  readonly keywords: readonly string[];
  readonly summary: string;
  /** Name of the ingest profile that made it; empty for one of an older file. */
  readonly profile: string;
  readonly startAt: Milliseconds;
  readonly endAt: Milliseconds;
  readonly createdAt: Milliseconds;
  readonly expiredAt: Milliseconds | null;
}

/** Identity only; what the entity is called and about is its newest Profile. */
export interface Entity {
  readonly id: EntityId;
  readonly createdAt: Milliseconds;
}

/** An append-only version of what an entity or category is called and about; the newest is current. */
export interface Profile {
  readonly id: ProfileId;
  readonly owner: EntityId | CategoryId;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  /** At most 5, of at most 3 words each. */
  readonly tags: readonly string[];
  readonly createdAt: Milliseconds;
  readonly expiredAt: Milliseconds | null;
}

/** What one segment says of one entity, with the turns it cites (MemORAI §3.2). */
export interface Description {
  readonly id: DescriptionId;
  readonly entity: EntityId;
  readonly segment: SegmentId;
  readonly text: string;
  readonly createdAt: Milliseconds;
}

/**
 * `relation`: subject, relation, object. `proposition`: any number of participants (PersonalAI's thesis). Kept as a
 * position: append only.
 */
export const FACT_KINDS = ['relation', 'proposition'] as const;
/** Of a fact. Routes that walk the graph take a relation for an edge between its ends, a proposition for a node. */
export type FactKind = (typeof FACT_KINDS)[number];

/** Read from turns, which may be read again, or given by a caller, who will not say it again. Append only. */
export const FACT_ORIGINS = ['read', 'given'] as const;
/** Of a fact. When its turns are read again, a `read` one is read anew and a `given` one is kept. */
export type FactOrigin = (typeof FACT_ORIGINS)[number];

/**
 * A statement between entities. `validAt`/`invalidAt` say when it held in the world, `createdAt`/`expiredAt`
 * when memory believed it (bi-temporal). `event` is the time the statement itself speaks of, if any.
 */
export interface Fact {
  readonly id: FactId;
  readonly kind: FactKind;
  readonly statement: string;
  /** The relation's words; empty for a proposition. */
  readonly relation: string;
  readonly validAt: Milliseconds;
  readonly invalidAt: Milliseconds | null;
  readonly createdAt: Milliseconds;
  readonly expiredAt: Milliseconds | null;
  /** From 0 to 1. */
  readonly confidence: number;
  readonly event: TimeInterval | null;
  readonly origin: FactOrigin;
  /** The end that it came with, whatever ended it since. */
  readonly statedEnd: Milliseconds | null;
}

/**
 * A node of the category hierarchy (Mnemis §2.2); its name and summary are its Profile's. One with a single child stands
 * for a node that was promoted. The hierarchy is derived: what it lets go of is removed, not expired.
 */
export interface Category {
  readonly id: CategoryId;
  /** From 1; entities are layer 0. */
  readonly layer: number;
  readonly createdAt: Milliseconds;
  readonly expiredAt: Milliseconds | null;
  /** Since when what is below it is not what its summary was written from; null while it is. */
  readonly staleSince: Milliseconds | null;
}

/** Why no further layer was made (Mnemis §2.2, docs/papers.md §1.4). Append only. */
export const HIERARCHY_ENDS = [
  'no-entities',
  'single-node',
  'nothing-merged',
  'layer-grew',
  'maximum-layers',
] as const;
/** Of a hierarchy. At `nothing-merged` and `layer-grew` one more layer was tried and taken away again. */
export type HierarchyEnd = (typeof HIERARCHY_ENDS)[number];

/** How the category hierarchy of a scope was built; there is one such row at most. */
export interface Hierarchy {
  readonly id: HierarchyId;
  /** Name of the categorizer. */
  readonly categorizer: string;
  /** Why building stopped where it did. */
  readonly stoppedBy: HierarchyEnd;
  readonly layers: number;
  /** Children that a category needs. */
  readonly minimumChildren: number;
  readonly maximumLayers: number;
  /** How many entities there were when all of it was built. */
  readonly entities: number;
  /** Nodes of the top layer when another layer was last tried on top of it; 0 while none was. */
  readonly topNodes: number;
  /** When all of it was built. */
  readonly builtAt: Milliseconds;
  /** When it was last brought up to date. */
  readonly createdAt: Milliseconds;
}

/**
 * Why the enrichment of a unit of turns was set aside; the turns are FAILED_IN it. It stays as a record: once the unit
 * is enriched after all, it expires.
 */
export interface Failure {
  readonly id: FailureId;
  readonly session: string;
  /** The `code` of the error. */
  readonly code: string;
  /** In words of our own, never the user's. */
  readonly reason: string;
  /** How often the unit was tried, from 1. */
  readonly attempts: number;
  readonly createdAt: Milliseconds;
  readonly expiredAt: Milliseconds | null;
}

/** What somebody may do to memory by hand. Append only. */
export const CORRECTION_KINDS = [
  'edit-fact',
  'reject-fact',
  'pin-fact',
  'edit-profile',
  'merge-entities',
  'split-entity',
  'keep-apart',
  'undo',
  'forget',
  'retain',
] as const;
/**
 * Of a correction. `forget` and `retain` are the records of `MemoryScope.forget` and `maintain`; the others are made
 * by `Corrections`.
 */
export type CorrectionKind = (typeof CORRECTION_KINDS)[number];

/** What somebody did to memory by hand; it stands above what is read from turns, then and later. */
export interface Correction {
  readonly id: CorrectionId;
  readonly kind: CorrectionKind;
  /** Who did it, as the caller says. */
  readonly author: string;
  /** Every row that `detail` speaks of. */
  readonly targets: readonly string[];
  /** What was done, as JSON text (see `src/ingest/corrections/correction-detail.ts`). */
  readonly detail: string;
  readonly createdAt: Milliseconds;
  /** When it was carried out to the end; null while it is under way. */
  readonly finishedAt: Milliseconds | null;
  readonly undoneAt: Milliseconds | null;
}

/**
 * What was forgotten: a turn, known by its key and words, or an entity, known by a name. Kept as a position: append
 * only.
 */
export const TOMBSTONE_KINDS = ['turn', 'entity'] as const;
/**
 * Of a tombstone. A forgotten turn is rejected when it is added again. What turns of before say of a forgotten entity
 * is not read again; what is said since is.
 */
export type TombstoneKind = (typeof TOMBSTONE_KINDS)[number];

/** Keeps what was forgotten from coming back, without holding a word of it. */
export interface Tombstone {
  readonly id: TombstoneId;
  readonly kind: TombstoneKind;
  /** Hexadecimal HMAC-SHA-256 of what was forgotten, under `salt`. */
  readonly digest: string;
  /** One for the scope: equal texts of two scopes have different digests. */
  readonly salt: string;
  readonly createdAt: Milliseconds;
}

/** A value version of a LangGraph store item. */
export interface Item {
  readonly id: ItemId;
  readonly namespace: readonly string[];
  readonly key: string;
  /** The value and which of its fields are searched, as JSON text (see `src/store/item-json.ts`). */
  readonly value: string;
  readonly createdAt: Milliseconds;
  readonly expiredAt: Milliseconds | null;
}

/**
 * Texts that get a vector: `content` of a turn (with its attachments), `name` of a profile, `summary` of a profile or
 * segment, `statement` of a fact, `text` of a description. Kept as a position: append only.
 */
export const EMBEDDED_FIELDS = ['content', 'name', 'summary', 'statement', 'text'] as const;
/** Of an embedding: which text of its owner it is of, since a profile has two. */
export type EmbeddedField = (typeof EMBEDDED_FIELDS)[number];

/**
 * The vector of one text of one node. Kept apart from its owner because it is derived: re-embedding replaces
 * these rows and leaves the record alone.
 */
export interface Embedding {
  readonly id: EmbeddingId;
  /** The episode, segment, profile, description or fact whose text this is the vector of. */
  readonly owner: string;
  readonly field: EmbeddedField;
  /** Fingerprint of the embedder that made it. */
  readonly model: string;
  /** Unit length, or all zero for a text without features. */
  readonly vector: Float32Array;
}

/** The row of each kind of node: with relationships, all that a scope holds. */
export interface NodeRows {
  readonly episode: Episode;
  readonly segment: Segment;
  readonly entity: Entity;
  readonly profile: Profile;
  readonly description: Description;
  readonly fact: Fact;
  readonly category: Category;
  readonly hierarchy: Hierarchy;
  readonly failure: Failure;
  readonly correction: Correction;
  readonly tombstone: Tombstone;
  readonly item: Item;
  readonly embedding: Embedding;
}
/** What a row is. An id alone does not tell it. */
export type NodeKind = keyof NodeRows;

/** Every kind of node, for whatever goes through a whole scope. */
export const NODE_KINDS = [
  'episode',
  'segment',
  'entity',
  'profile',
  'description',
  'fact',
  'category',
  'hierarchy',
  'failure',
  'correction',
  'tombstone',
  'item',
  'embedding',
] as const satisfies readonly NodeKind[];

/** Which embedder made a memory's vectors. Two embedders with equal fingerprints give interchangeable vectors. */
export interface EmbeddingFingerprint {
  readonly model: string;
  readonly dimension: number;
}

/** How exact a time expression is, from an instant to a span of years. */
export const TIME_PRECISIONS = ['instant', 'day', 'week', 'month', 'season', 'year', 'span'] as const;
/** One of `TIME_PRECISIONS`. */
export type TimePrecision = (typeof TIME_PRECISIONS)[number];

/**
 * What an expression such as "last year" denotes: a half-open interval [start, end) in UTC, how exact it is,
 * and the words it was read from.
 */
export interface TimeInterval {
  readonly start: Milliseconds;
  readonly end: Milliseconds;
  readonly precision: TimePrecision;
  readonly text: string;
}
