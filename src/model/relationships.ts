import type { NodeKind } from './nodes.ts';

/**
 * What an entity is in a fact, on ABOUT: the two ends of a relation, or one of those that a statement is about. Kept
 * as a position: append only.
 */
export const FACT_ROLES = ['subject', 'object', 'participant'] as const;
/** Of an ABOUT relationship. An entity has one role in a fact, the first that fits in the order of `FACT_ROLES`. */
export type FactRole = (typeof FACT_ROLES)[number];

/**
 * How two segments hang together, on RELATED (GAM §3.3): `support`, `contradict` and `causal` have a direction,
 * `coreference` and `semantic` hold both ways. Kept as a position: append only.
 */
export const TOPIC_RELATIONS = ['support', 'contradict', 'coreference', 'causal', 'semantic'] as const;
/** Of a RELATED relationship. The local tier tells `coreference` and `semantic` only; the others take a model. */
export type TopicRelation = (typeof TOPIC_RELATIONS)[number];

/** Which node kinds each relationship may join, and what it carries. */
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
    readonly carries: readonly ('role' | 'relation' | 'confidence')[];
  }
>;

/** A kind of edge; `RELATIONSHIPS` says what it may join. */
export type RelationshipKind = keyof typeof RELATIONSHIPS;
/** Every kind of edge, in the order in which exports hold them. */
export const RELATIONSHIP_KINDS = Object.keys(RELATIONSHIPS) as readonly RelationshipKind[];

/** A directed edge between two nodes of one scope. At most one of a kind joins a pair (with one role). */
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
