import { isWithoutStatements } from '../../ingest/describe/profile-summary.ts';
import type { GraphChanges, RowRemoval, RowUpdate, Unlink } from '../../model/graph-changes.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { Description, Episode, Fact, NodeKind, Profile, Segment } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import type { FormerSegment } from './segments.ts';

type ListedDescription = Pick<Description, 'id' | 'entity' | 'segment'>;

/** What one step of a forgetting takes away, before what hangs on it is known. */
export interface DeletionSet {
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

interface RemovedRows {
  readonly episode: readonly Episode[];
  readonly segment: readonly Segment[];
  readonly fact: readonly Fact[];
  readonly description: readonly Description[];
  readonly profile: readonly Profile[];
}

/** What removed rows hold in words. */
export interface RemovedTexts {
  /** What turns said, where and by whom. */
  readonly said: ReadonlySet<string>;
  /** What was made of it: statements, summaries, descriptions. Others may say the same. */
  readonly told: ReadonlySet<string>;
}

export function textsOf({ episode, segment, fact, description, profile }: RemovedRows): RemovedTexts {
  const said = [
    ...episode.flatMap(({ content, attachments, speaker, session, sourceId }) => [
      content,
      ...attachments.map((attachment) => attachment.description),
      ...[speaker, session, sourceId ?? ''],
    ]),
  ];
  const told = [
    ...fact.map(({ statement }) => statement),
    ...segment.map(({ summary }) => summary),
    ...description.map(({ text }) => text),
    // Names are looked for by themselves.
    ...profile.flatMap((each) => (isWithoutStatements(each) ? [] : [each.summary])),
  ];
  return { said: withText(said), told: withText(told) };
}

function withText(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.filter((text) => text.trim() !== ''));
}

export type RemovedCounts = { readonly [K in NodeKind]?: number };

/** What a step of forgetting does, and what it takes away. */
export interface Deletion {
  /** One transaction; nothing where there is nothing to remove. */
  readonly changes: GraphChanges;
  readonly counts: RemovedCounts;
  /** Everything that went in words, to look for afterwards. */
  readonly texts: RemovedTexts;
  /** Turns that stay and are to be read again. */
  readonly reread: readonly string[];
  /** Segments that go, with those of their turns that stay. */
  readonly former: readonly FormerSegment[];
  /** Last profiles of entities that no turn and no fact speaks of any more. */
  readonly vanishing: readonly Profile[];
}

export function countRemovals(removals: readonly RowRemoval[]): RemovedCounts {
  const counts: { [K in NodeKind]?: number } = {};
  for (const { kind } of removals) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
