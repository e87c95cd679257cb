declare const brand: unique symbol;
type Brand<Name extends string> = string & { readonly [brand]: Name };

/** Identifiers are opaque, globally unique strings; the brand keeps one kind from being passed as another. */
export type EpisodeId = Brand<'EpisodeId'>;
/** Of a `Segment`. Turns that are extracted again get a new segment. */
export type SegmentId = Brand<'SegmentId'>;
/** Of an `Entity`. Renaming does not change it; after a merge the surviving entity keeps its own. */
export type EntityId = Brand<'EntityId'>;
/** Of one version of a `Profile`, not of the entity or category that it describes. */
export type ProfileId = Brand<'ProfileId'>;
/** Of a `Description`, what one segment says of one entity. */
export type DescriptionId = Brand<'DescriptionId'>;
/** Of a `Fact`. Editing a fact gives it a new id; its history links the two. */
export type FactId = Brand<'FactId'>;
/** Of a `Category`. Updates keep it; a rebuild keeps it if the name is unchanged. */
export type CategoryId = Brand<'CategoryId'>;
/** Of a scope's `Hierarchy` row; there is at most one. */
export type HierarchyId = Brand<'HierarchyId'>;
/** Of a `Failure`, the record of why turns were set aside. */
export type FailureId = Brand<'FailureId'>;
/** Of a `Correction`: what `Corrections.undo` takes. */
export type CorrectionId = Brand<'CorrectionId'>;
/** Of a `Tombstone`. It reveals nothing about what was forgotten. */
export type TombstoneId = Brand<'TombstoneId'>;
/** Of one value version of an `Item`, not of its namespace and key. */
export type ItemId = Brand<'ItemId'>;
/** Of an `Embedding`. Re-embedding replaces it. */
export type EmbeddingId = Brand<'EmbeddingId'>;

/** The memory that a row belongs to. Every read and write names exactly one. */
export type Scope = Brand<'Scope'>;

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Milliseconds = number;

/**
 * The id of a row's next version: `x`, `x~2`, `x~3`, …. Rows are never overwritten; a changed row is replaced by
 * another one whose id names its predecessor.
 */
export function renewedId(id: string): string {
  const [, base, number] = /^(.*?)(?:~(\d+))?$/s.exec(id)!;
  return `${base}~${Number(number ?? 1) + 1}`;
}

/** The id of the first version. */
export function firstId(id: string): string {
  return id.replace(/~\d+$/, '');
}
