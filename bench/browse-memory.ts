import type {
  CategoryId,
  EntityId,
  EpisodeId,
  FactId,
  HierarchyId,
  ProfileId,
  Scope,
  SegmentId,
} from '../src/model/ids.ts';
import type { Category, Episode, Fact, Profile, Segment } from '../src/model/nodes.ts';
import type { Relationship } from '../src/model/relationships.ts';
import type { GraphStore } from '../src/store/graph-store.ts';
import { inBatches } from '../src/util/collections.ts';
import { randomNumbers, wordOf } from './synthetic-turns.ts';

export interface BrowseMemory {
  readonly turns: number;
  readonly entities: number;
  readonly facts: number;
}

const FIRST_DAY = Date.UTC(2018, 0, 1);
const DAY = 86_400_000;
const [TURNS_PER_SESSION, TURNS_PER_TOPIC, PER_CATEGORY] = [20, 10, 12];
const ROWS_PER_COMMIT = 4_000;
const SOURCES = ['chatgpt', 'whatsapp', 'assistant'];
const KINDS = ['person', 'place', 'thing', 'organization'];
const LAYERS = 3;

const numbered = (kind: string, number: number) => `${kind}-${String(number).padStart(7, '0')}`;

/**
 * Writes a memory as ingestion leaves it, straight into a store: turns in topics, entities that follow Zipf's law, facts
 * about two of them with one turn each, and three layers of categories. Reading that many turns would take hours; the
 * rows have no vectors and no NEXT relationships, which no screen reads.
 */
export async function writeBrowseMemory(
  store: GraphStore,
  scope: Scope,
  { turns, entities, facts }: BrowseMemory,
): Promise<void> {
  const random = randomNumbers(7);
  const someEntity = () => Math.min(entities - 1, Math.floor(entities ** random()) - 1);
  await writeEntities(store, scope, entities);
  for (const part of ranges(turns)) {
    const rows = part.map((turn) => episodeOf(turn));
    const topics = part.filter((turn) => turn % TURNS_PER_TOPIC === 0).map((turn) => topicOf(turn));
    const relationships = part.flatMap((turn): Relationship[] => {
      const mentioned = new Set([someEntity(), someEntity(), someEntity()]);
      const topic = Math.floor(turn / TURNS_PER_TOPIC) * TURNS_PER_TOPIC;
      return [
        edge('IN_SEGMENT', ['episode', numbered('turn', turn)], ['segment', numbered('topic', topic)]),
        ...[...mentioned].map((entity) =>
          edge('MENTIONS', ['episode', numbered('turn', turn)], ['entity', numbered('entity', entity)]),
        ),
      ];
    });
    await store.commit(scope, { nodes: { episode: rows, segment: topics }, relationships });
    process.stderr.write(`${part.at(-1)! + 1} of ${turns} turns written …\n`);
  }
  for (const part of ranges(facts)) {
    const rows = part.map((fact) => factOf(fact, facts, turns));
    const relationships = part.flatMap((fact): Relationship[] => {
      const [subject, object] = [someEntity(), someEntity()];
      const turn = Math.floor((fact * turns) / facts);
      const about = (entity: number, role: 'subject' | 'object'): Relationship => ({
        ...edge('ABOUT', ['fact', numbered('fact', fact)], ['entity', numbered('entity', entity)]),
        role,
      });
      return [
        about(subject, 'subject'),
        ...(object === subject ? [] : [about(object, 'object')]),
        edge('EVIDENCED_BY', ['fact', numbered('fact', fact)], ['episode', numbered('turn', turn)]),
      ];
    });
    await store.commit(scope, { nodes: { fact: rows }, relationships });
  }
}

async function writeEntities(store: GraphStore, scope: Scope, entities: number): Promise<void> {
  const profileOf = (owner: string, name: string, tags: readonly string[]): Profile => ({
    id: `profile-${owner}` as ProfileId,
    owner: owner as EntityId,
    name,
    aliases: [],
    tags,
    createdAt: FIRST_DAY,
    expiredAt: null,
    summary: `${name} was mentioned in several conversations.`,
  });
  for (const part of ranges(entities))
    await store.commit(scope, {
      nodes: {
        entity: part.map((entity) => ({
          id: numbered('entity', entity) as EntityId,
          createdAt: FIRST_DAY + entity,
        })),
        profile: part.map((entity) =>
          profileOf(numbered('entity', entity), nameOf(entity), [KINDS[entity % KINDS.length]!]),
        ),
      },
    });
  let below = Array.from({ length: entities }, (_, entity) => numbered('entity', entity));
  for (let layer = 1; layer <= LAYERS; layer++) {
    const groups = inBatches(below, PER_CATEGORY);
    const ids = groups.map((_, at) => numbered(`category-${layer}`, at));
    const rows = ids.map(
      (id): Category => ({
        id: id as CategoryId,
        layer,
        createdAt: FIRST_DAY,
        expiredAt: null,
        staleSince: null,
      }),
    );
    const profiles = ids.map((id, at) => profileOf(id, `Group ${wordOf(layer * 10_000 + at)}`, []));
    const kind = layer === 1 ? 'entity' : 'category';
    const relationships = groups.flatMap((group, at) =>
      group.map((child) => edge('CATEGORIZES', ['category', ids[at]!], [kind, child])),
    );
    await store.commit(scope, { nodes: { category: rows, profile: profiles }, relationships });
    below = ids;
  }
  const built = { builtAt: FIRST_DAY, createdAt: FIRST_DAY, minimumChildren: 2, maximumLayers: LAYERS };
  await store.commit(scope, {
    nodes: {
      hierarchy: [
        {
          id: 'hierarchy' as HierarchyId,
          categorizer: 'synthetic',
          stoppedBy: 'maximum-layers' as const,
          layers: LAYERS,
          ...built,
          entities,
          topNodes: below.length,
        },
      ],
    },
  });
}

const nameOf = (entity: number) => {
  const word = wordOf(entity);
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
};

function episodeOf(turn: number): Episode {
  const session = Math.floor(turn / TURNS_PER_SESSION);
  const at = timeOf(turn);
  return {
    id: numbered('turn', turn) as EpisodeId,
    key: `synthetic ${turn}`,
    version: 1,
    session: `session ${session}`,
    index: turn % TURNS_PER_SESSION,
    content: `In turn ${turn}, ${nameOf(turn % 997)} talked about ${wordOf(turn % 4_999)} for a while.`,
    speaker: turn % 2 === 0 ? 'Ada' : 'Boris',
    role: 'user',
    validAt: at,
    createdAt: at,
    atText: new Date(at).toISOString(),
    expiredAt: null,
    sourceId: null,
    contentHash: `hash ${turn}`,
    source: SOURCES[session % SOURCES.length]!,
    attachments: [],
    metadata: {},
    gate: 'kept',
    verified: false,
    status: 'extracted',
    trust: 'normal',
  };
}

const timeOf = (turn: number) =>
  FIRST_DAY + Math.floor(turn / TURNS_PER_SESSION) * (DAY / 2) + (turn % TURNS_PER_SESSION) * 60_000;

function topicOf(turn: number): Segment {
  return {
    id: numbered('topic', turn) as SegmentId,
    session: `session ${Math.floor(turn / TURNS_PER_SESSION)}`,
    keywords: [wordOf(turn), wordOf(turn + 1)],
    summary: `About ${wordOf(turn)}.`,
    profile: 'local',
    startAt: timeOf(turn),
    endAt: timeOf(turn),
    createdAt: timeOf(turn),
    expiredAt: null,
  };
}

function factOf(fact: number, facts: number, turns: number): Fact {
  const at = timeOf(Math.floor((fact * turns) / facts));
  return {
    id: numbered('fact', fact) as FactId,
    kind: 'relation',
    statement: `${nameOf(fact % 997)} knows ${wordOf(fact)} since turn ${fact}`,
    relation: 'know',
    validAt: at,
    invalidAt: fact % 10 === 0 ? at + DAY : null,
    createdAt: at,
    expiredAt: null,
    confidence: 0.8,
    event: null,
    origin: 'read',
    statedEnd: null,
  };
}

function edge(
  kind: Relationship['kind'],
  [fromKind, from]: readonly [Relationship['fromKind'], string],
  [toKind, to]: readonly [Relationship['toKind'], string],
): Relationship {
  return { kind, fromKind, from, toKind, to };
}

function ranges(count: number): number[][] {
  return inBatches(
    Array.from({ length: count }, (_, at) => at),
    ROWS_PER_COMMIT,
  );
}
