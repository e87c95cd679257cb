import type { GraphChanges } from '../../../src/model/graph-changes.ts';
import type { Embedding, Episode } from '../../../src/model/nodes.ts';
import type { Relationship } from '../../../src/model/relationships.ts';
import { readQuestion } from '../../../src/retrieve/question.ts';
import type { RouteInput } from '../../../src/retrieve/route.ts';
import { TurnScores } from '../../../src/retrieve/similarity/turn-scores.ts';
import { eligibleRows, timeView } from '../../../src/retrieve/time-view.ts';
import { Limit } from '../../../src/retrieve/within-time.ts';
import { ScopeIndex } from '../../../src/search/scope-index.ts';
import {
  description,
  edge,
  embedding,
  entity,
  episode,
  fact,
  profile,
  scopeOf,
  segment,
} from '../../contract/graph-rows.ts';

/** Ids with their cosine to the question; null for one without a vector. */
type Cosines = Readonly<Record<string, number | null>>;

export interface GraphOfCosines {
  /** By entity, cosine of its description. */
  readonly entities?: Cosines;
  /** By entity, cosines of its further descriptions. */
  readonly again?: Readonly<Record<string, readonly number[]>>;
  /** By entity, cosine of its profile, for entities without a description. */
  readonly undescribed?: Cosines;
  readonly turns?: Cosines;
  readonly segments?: Cosines;
  readonly facts?: Cosines;
  /** Entities that a turn mentions. */
  readonly mentions?: Readonly<Record<string, readonly string[]>>;
  readonly inSegment?: Readonly<Record<string, string>>;
  /** Facts that join a subject and an object, and facts about any number of entities. */
  readonly relations?: Readonly<Record<string, readonly [subject: string, object: string]>>;
  readonly propositions?: Readonly<Record<string, readonly string[]>>;
  readonly cites?: Readonly<Record<string, readonly string[]>>;
  readonly dropped?: readonly string[];
  /** Facts that have ended. */
  readonly ended?: readonly string[];
  /** When turns were said; 1 for others. */
  readonly saidAt?: Readonly<Record<string, number>>;
}

const QUESTION = Float32Array.of(1, 0);
export const ENDED_AT = 100;

/** An index with rows of the given cosines to the question. */
export function indexOf(graph: GraphOfCosines): ScopeIndex {
  const index = ScopeIndex.empty(QUESTION.length);
  index.apply(changesOf(graph));
  return index;
}

function changesOf(graph: GraphOfCosines): GraphChanges {
  const { entities = {}, undescribed = {}, turns = {}, segments = {}, facts = {} } = graph;
  const owners = { ...entities, ...undescribed };
  const prefixed = (prefix: string, cosines: Cosines): Cosines =>
    Object.fromEntries(Object.entries(cosines).map(([id, cosine]) => [`${prefix}${id}`, cosine]));
  const descriptions = Object.entries(entities).flatMap(([owner, first]) =>
    [first, ...(graph.again?.[owner] ?? [])].map((cosine, at) => ({ id: `d-${owner}-${at}`, owner, cosine })),
  );
  return {
    nodes: {
      entity: Object.keys(owners).map((id) => entity(id)),
      profile: Object.keys(owners).map((id) => profile(`p-${id}`, { owner: id as never, name: id })),
      description: descriptions.map(({ id, owner }) => description(id, { entity: owner as never })),
      episode: Object.keys(turns).map((id, at) => episode(id, turnRow(graph, id, at))),
      segment: Object.keys(segments).map((id) => segment(id)),
      fact: Object.keys(facts).map((id) =>
        fact(id, { invalidAt: graph.ended?.includes(id) ? ENDED_AT : null }),
      ),
      embedding: [
        ...vectors('text', Object.fromEntries(descriptions.map(({ id, cosine }) => [id, cosine]))),
        ...vectors('summary', prefixed('p-', undescribed)),
        ...vectors('content', turns),
        ...vectors('summary', segments),
        ...vectors('statement', facts),
      ],
    },
    relationships: relationshipsOf(graph),
  };
}

function turnRow({ dropped, saidAt }: GraphOfCosines, id: string, index: number): Partial<Episode> {
  return { index, validAt: saidAt?.[id] ?? 1, gate: dropped?.includes(id) ? 'dropped' : 'kept' };
}

function relationshipsOf({
  mentions,
  inSegment,
  relations,
  propositions,
  cites,
}: GraphOfCosines): Relationship[] {
  const each = <T>(
    table: Readonly<Record<string, T>> | undefined,
    make: (id: string, value: T) => Relationship[],
  ) => Object.entries(table ?? {}).flatMap(([id, value]) => make(id, value));
  return [
    ...each(mentions, (turn, ids) => ids.map((id) => edge('MENTIONS', turn, id))),
    ...each(inSegment, (turn, id) => [edge('IN_SEGMENT', turn, id)]),
    ...each(relations, (id, [subject, object]) => [
      edge('ABOUT', id, object, { role: 'object' }),
      edge('ABOUT', id, subject, { role: 'subject' }),
    ]),
    ...each(propositions, (id, ids) => ids.map((to) => edge('ABOUT', id, to, { role: 'participant' }))),
    ...each(cites, (id, ids) => ids.map((turn) => edge('EVIDENCED_BY', id, turn))),
  ];
}

function vectors(field: Embedding['field'], cosines: Cosines): Embedding[] {
  return Object.entries(cosines).flatMap(([owner, cosine]) => {
    if (cosine === null) return [];
    const vector = Float32Array.of(cosine, Math.sqrt(1 - cosine * cosine));
    return [embedding(`${field} of ${owner}`, { owner, field, vector })];
  });
}

interface AskedGraph {
  readonly asOf?: number;
  readonly limit?: Limit;
  readonly depth?: number;
  readonly queryVector?: Float32Array;
}

/** The input of a route. */
export function inputOf(index: ScopeIndex, asked: AskedGraph = {}): RouteInput {
  const {
    asOf = null,
    limit = new Limit(Number.POSITIVE_INFINITY),
    depth = 200,
    queryVector = QUESTION,
  } = asked;
  const question = readQuestion('anything', []);
  const view = timeView({ validity: 'current', asOf, now: 2 * ENDED_AT });
  const eligible = eligibleRows(index, view);
  const turnScores = new TurnScores(index, {
    question,
    queryVector,
    embedder: { meaning: 'words' },
    eligible,
  });
  return {
    context: { scope: scopeOf('a'), index, store: neverAsked, embedder: neverUsed },
    ...{ question, queryVector, kindVector: null, view, k: 10, depth, calls: {}, limit },
    rows: () => ({ eligible, turnScores }),
  };
}

const neverAsked: RouteInput['context']['store'] = {
  get: () => Promise.reject(new TypeError('the index has all that ranking needs')),
};
const neverUsed: RouteInput['context']['embedder'] = {
  fingerprint: { model: 'none', dimension: QUESTION.length },
  embed: () => Promise.reject(new TypeError('the question has its vector')),
};
