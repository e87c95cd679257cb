import type { RowUpdate, Unlink } from '../../model/graph-changes.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { Description, Segment } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';

export type ListedDescription = Pick<Description, 'id' | 'entity' | 'segment'>;

/** What one step of a forgetting takes away, before what hangs on it is known. */
export interface Going {
  /** Turns removed by this step, in every version. */
  readonly turns: ReadonlySet<string>;
  /** Turns of the whole forgetting. */
  readonly allTurns: ReadonlySet<string>;
  /** Profiles of before cannot tell of what goes; null where it is not turns that go. */
  readonly since: Milliseconds | null;
  readonly facts: ReadonlySet<string>;
  /** Of the facts, those that turns which stay have said too. */
  readonly saidAgain: ReadonlySet<string>;
  readonly segments: readonly Segment[];
  readonly descriptions: readonly ListedDescription[];
  /** Every description of the scope. */
  readonly allDescriptions: readonly ListedDescription[];
  /** Entities that go whatever is left of them. */
  readonly entities: ReadonlySet<string>;
  readonly failures: ReadonlySet<string>;
  /** Entities of which something goes. */
  readonly touched: ReadonlySet<string>;
  readonly unlinks: readonly Unlink[];
  readonly updates: readonly RowUpdate[];
  readonly relationships: readonly Relationship[];
}
