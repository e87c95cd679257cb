import type { FactRole, TopicRelation } from './codes.ts';
import type { NodeKind } from './nodes.ts';
import type { CarriedColumn } from './rows.ts';

export { FACT_ROLES, type FactRole, TOPIC_RELATIONS, type TopicRelation } from './codes.ts';

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
