declare const brand: unique symbol;
type Brand<Name extends string> = string & { readonly [brand]: Name };

/** Identifiers are opaque, globally unique strings; the brand keeps one kind from being passed as another. */
export type EpisodeId = Brand<'EpisodeId'>;
export type SegmentId = Brand<'SegmentId'>;
export type EntityId = Brand<'EntityId'>;
export type ProfileId = Brand<'ProfileId'>;
export type DescriptionId = Brand<'DescriptionId'>;
export type FactId = Brand<'FactId'>;
export type CategoryId = Brand<'CategoryId'>;
export type HierarchyId = Brand<'HierarchyId'>;
export type FailureId = Brand<'FailureId'>;
export type CorrectionId = Brand<'CorrectionId'>;
export type TombstoneId = Brand<'TombstoneId'>;
export type ItemId = Brand<'ItemId'>;
export type EmbeddingId = Brand<'EmbeddingId'>;

/** Whose memory a row is. Every read and write names exactly one. */
export type Scope = Brand<'Scope'>;

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Milliseconds = number;
