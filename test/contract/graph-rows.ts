import type {
  CategoryId,
  CorrectionId,
  DescriptionId,
  EmbeddingId,
  EntityId,
  EpisodeId,
  FactId,
  FailureId,
  HierarchyId,
  ItemId,
  ProfileId,
  Scope,
  SegmentId,
  TombstoneId,
} from '../../src/model/ids.ts';
import type {
  Category,
  Correction,
  Description,
  Embedding,
  Entity,
  Episode,
  Fact,
  Failure,
  Hierarchy,
  Item,
  NodeRows,
  Profile,
  Segment,
  Tombstone,
} from '../../src/model/nodes.ts';
import type { Relationship } from '../../src/model/relationships.ts';

export const scopeOf = (name: string) => name as Scope;

export const episode = (id: string, more: Partial<Episode> = {}): Episode => ({
  id: id as EpisodeId,
  key: `key of ${id}`,
  version: 1,
  session: 'main',
  index: 0,
  content: `content of ${id}`,
  speaker: 'Ann',
  role: 'user',
  validAt: 1_700_000_000_000,
  atText: '2023-11-14T22:13:20Z',
  createdAt: 1_700_000_000_001,
  expiredAt: null,
  source: 'api',
  sourceId: null,
  contentHash: 'hash',
  metadata: {},
  attachments: [],
  gate: 'unjudged',
  verified: false,
  status: 'stored',
  trust: 'normal',
  ...more,
});

export const segment = (id: string, more: Partial<Segment> = {}): Segment => ({
  id: id as SegmentId,
  session: 'main',
  keywords: ['one', 'two'],
  summary: 'summary',
  profile: 'profile',
  startAt: 1,
  endAt: 2,
  createdAt: 3,
  expiredAt: null,
  ...more,
});

export const entity = (id: string, more: Partial<Entity> = {}): Entity => ({
  id: id as EntityId,
  createdAt: 1,
  ...more,
});

export const profile = (id: string, more: Partial<Profile> = {}): Profile => ({
  id: id as ProfileId,
  owner: 'entity' as EntityId,
  name: 'name',
  aliases: ['alias'],
  summary: 'summary',
  tags: ['tag'],
  createdAt: 1,
  expiredAt: null,
  ...more,
});

export const description = (id: string, more: Partial<Description> = {}): Description => ({
  id: id as DescriptionId,
  entity: 'entity' as EntityId,
  segment: 'segment' as SegmentId,
  text: 'text',
  createdAt: 1,
  ...more,
});

export const fact = (id: string, more: Partial<Fact> = {}): Fact => ({
  id: id as FactId,
  kind: 'relation',
  statement: `statement of ${id}`,
  relation: 'likes',
  validAt: 1,
  invalidAt: null,
  createdAt: 2,
  expiredAt: null,
  confidence: 0.9,
  event: null,
  origin: 'read',
  statedEnd: null,
  ...more,
});

export const category = (id: string, more: Partial<Category> = {}): Category => ({
  id: id as CategoryId,
  layer: 1,
  createdAt: 1,
  expiredAt: null,
  staleSince: null,
  ...more,
});

export const hierarchy = (id: string, more: Partial<Hierarchy> = {}): Hierarchy => ({
  id: id as HierarchyId,
  categorizer: 'local',
  stoppedBy: 'nothing-merged',
  layers: 2,
  minimumChildren: 3,
  maximumLayers: 5,
  entities: 40,
  topNodes: 4,
  builtAt: 1,
  createdAt: 2,
  ...more,
});

export const failure = (id: string, more: Partial<Failure> = {}): Failure => ({
  id: id as FailureId,
  session: 'main',
  code: 'model-reply',
  reason: 'the reply did not fit',
  attempts: 3,
  createdAt: 1,
  expiredAt: null,
  ...more,
});

export const correction = (id: string, more: Partial<Correction> = {}): Correction => ({
  id: id as CorrectionId,
  kind: 'edit-fact',
  author: 'Ann',
  targets: ['f1', 'f2'],
  detail: '{"statement":"Ann lives in Ghent"}',
  createdAt: 1,
  finishedAt: null,
  undoneAt: null,
  ...more,
});

export const tombstone = (id: string, more: Partial<Tombstone> = {}): Tombstone => ({
  id: id as TombstoneId,
  kind: 'turn',
  digest: 'digest',
  salt: 'salt',
  createdAt: 1,
  ...more,
});

export const item = (id: string, more: Partial<Item> = {}): Item => ({
  id: id as ItemId,
  namespace: ['users', '1'],
  key: 'key',
  value: '{"a":1}',
  createdAt: 1,
  expiredAt: null,
  ...more,
});

export const embedding = (id: string, more: Partial<Embedding> = {}): Embedding => ({
  id: id as EmbeddingId,
  owner: 'owner',
  field: 'content',
  model: 'test',
  vector: Float32Array.of(0.6, 0.8),
  ...more,
});

export const aRowOf = {
  episode,
  segment,
  entity,
  profile,
  description,
  fact,
  category,
  hierarchy,
  failure,
  correction,
  tombstone,
  item,
  embedding,
} as { readonly [K in keyof NodeRows]: (id: string, more?: Partial<NodeRows[K]>) => NodeRows[K] };

type Extra = Partial<Pick<Relationship, 'role' | 'relation' | 'confidence'>>;
type Pair = readonly [Relationship['fromKind'], Relationship['toKind']];

const PAIRS: { readonly [K in Relationship['kind']]: Pair } = {
  NEXT: ['episode', 'episode'],
  IN_SEGMENT: ['episode', 'segment'],
  MENTIONS: ['episode', 'entity'],
  ABOUT: ['fact', 'entity'],
  EVIDENCED_BY: ['fact', 'episode'],
  SUPERSEDES: ['fact', 'fact'],
  RELATED: ['segment', 'segment'],
  FAILED_IN: ['episode', 'failure'],
  POSSIBLY_SAME: ['entity', 'entity'],
  CATEGORIZES: ['category', 'entity'],
};

export function edge(
  kind: Relationship['kind'],
  from: string,
  to: string,
  extra: Extra = {},
  pair: Pair = PAIRS[kind],
): Relationship {
  return { kind, fromKind: pair[0], from, toKind: pair[1], to, ...extra };
}
