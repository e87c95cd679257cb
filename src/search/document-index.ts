import type { Description } from '../model/nodes.ts';
import { type LexicalField, LexicalIndex } from './lexical-index.ts';
import { Growable, OrdinalTable } from './ordinals.ts';
import { type Section, type Sections, sectionArray } from './sections.ts';
import { VectorIndex, type Vectors } from './vector-index.ts';

/** Texts of one kind with their words and vectors, keyed by the ids of the rows with the text. */
export class DocumentIndex {
  readonly ids: OrdinalTable;
  readonly lexical: LexicalIndex;
  readonly vectors: Vectors;

  constructor(parts: { ids: OrdinalTable; lexical: LexicalIndex; vectors: Vectors }) {
    this.ids = parts.ids;
    this.lexical = parts.lexical;
    this.vectors = parts.vectors;
  }

  static empty(dimension: number, vectors: Vectors = new VectorIndex(dimension)): DocumentIndex {
    return new DocumentIndex({ ids: new OrdinalTable(), lexical: new LexicalIndex(), vectors });
  }

  /** Ordinals in use, removed ones included: the length of a score array. */
  get length(): number {
    return this.ids.length;
  }

  add(id: string, fields: readonly LexicalField[]): void {
    this.lexical.add(this.ids.add(id), fields);
  }

  remove(id: string): void {
    const ordinal = this.ids.ordinalOf(id);
    if (ordinal === undefined) return;
    this.lexical.remove(ordinal);
    this.vectors.remove(ordinal);
  }

  lexicalScores(terms: readonly string[]): Float32Array {
    const scores = new Float32Array(this.length);
    this.lexical.score(
      terms.map((term) => ({ term, weight: 1 })),
      scores,
    );
    return scores;
  }
}

/** The descriptions of entities by segment (MemORAI §3.2), with their vectors. */
export class DescriptionIndex {
  readonly ids: OrdinalTable;
  readonly vectors: VectorIndex;
  /** Per description, the number of its entity. */
  readonly #entities: Growable<Uint32Array>;

  constructor(parts: { ids: OrdinalTable; vectors: VectorIndex; entities?: Uint32Array }) {
    this.ids = parts.ids;
    this.vectors = parts.vectors;
    this.#entities = Growable.over(Uint32Array, parts.entities ?? new Uint32Array());
  }

  static empty(dimension: number): DescriptionIndex {
    return new DescriptionIndex({ ids: new OrdinalTable(), vectors: new VectorIndex(dimension) });
  }

  /** Ordinals in use, removed ones included. */
  get length(): number {
    return this.ids.length;
  }

  /** @param entity Number of the described entity. */
  add(id: Description['id'], entity: number): void {
    this.#entities.set(this.ids.add(id), entity);
  }

  entityOf(ordinal: number): number {
    return this.#entities.at(ordinal);
  }

  /** Numbers of the entities that were ever described. */
  described(): ReadonlySet<number> {
    return new Set(Array.from({ length: this.length }, (_, ordinal) => this.entityOf(ordinal)));
  }

  remove(id: string): void {
    const ordinal = this.ids.ordinalOf(id);
    if (ordinal !== undefined) this.vectors.remove(ordinal);
  }

  /**
   * Cosine of the query and the nearest description of each entity (docs/papers.md §2.3), by the entity's number; 0 for
   * entities without a description with a vector.
   *
   * @param entities Number of entities.
   */
  nearestOfEntities(query: Float32Array, entities: number): Float32Array {
    const nearest = new Float32Array(entities);
    const seen = new Uint8Array(entities);
    const scores = this.vectors.cosines(query, this.length);
    for (let ordinal = 0; ordinal < this.length; ordinal++) {
      const entity = this.#entities.at(ordinal);
      if (entity >= entities || !this.vectors.has(ordinal)) continue;
      if (seen[entity] === 1 && scores[ordinal]! <= nearest[entity]!) continue;
      nearest[entity] = scores[ordinal]!;
      seen[entity] = 1;
    }
    return nearest;
  }

  toSections(): Sections {
    return new Map<string, Section>([['entities', this.#entities.values()]]);
  }

  /** Null if the section is not that of a description index. */
  static fromSections(
    sections: Sections,
    { ids, vectors }: { ids: OrdinalTable; vectors: VectorIndex },
  ): DescriptionIndex | null {
    const entities = sectionArray(sections, 'entities', Uint32Array);
    return entities?.length === ids.length ? new DescriptionIndex({ ids, vectors, entities }) : null;
  }
}
