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
import type { TimeInterval } from './time-interval.ts';

export const ROLES = ['user', 'assistant', 'system', 'tool', 'other'] as const;
export type Role = (typeof ROLES)[number];

export const GATE_VERDICTS = ['unjudged', 'kept', 'dropped'] as const;
export type GateVerdict = (typeof GATE_VERDICTS)[number];

/**
 * How far the words of a turn may be acted on: what a tool returned may come from anyone. Kept as a position: append
 * only.
 */
export const TRUST_LEVELS = ['low', 'normal', 'high'] as const;
export type Trust = (typeof TRUST_LEVELS)[number];

/** How far enrichment got: stored and searchable, its facts extracted, or set aside after failed retries. */
export const EPISODE_STATUSES = ['stored', 'extracted', 'set-aside'] as const;
export type EpisodeStatus = (typeof EPISODE_STATUSES)[number];

export interface Attachment {
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

export const FACT_KINDS = ['relation', 'proposition'] as const;
export type FactKind = (typeof FACT_KINDS)[number];

/** Read from turns, which may be read again, or given by a caller, who will not say it again. Append only. */
export const FACT_ORIGINS = ['read', 'given'] as const;
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

/** Why no further layer was made (Mnemis §2.2, PAPERS §1.4). Append only. */
export const HIERARCHY_ENDS = [
  'no-entities',
  'single-node',
  'nothing-merged',
  'layer-grew',
  'maximum-layers',
] as const;
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
  /** Nodes of the top layer when another layer was last tried. */
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
export type CorrectionKind = (typeof CORRECTION_KINDS)[number];

/** What somebody did to memory by hand; it stands above what is read from turns, then and later. */
export interface Correction {
  readonly id: CorrectionId;
  readonly kind: CorrectionKind;
  /** Who did it, as the caller says. */
  readonly author: string;
  /** Every row that `detail` speaks of. */
  readonly targets: readonly string[];
  /** What was done, as JSON text (see `ingest/correct/correction-detail.ts`). */
  readonly detail: string;
  readonly createdAt: Milliseconds;
  /** When it was carried out to the end; null while it is under way. */
  readonly finishedAt: Milliseconds | null;
  readonly undoneAt: Milliseconds | null;
}

export const TOMBSTONE_KINDS = ['turn', 'entity'] as const;
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
  /** The value as JSON text. */
  readonly value: string;
  readonly createdAt: Milliseconds;
  readonly expiredAt: Milliseconds | null;
}

export const EMBEDDED_FIELDS = ['content', 'name', 'summary', 'statement', 'text'] as const;
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
export type NodeKind = keyof NodeRows;

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
