import { type Column, code, share } from './columns.ts';
import type { NodeKind } from './nodes.ts';

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

/** The columns of relationships besides their ends; `RELATIONSHIPS` says which kind has which. */
export const CARRIED_COLUMNS = {
  role: code(FACT_ROLES),
  relation: code(TOPIC_RELATIONS),
  confidence: share,
} satisfies Record<string, Column>;
export type CarriedColumn = keyof typeof CARRIED_COLUMNS;

/** Which node kinds each relationship may join, and which properties it has. */
export const RELATIONSHIPS = {
  NEXT: { pairs: [['episode', 'episode']], carries: [] },
  IN_SEGMENT: { pairs: [['episode', 'segment']], carries: [] },
  MENTIONS: { pairs: [['episode', 'entity']], carries: [] },
  ABOUT: { pairs: [['fact', 'entity']], carries: ['role'] },
  EVIDENCED_BY: {
    pairs: [
      ['fact', 'episode'],
      ['description', 'episode'],
    ],
    carries: [],
  },
  SUPERSEDES: { pairs: [['fact', 'fact']], carries: [] },
  RELATED: { pairs: [['segment', 'segment']], carries: ['relation', 'confidence'] },
  FAILED_IN: { pairs: [['episode', 'failure']], carries: [] },
  POSSIBLY_SAME: { pairs: [['entity', 'entity']], carries: ['confidence'] },
  CATEGORIZES: {
    pairs: [
      ['category', 'category'],
      ['category', 'entity'],
    ],
    carries: [],
  },
} as const satisfies Record<
  string,
  {
    readonly pairs: readonly (readonly [NodeKind, NodeKind])[];
    readonly carries: readonly CarriedColumn[];
  }
>;

/** A kind of edge; `RELATIONSHIPS` defines which nodes it may join. */
export type RelationshipKind = keyof typeof RELATIONSHIPS;
/** Every kind of edge, in the order of exports. */
export const RELATIONSHIP_KINDS = Object.keys(RELATIONSHIPS) as readonly RelationshipKind[];

/** A directed edge between two nodes of one scope. At most one edge of a kind (and role) joins a pair. */
export interface Relationship {
  readonly kind: RelationshipKind;
  readonly fromKind: NodeKind;
  readonly from: string;
  readonly toKind: NodeKind;
  readonly to: string;
  /** Of ABOUT. */
  readonly role?: FactRole | undefined;
  /** Of RELATED. */
  readonly relation?: TopicRelation | undefined;
  /** Of RELATED and POSSIBLY_SAME, from 0 to 1. */
  readonly confidence?: number | undefined;
}
