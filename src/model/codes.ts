// The lists of values that columns of the type `code` hold. A value is stored as its position: only ever append.

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

/**
 * What was forgotten: a turn, identified by its key and words, or an entity, identified by a name; `moved`: a turn that
 * another scope has since. Stored as an index: append only.
 */
export const TOMBSTONE_KINDS = ['turn', 'entity', 'moved'] as const;
/**
 * Of a tombstone. A forgotten or moved turn is rejected when it is added again. Turns older than the tombstone no longer
 * recreate a forgotten entity; newer ones can.
 */
export type TombstoneKind = (typeof TOMBSTONE_KINDS)[number];

/**
 * The texts that are embedded: `content` of a turn (with its attachments), `name` of a profile, `summary` of a
 * profile or segment, `statement` of a fact, `text` of a description, and each `passage` of a turn that the embedder
 * does not see whole. Stored as an index: append only.
 */
export const EMBEDDED_FIELDS = ['content', 'name', 'summary', 'statement', 'text', 'passage'] as const;
/** Of an embedding: which text of its owner it embeds, since a profile has two. */
export type EmbeddedField = (typeof EMBEDDED_FIELDS)[number];

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
 * An entity's role in a fact, on ABOUT: one of the two ends of a relation, or a participant of a proposition. Stored
 * as an index: append only.
 */
export const FACT_ROLES = ['subject', 'object', 'participant'] as const;
/** Of an ABOUT relationship. An entity has one role per fact: the first that applies, in the order of `FACT_ROLES`. */
export type FactRole = (typeof FACT_ROLES)[number];

/**
 * How two segments are related, on RELATED (GAM §3.3): `support`, `contradict` and `causal` have a direction,
 * `coreference` and `semantic` are symmetric. Stored as an index: append only.
 */
export const TOPIC_RELATIONS = ['support', 'contradict', 'coreference', 'causal', 'semantic'] as const;
/** Of a RELATED relationship. The local tier detects only `coreference` and `semantic`; the others need a model. */
export type TopicRelation = (typeof TOPIC_RELATIONS)[number];
