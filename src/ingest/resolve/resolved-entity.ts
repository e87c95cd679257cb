import type { EntityId } from '../../model/ids.ts';
import type { EntityKind } from '../extractor.ts';

/** An entity of a batch after resolution: known to memory or new, and what it is called. */
export interface ResolvedEntity {
  readonly id: EntityId;
  readonly isNew: boolean;
  readonly name: string;
  readonly kind: EntityKind;
  readonly aliases: ReadonlySet<string>;
}
