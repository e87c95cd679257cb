import { type LexicalField, LexicalIndex } from './lexical-index.ts';
import { OrdinalTable } from './ordinal-table.ts';
import { VectorIndex } from './vector-index.ts';

/** Texts of one kind with their words and vectors, numbered by the ids of the rows that hold the text. */
export class DocumentIndex {
  readonly ids: OrdinalTable;
  readonly lexical: LexicalIndex;
  readonly vectors: VectorIndex;

  constructor(parts: { ids: OrdinalTable; lexical: LexicalIndex; vectors: VectorIndex }) {
    this.ids = parts.ids;
    this.lexical = parts.lexical;
    this.vectors = parts.vectors;
  }

  static empty(dimension: number): DocumentIndex {
    return new DocumentIndex({
      ids: new OrdinalTable(),
      lexical: new LexicalIndex(),
      vectors: new VectorIndex(dimension),
    });
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
