import type { Milliseconds, Scope } from '../../model/ids.ts';
import type { Fact, NodeKind, NodeRows } from '../../model/nodes.ts';
import type { Relationship, RelationshipKind } from '../../model/relationships.ts';
import type { ScopeSource } from '../../search/scope-index.ts';
import type { GraphStore, RelationshipFilter } from '../../store/graph-store.ts';
import { EndsThen } from './ends-then.ts';

export type GraphReader = Pick<GraphStore, 'get' | 'relationships'>;

/** Fields that tell since when and until when memory holds a row; those of a fact's end come with them. */
const TIME_FIELDS = ['id', 'createdAt', 'expiredAt', 'validAt', 'invalidAt'];
const KINDS_WITH: { readonly [Field in string]: ReadonlySet<NodeKind> } = {
  id: new Set(['episode', 'segment', 'entity', 'profile', 'description', 'fact', 'category', 'failure', 'item']),
  createdAt: new Set(['episode', 'segment', 'entity', 'profile', 'description', 'fact', 'category', 'failure', 'item']),
  expiredAt: new Set(['episode', 'segment', 'profile', 'fact', 'category', 'failure', 'item']),
  validAt: new Set(['fact']),
  invalidAt: new Set(['fact']),
};

/** A scope as it was at a system time: the rows that memory held then, as it held them. */
export class KnownThen {
}
