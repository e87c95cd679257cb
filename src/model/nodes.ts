import { ROWS, type Row } from './rows.ts';

export * from './codes.ts';
export type { Attachment, TimeInterval } from './columns.ts';

/** One turn as it was said (Mnemis §2.1). Its text never changes; a correction adds a new version. */
export interface Episode extends Row<'episode'> {}

/** A topic segment and its summary; its episodes are linked by IN_SEGMENT (MemORAI §3.1, GAM §3.2). */
export interface Segment extends Row<'segment'> {}

/** Identity only; names and description are in its newest Profile. */
export interface Entity extends Row<'entity'> {}

/** An append-only version of the name and description of an entity or category; the newest is current. */
export interface Profile extends Row<'profile'> {}

/** What one segment says about one entity, with the turns it cites (MemORAI §3.2). */
export interface Description extends Row<'description'> {}

/**
 * A statement about entities. `validAt`/`invalidAt` say when it held in the world, `createdAt`/`expiredAt` when
 * memory believed it (bi-temporal). `event` is the time that the statement itself mentions, if any.
 */
export interface Fact extends Row<'fact'> {}

/**
 * A node of the category hierarchy (Mnemis §2.2); its name and summary are in its Profile. A category with a single
 * child represents a promoted node. The hierarchy is derived: obsolete categories are removed, not expired.
 */
export interface Category extends Row<'category'> {}

/** How the category hierarchy of a scope was built; at most one such row per scope. */
export interface Hierarchy extends Row<'hierarchy'> {}

/**
 * Why the enrichment of a unit of turns was set aside; the turns are FAILED_IN it. The row is never deleted: it
 * expires when the unit is enriched.
 */
export interface Failure extends Row<'failure'> {}

/** A change that a user made by hand; it outranks what is extracted from turns, before or after it. */
export interface Correction extends Row<'correction'> {}

/** Prevents forgotten content from returning; contains none of its text. */
export interface Tombstone extends Row<'tombstone'> {}

/** One version of the value of a LangGraph store item. */
export interface Item extends Row<'item'> {}

/**
 * The vector of one text of one node. Stored apart from its owner because it is derived: re-embedding replaces these
 * rows and leaves the node unchanged.
 */
export interface Embedding extends Row<'embedding'> {}

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
export const NODE_KINDS = Object.keys(ROWS) as unknown as readonly [NodeKind, ...NodeKind[]];

/**
 * Identifies the embedder that computed a memory's vectors. Embedders with equal fingerprints give interchangeable
 * vectors.
 */
export interface EmbeddingFingerprint {
  readonly model: string;
  readonly dimension: number;
}
