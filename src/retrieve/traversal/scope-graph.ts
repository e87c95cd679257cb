import { FACT_ROLES } from '../../model/relationships.ts';
import { analyze } from '../../search/analyzer.ts';
import type { DocumentIndex } from '../../search/document-index.ts';
import type { Adjacency } from '../../search/graph-view.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { dotProduct } from '../../util/dot-product.ts';
import type { RouteInput } from '../route.ts';
import { ALONE } from '../similarity/defaults.ts';
import { mixScores } from '../similarity/turn-scores.ts';
import type { Eligible } from '../time-view.ts';
import type { TraversalRoute } from './defaults.ts';
import type { NodeType, TraversalEdge, TraversalGraph } from './traversal-graph.ts';

/** The row that contains a triplet's text. */
export interface Row {
  readonly kind: 'fact' | 'episode';
  /** Ordinal in the index of its kind. */
  readonly ordinal: number;
}

// Types of a fact; 0 if it is not eligible.
const RELATION = 1;
const THESIS = 2;
const PARTICIPANT = FACT_ROLES.indexOf('participant');

/**
 * A scope as PersonalAI's graph (docs/papers.md §4.1). Nodes are numbered: entities, then facts, then episodes, each
 * by ordinal. A fact with a participant, or with fewer than two ends, is a thesis; every other fact is an edge
 * between its ends. Edges are read on first use. A commit invalidates the graph.
 */
export class ScopeGraph implements TraversalGraph {
  readonly #index: ScopeIndex;
  readonly #firstFact: number;
  readonly #firstTurn: number;
  readonly #facts: Uint8Array;
  readonly #turns: Uint8Array;
  readonly #entities: Uint8Array;
  readonly #similarity: Similarity;
  readonly #edges = new Map<number, readonly TraversalEdge[]>();
  readonly #vectors = new Map<number, Float32Array | null>();
  readonly #named = new Map<number, Readonly<Record<Row['kind'], Uint8Array>>>();

  constructor(
    index: ScopeIndex,
    { eligible, similarity }: { readonly eligible: Eligible; readonly similarity: Similarity },
  ) {
    this.#index = index;
    this.#firstFact = index.entities.ids.length;
    this.#firstTurn = this.#firstFact + index.facts.length;
    this.#facts = factTypes(index, eligible.fact);
    this.#turns = turnsHere(index, eligible.episode);
    this.#entities = entitiesHere(index, eligible.entity);
    this.#similarity = similarity;
  }

  typeOf(node: number): NodeType {
    if (node < this.#firstFact) return 'object';
    return node < this.#firstTurn ? 'thesis' : 'episode';
  }

  /** Whether an entity (by ordinal) has a profile and was mentioned by the time of the question. */
  hasEntity(entity: number): boolean {
    return this.#entities[entity] === 1;
  }

  edgesOf(node: number): readonly TraversalEdge[] {
    const known = this.#edges.get(node);
    if (known !== undefined) return known;
    const edges = this.#readEdges(node).sort(
      (a, b) => a.to - b.to || (a.relation ?? -1) - (b.relation ?? -1),
    );
    this.#edges.set(node, edges);
    return edges;
  }

  distance(a: number, b: number): number {
    if (a === b) return 0;
    const [first, second] = [this.#vectorOf(a), this.#vectorOf(b)];
    return first === null || second === null ? 1 : 1 - dotProduct(first, second);
  }

  relevance(edge: TraversalEdge): number {
    const { kind, ordinal } = this.rowOf(edge);
    return this.#similarity.chosen[kind][ordinal]!;
  }

  names(edge: TraversalEdge, entity: number): boolean {
    const { kind, ordinal } = this.rowOf(edge);
    return this.#namesOf(entity)[kind][ordinal] === 1;
  }

  /** The row with the text of a triplet: a turn if one of the ends is one, else a fact. */
  rowOf({ from, to, relation }: TraversalEdge): Row {
    if (relation !== null) return { kind: 'fact', ordinal: relation };
    const node = Math.max(from, to);
    return node < this.#firstTurn
      ? { kind: 'fact', ordinal: node - this.#firstFact }
      : { kind: 'episode', ordinal: node - this.#firstTurn };
  }

  /** Eligible turns that support a fact. */
  turnsBehind(fact: number): number[] {
    return this.#there(this.#index.graphs.evidence.neighbours(fact, 'out').ordinals, this.#turns);
  }

  /** The `most` nodes of these types that are most similar to the question, without one. */
  nearest(
    queryVector: Float32Array,
    { most, types, except }: { most: number; types: ReadonlySet<NodeType>; except: number },
  ): number[] {
    const { entities, facts, episodes } = this.#index;
    const theses = this.#facts.map((type) => (type === THESIS ? 1 : 0));
    const profiles = new Uint8Array(entities.profiles.length);
    for (const { id, owner } of entities.current())
      profiles[entities.profiles.ids.ordinalOf(id)!] = this.#entities[entities.ids.ordinalOf(owner)!]!;
    const places = [
      {
        type: 'object',
        vectors: entities.nameVectors,
        only: profiles,
        node: (at: number) => this.#owner(at),
      },
      { type: 'thesis', vectors: facts.vectors, only: theses, node: (at: number) => this.#firstFact + at },
      {
        type: 'episode',
        vectors: episodes.vectors,
        only: this.#turns,
        node: (at: number) => this.#firstTurn + at,
      },
    ] as const;
    return places
      .filter(({ type }) => types.has(type))
      .flatMap(({ vectors, only, node }) =>
        vectors
          .top(queryVector, most + 1, only)
          .filter(({ score }) => score > 0)
          .map(({ ordinal, score }) => ({ node: node(ordinal), score })),
      )
      .filter(({ node }) => node !== except)
      .sort((a, b) => b.score - a.score || a.node - b.node)
      .slice(0, most)
      .map(({ node }) => node);
  }

  #owner(profile: number): number {
    const { entities } = this.#index;
    return entities.ids.ordinalOf(entities.ownerOf(profile))!;
  }

  #readEdges(node: number): TraversalEdge[] {
    const { about, mentions, evidence } = this.#index.graphs;
    const joined = (to: number): TraversalEdge => ({ from: node, to, relation: null });
    if (node < this.#firstFact) {
      const turns = this.#there(mentions.neighbours(node, 'in').ordinals, this.#turns);
      const facts = distinct(about.neighbours(node, 'in').ordinals).flatMap((fact) => {
        if (this.#facts[fact] === THESIS) return [joined(this.#firstFact + fact)];
        return this.#facts[fact] === RELATION ? this.#relationEdges(node, fact) : [];
      });
      return [...facts, ...turns.map((turn) => joined(this.#firstTurn + turn))];
    }
    if (node < this.#firstTurn) {
      const fact = node - this.#firstFact;
      const entities = this.#there(about.neighbours(fact, 'out').ordinals, this.#entities);
      return [...entities, ...this.turnsBehind(fact).map((turn) => this.#firstTurn + turn)].map(joined);
    }
    const turn = node - this.#firstTurn;
    const entities = this.#there(mentions.neighbours(turn, 'out').ordinals, this.#entities);
    const facts = distinct(evidence.neighbours(turn, 'in').ordinals);
    const theses = facts.filter((fact) => this.#facts[fact] === THESIS);
    return [...entities, ...theses.map((fact) => this.#firstFact + fact)].map(joined);
  }

  #relationEdges(node: number, fact: number): TraversalEdge[] {
    const ends = this.#there(this.#index.graphs.about.neighbours(fact, 'out').ordinals, this.#entities);
    return ends.filter((to) => to !== node).map((to) => ({ from: node, to, relation: fact }));
  }

  #there(ordinals: ArrayLike<number>, here: Uint8Array): number[] {
    return distinct(ordinals).filter((ordinal) => here[ordinal] === 1);
  }

  #vectorOf(node: number): Float32Array | null {
    const known = this.#vectors.get(node);
    if (known !== undefined) return known;
    const vector = this.#readVector(node);
    this.#vectors.set(node, vector);
    return vector;
  }

  #readVector(node: number): Float32Array | null {
    const { entities, facts, episodes } = this.#index;
    if (node >= this.#firstTurn) return episodes.vectors.get(node - this.#firstTurn);
    if (node >= this.#firstFact) return facts.vectors.get(node - this.#firstFact);
    const profile = entities.profileOf(entities.ids.idOf(node));
    return profile === undefined
      ? null
      : entities.nameVectors.get(entities.profiles.ids.ordinalOf(profile.id)!);
  }

  /** By ordinal, 1 for rows whose words contain the name or an alias of an entity. */
  #namesOf(entity: number): Readonly<Record<Row['kind'], Uint8Array>> {
    const known = this.#named.get(entity);
    if (known !== undefined) return known;
    const { entities, facts, episodes } = this.#index;
    const named = { fact: new Uint8Array(facts.length), episode: new Uint8Array(episodes.length) };
    const profile = entities.profileOf(entities.ids.idOf(entity));
    const inTurns = (term: string) => {
      const scores = new Float32Array(episodes.length);
      episodes.conversation.score([term], ALONE, { out: scores });
      return scores;
    };
    for (const name of profile === undefined ? [] : [profile.name, ...profile.aliases]) {
      const terms = [...new Set(analyze(name))];
      markAll(named.fact, terms, (term) => facts.lexicalScores([term]));
      markAll(named.episode, terms, inTurns);
    }
    this.#named.set(entity, named);
    return named;
  }
}

/** Marks the rows that have every term. */
function markAll(
  marks: Uint8Array,
  terms: readonly string[],
  scoresOf: (term: string) => Float32Array,
): void {
  const scores = terms.map(scoresOf);
  if (scores.length === 0) return;
  for (let row = 0; row < marks.length; row++) if (scores.every((of) => of[row]! > 0)) marks[row] = 1;
}

function distinct(ordinals: ArrayLike<number>): number[] {
  return [...new Set(Array.from(ordinals))];
}

function factTypes({ facts, graphs }: ScopeIndex, eligible: Uint8Array | null): Uint8Array {
  const about = graphs.about.adjacency('out');
  const found = new Uint8Array(facts.length);
  for (let fact = 0; fact < found.length; fact++)
    if (facts.lexical.has(fact) && eligible?.[fact] !== 0)
      found[fact] = joinsTwo(about, fact) ? RELATION : THESIS;
  return found;
}

function joinsTwo({ offsets, others, types }: Adjacency, fact: number): boolean {
  let joins = false;
  // A fact without edges may be beyond the last offset.
  const [start, end] = [offsets[fact] ?? 0, offsets[fact + 1] ?? 0];
  for (let at = start; at < end; at++) {
    if (types[at] === PARTICIPANT) return false;
    joins ||= others[at] !== others[start];
  }
  return joins;
}

function turnsHere({ episodes }: ScopeIndex, eligible: Uint8Array | null): Uint8Array {
  const here = new Uint8Array(episodes.length);
  for (let turn = 0; turn < here.length; turn++)
    if (episodes.conversation.isLive(turn) && eligible?.[turn] !== 0) here[turn] = 1;
  return here;
}

function entitiesHere({ entities }: ScopeIndex, eligible: Uint8Array | null): Uint8Array {
  const here = new Uint8Array(entities.ids.length);
  for (const { id, owner } of entities.current())
    if (eligible?.[entities.profiles.ids.ordinalOf(id)!] !== 0) here[entities.ids.ordinalOf(owner)!] = 1;
  return here;
}

/** Scores of facts and turns, each by ordinal. */
export interface RowScores {
  readonly fact: Float32Array;
  readonly episode: Float32Array;
}

/** Similarity of rows to the question, from 0 to 1. */
export interface Similarity {
  readonly cosine: RowScores;
  /** The similarity that the route ranks by. */
  readonly chosen: RowScores;
}

export function readSimilarity(
  { context: { index }, question, queryVector, rows }: RouteInput,
  { similarity, reading }: Pick<TraversalRoute, 'similarity' | 'reading'>,
): Similarity {
  const { facts, episodes } = index;
  const cosine = {
    fact: similarities(facts, queryVector),
    episode: similarities(episodes, queryVector),
  };
  if (similarity === 'cosine') return { cosine, chosen: cosine };
  const fact = mixScores(facts.lexicalScores(question.allTerms), cosine.fact);
  return { cosine, chosen: { fact, episode: rows().turnScores.mixed(reading) } };
}

/** Cosines; negative ones count as 0. */
function similarities(
  { vectors, length }: Pick<DocumentIndex, 'vectors' | 'length'>,
  query: Float32Array,
): Float32Array {
  return vectors
    .cosines(query, length)
    .map((cosine) => Math.max(0, cosine))
    .subarray(0, length);
}
