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
import type { TurnMetadata } from './turn-metadata.ts';

/**
 * Who speaks in a turn: a person, a model, an app's instructions, a tool (its output), or anyone else. Stored as an
 * index: append only.
 */
export const ROLES = ['user', 'assistant', 'system', 'tool', 'other'] as const;
/** Of a turn. A `tool` turn has low trust by default. */
export type Role = (typeof ROLES)[number];

/**
 * The memory gate's verdict on a turn (MemORAI §3.1): whether it says something about the user's world. `unjudged`
 * until the turn is consolidated. Stored as an index: append only.
 */
export const GATE_VERDICTS = ['unjudged', 'kept', 'dropped'] as const;
/** Of a turn. A dropped turn stays stored and searchable; the PageRank route skips it unless its `turns` is `all`. */
export type GateVerdict = (typeof GATE_VERDICTS)[number];

/**
 * How far an agent may act on the words of a turn. Tool output may come from anyone. Stored as an index: append only.
 */
export const TRUST_LEVELS = ['low', 'normal', 'high'] as const;
/**
 * Of a turn. Facts supported only by `low` turns have a confidence of at most 0.4 and supersede no fact with a higher
 * one.
 */
export type Trust = (typeof TRUST_LEVELS)[number];

/** Enrichment status: stored and searchable, facts extracted, or set aside after failed retries. */
export const EPISODE_STATUSES = ['stored', 'extracted', 'set-aside'] as const;
/** Of a turn. A turn that has to be extracted again returns to `stored`. */
export type EpisodeStatus = (typeof EPISODE_STATUSES)[number];

/**
 * Content attached to a turn, such as a picture. Its description is searched like the turn's text; `uri` is stored
 * but never fetched.
 */
export interface Attachment {
  /** A short type name, such as `image`. */
  readonly kind: string;
  readonly description: string;
  readonly uri?: string | undefined;
}

/** One turn as it was said (Mnemis §2.1). Its text never changes; a correction adds a new version. */
export interface Episode {
  readonly id: EpisodeId;
  /** Two inputs with the same key are the same turn: see `episodeKey`. */
  readonly key: string;
  /** Counts from 1; the current version of a key is the one whose `expiredAt` is null. */
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
  /** What the program keeps with it; searches can filter by it. */
  readonly metadata: TurnMetadata;
  readonly gate: GateVerdict;
  /** Set by the self-check at encoding (GAM §3.3). */
  readonly verified: boolean;
  readonly status: EpisodeStatus;
  readonly trust: Trust;
}

/** A topic segment and its summary; its episodes are linked by IN_SEGMENT (MemORAI §3.1, GAM §3.2). */
export interface Segment {
  readonly id: SegmentId;
  readonly session: string;
  /** Ordered from most to least important. */
  readonly keywords: readonly string[];
  readonly summary: string;
  /** Name of the ingest profile that created it; empty in older files. */
  readonly profile: string;
  readonly startAt: Milliseconds;
  readonly endAt: Milliseconds;
  readonly createdAt: Milliseconds;
  readonly expiredAt: Milliseconds | null;
}

/** Identity only; names and description are in its newest Profile. */
export interface Entity {
  readonly id: EntityId;
  readonly createdAt: Milliseconds;
}

/** An append-only version of the name and description of an entity or category; the newest is current. */
export interface Profile {
  readonly id: ProfileId;
  readonly owner: EntityId | CategoryId;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  /** At most 5 tags of at most 3 words. */
  readonly tags: readonly string[];
  readonly createdAt: Milliseconds;
  readonly expiredAt: Milliseconds | null;
}

/** What one segment says about one entity, with the turns it cites (MemORAI §3.2). */
export interface Description {
  readonly id: DescriptionId;
  readonly entity: EntityId;
  readonly segment: SegmentId;
  readonly text: string;
  readonly createdAt: Milliseconds;
}

/**
 * `relation`: subject, relation, object. `proposition`: any number of participants (PersonalAI's thesis). Stored as
 * an index: append only.
 */
export const FACT_KINDS = ['relation', 'proposition'] as const;
/** Of a fact. Graph routes treat a relation as an edge between its ends and a proposition as a node. */
export type FactKind = (typeof FACT_KINDS)[number];

/** `read`: extracted from turns, so it can be extracted again. `given`: supplied by a caller once. Append only. */
export const FACT_ORIGINS = ['read', 'given'] as const;
/** Of a fact. When its turns are extracted again, a `read` fact is rebuilt and a `given` fact is kept. */
export type FactOrigin = (typeof FACT_ORIGINS)[number];

/**
 * A statement about entities. `validAt`/`invalidAt` say when it held in the world, `createdAt`/`expiredAt` when
 * memory believed it (bi-temporal). `event` is the time that the statement itself mentions, if any.
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
  /** The end stated in the input, independent of any later supersession. */
  readonly statedEnd: Milliseconds | null;
}

/**
 * A node of the category hierarchy (Mnemis §2.2); its name and summary are in its Profile. A category with a single
 * child represents a promoted node. The hierarchy is derived: obsolete categories are removed, not expired.
 */
export interface Category {
  readonly id: CategoryId;
  /** From 1; entities are layer 0. */
  readonly layer: number;
  readonly createdAt: Milliseconds;
  readonly expiredAt: Milliseconds | null;
  /** When the content below it first differed from what its summary describes; null while the summary is current. */
  readonly staleSince: Milliseconds | null;
}

/** Why building stopped at the top layer (Mnemis §2.2, docs/papers.md §1.4). Append only. */
export const HIERARCHY_ENDS = [
  'no-entities',
  'single-node',
  'nothing-merged',
  'layer-grew',
  'maximum-layers',
  'few-nodes',
] as const;
/** Of a hierarchy. For `nothing-merged` and `layer-grew`, one more layer was built and then discarded. */
export type HierarchyEnd = (typeof HIERARCHY_ENDS)[number];

/** How the category hierarchy of a scope was built; at most one such row per scope. */
export interface Hierarchy {
  readonly id: HierarchyId;
  /** Name of the categorizer. */
  readonly categorizer: string;
  /** Why building stopped. */
  readonly stoppedBy: HierarchyEnd;
  readonly layers: number;
  /** Minimum number of children of a category. */
  readonly minimumChildren: number;
  readonly maximumLayers: number;
  /** Number of entities at the last full build. */
  readonly entities: number;
  /** Size of the top layer when a further layer was last attempted; 0 if none was attempted. */
  readonly topNodes: number;
  /** When the hierarchy was last built in full. */
  readonly builtAt: Milliseconds;
  /** When the hierarchy was last updated. */
  readonly createdAt: Milliseconds;
}

/**
 * Why the enrichment of a unit of turns was set aside; the turns are FAILED_IN it. The row is never deleted: it
 * expires when the unit is enriched.
 */
export interface Failure {
  readonly id: FailureId;
  readonly session: string;
  /** The `code` of the error. */
  readonly code: string;
  /** A reason that never quotes the user's text. */
  readonly reason: string;
  /** How often the unit was tried, from 1. */
  readonly attempts: number;
  readonly createdAt: Milliseconds;
  readonly expiredAt: Milliseconds | null;
}

/** Kinds of manual changes. Append only. */
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

/** A change that a user made by hand; it outranks what is extracted from turns, before or after it. */
export interface Correction {
  readonly id: CorrectionId;
  readonly kind: CorrectionKind;
  /** Who made it, as named by the caller. */
  readonly author: string;
  /** Every row that `detail` refers to. */
  readonly targets: readonly string[];
  /** The change as JSON text (see `src/ingest/corrections/correction-detail.ts`). */
  readonly detail: string;
  readonly createdAt: Milliseconds;
  /** When it was completed; null while it is in progress. */
  readonly finishedAt: Milliseconds | null;
  readonly undoneAt: Milliseconds | null;
}

/**
 * What was forgotten: a turn, identified by its key and words, or an entity, identified by a name. Stored as an
 * index: append only.
 */
export const TOMBSTONE_KINDS = ['turn', 'entity'] as const;
/**
 * Of a tombstone. A forgotten turn is rejected when it is added again. Turns older than the tombstone no longer
 * recreate a forgotten entity; newer ones can.
 */
export type TombstoneKind = (typeof TOMBSTONE_KINDS)[number];

/** Prevents forgotten content from returning; contains none of its text. */
export interface Tombstone {
  readonly id: TombstoneId;
  readonly kind: TombstoneKind;
  /** Hexadecimal HMAC-SHA-256 of the forgotten content, keyed with `salt`. */
  readonly digest: string;
  /** Unique per scope, so that equal texts in two scopes have different digests. */
  readonly salt: string;
  readonly createdAt: Milliseconds;
}

/** One version of the value of a LangGraph store item. */
export interface Item {
  readonly id: ItemId;
  readonly namespace: readonly string[];
  readonly key: string;
  /** The value and the list of its searchable fields, as JSON text (see `src/store/item-json.ts`). */
  readonly value: string;
  readonly createdAt: Milliseconds;
  readonly expiredAt: Milliseconds | null;
}

/**
 * The texts that are embedded: `content` of a turn (with its attachments), `name` of a profile, `summary` of a
 * profile or segment, `statement` of a fact, `text` of a description. Stored as an index: append only.
 */
export const EMBEDDED_FIELDS = ['content', 'name', 'summary', 'statement', 'text'] as const;
/** Of an embedding: which text of its owner it embeds, since a profile has two. */
export type EmbeddedField = (typeof EMBEDDED_FIELDS)[number];

/**
 * The vector of one text of one node. Stored apart from its owner because it is derived: re-embedding replaces these
 * rows and leaves the node unchanged.
 */
export interface Embedding {
  readonly id: EmbeddingId;
  /** The episode, segment, profile, description or fact that has the text. */
  readonly owner: string;
  readonly field: EmbeddedField;
  /** Fingerprint of the embedder that made it. */
  readonly model: string;
  /** Unit length, or all zeros for a text without features. */
  readonly vector: Float32Array;
}

/** Row type by node kind. Together with relationships, this is everything a scope stores. */
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
/** A row's kind. Ids do not encode it. */
export type NodeKind = keyof NodeRows;

/** Every kind of node, for code that iterates over a whole scope. */
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

/**
 * Identifies the embedder that computed a memory's vectors. Embedders with equal fingerprints give interchangeable
 * vectors.
 */
export interface EmbeddingFingerprint {
  readonly model: string;
  readonly dimension: number;
}

/**
 * Precision of a time expression: a calendar unit, a `span` that lasted from start to end, or `about` for a time
 * somewhere between them ("a few years ago"). Stored as an index: append only.
 */
export const TIME_PRECISIONS = [
  'instant',
  'day',
  'week',
  'month',
  'season',
  'year',
  'span',
  'about',
] as const;
/** One of `TIME_PRECISIONS`. */
export type TimePrecision = (typeof TIME_PRECISIONS)[number];

/**
 * What an expression such as "last year" denotes: a half-open interval [start, end) in UTC, its precision, and the
 * words it was parsed from.
 */
export interface TimeInterval {
  readonly start: Milliseconds;
  readonly end: Milliseconds;
  readonly precision: TimePrecision;
  readonly text: string;
}
