declare const brand: unique symbol;
type Brand<Name extends string> = string & { readonly [brand]: Name };

/** Identifiers are opaque, globally unique strings; the brand keeps one kind from being passed as another. */
export type EpisodeId = Brand<'EpisodeId'>;
/** Of a `Segment`. Turns that are read again get another one. */
export type SegmentId = Brand<'SegmentId'>;
/** Of an `Entity`: it stays the same through renaming, and for the one that is kept through a merge. */
export type EntityId = Brand<'EntityId'>;
/** Of one version of a `Profile`, not of the entity or category that it describes. */
export type ProfileId = Brand<'ProfileId'>;
/** Of a `Description`, what one segment says of one entity. */
export type DescriptionId = Brand<'DescriptionId'>;
/** Of a `Fact`. An edited fact has another id than before; its history joins the two. */
export type FactId = Brand<'FactId'>;
/** Of a `Category`: it stays through updates, and through a rebuild where the name does. */
export type CategoryId = Brand<'CategoryId'>;
/** Of the one `Hierarchy` row that a scope may have. */
export type HierarchyId = Brand<'HierarchyId'>;
/** Of a `Failure`, the record of why turns were set aside. */
export type FailureId = Brand<'FailureId'>;
/** Of a `Correction`: what `Corrections.undo` takes. */
export type CorrectionId = Brand<'CorrectionId'>;
/** Of a `Tombstone`; it says nothing of what was forgotten. */
export type TombstoneId = Brand<'TombstoneId'>;
/** Of one value version of an `Item`, not of its namespace and key. */
export type ItemId = Brand<'ItemId'>;
/** Of an `Embedding`: re-embedding replaces it. */
export type EmbeddingId = Brand<'EmbeddingId'>;

/** Whose memory a row is. Every read and write names exactly one. */
export type Scope = Brand<'Scope'>;

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Milliseconds = number;

/**
 * Rows are never written over: one that has to say something else gives way to another, under an id that shows whose
 * place it takes: `x`, `x~2`, `x~3`, …
 */
export function renewedId(id: string): string {
  const [, base, number] = /^(.*?)(?:~(\d+))?$/s.exec(id)!;
  return `${base}~${Number(number ?? 1) + 1}`;
}

/** The id that the first of them had. */
export function firstId(id: string): string {
  return id.replace(/~\d+$/, '');
}
