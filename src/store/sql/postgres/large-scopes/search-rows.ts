import type { GraphChanges } from '../../../../model/graph-changes.ts';
import type { Embedding, Episode, Fact } from '../../../../model/nodes.ts';
import type { ReadTurnWords, VectorKind } from '../../../scope-search.ts';
import { decodeText, encodeText } from '../../sql-codec.ts';
import type { SqlParameter, SqlSession } from '../../sql-database.ts';
import { chunks } from '../../sql-writer.ts';
import { KIND_CODES, qualified, type SearchTable, termsOf, vectorType } from './search-tables.ts';
import { halfVector } from './vector-extension.ts';
import { wordVector } from './word-counts.ts';

/** A row of the table as it is written: texts, where an empty one means none. */
export interface SearchRow {
  readonly kind: VectorKind;
  /** Encoded, like `embeddingId`. */
  readonly id: string;
  readonly words: string;
  /** `TurnMeasures` of a turn; of a fact, what says nothing. */
  readonly length: number;
  readonly signs: number;
  /** As a list of PostgreSQL: the start and the end of each time that a turn mentions. */
  readonly times: string;
  readonly embeddingId: string;
  readonly vector: string;
}

/** Keeps the table of a scope in step with its graph, within the transaction that changes the graph. */
export class SearchRows {
  readonly #session: SqlSession;
  /** Encoded. */
  readonly #scope: string;
  readonly #table: SearchTable;

  constructor(session: SqlSession, scope: string, table: SearchTable) {
    this.#session = session;
    this.#scope = scope;
    this.#table = table;
  }

  async apply(changes: GraphChanges, readWords: ReadTurnWords): Promise<void> {
    const { nodes = {}, updates = [], removals = [] } = changes;
    const vectors = this.#vectorsOf(nodes.embedding ?? []);
    const rows = [
      ...(nodes.episode ?? [])
        .filter(isLive)
        .map((turn) => ({ ...rowOf('episode', turn, vectors), ...textColumns(readWords(turn)) })),
      ...(nodes.fact ?? []).filter(isLive).map((fact) => ({ ...rowOf('fact', fact, vectors), ...NO_TEXT })),
    ];
    await this.#insert(rows);
    const written = new Set(rows.map(({ kind, id }) => `${kind} ${id}`));
    await this.#setVectors([...vectors].filter(([key]) => !written.has(key)));
    for (const kind of ['episode', 'fact'] as const) {
      const expired = updates.filter(
        (update) => update.kind === kind && 'expiredAt' in update.set && update.set.expiredAt !== null,
      );
      const removed = removals.filter((removal) => removal.kind === kind);
      await this.#remove(
        kind,
        [...expired, ...removed].map(({ id }) => encodeText(id)),
      );
    }
    const forgotten = removals.filter(({ kind }) => kind === 'embedding');
    await this.#clearVectors(forgotten.map(({ id }) => encodeText(id)));
  }

  /** Writes rows whose terms are counted later. */
  async copy(rows: readonly SearchRow[]): Promise<void> {
    for (const some of chunks(rows)) await this.#session.run(this.#inserting, this.#given(some));
  }

  async #insert(rows: readonly SearchRow[]): Promise<void> {
    const sql = `WITH added AS (${this.#inserting} RETURNING words) INSERT INTO ${this.#terms} AS known (scope, term, turns) SELECT ?, lexeme, COUNT(*) FROM added, unnest(added.words) GROUP BY lexeme ON CONFLICT (term) DO UPDATE SET turns = known.turns + excluded.turns`;
    for (const some of chunks(rows)) await this.#session.run(sql, [...this.#given(some), this.#scope]);
  }

  get #inserting(): string {
    const lists = Array.from({ length: 8 }, () => '?::text[]').join(', ');
    return `INSERT INTO ${this.#name} (scope, kind, id, words, length, signs, times, embedding_id, embedding) SELECT ?, kind::smallint, id, NULLIF(words, '')::tsvector, length::integer, signs::smallint, NULLIF(times, '{}')::bigint[], NULLIF(embedding, ''), NULLIF(vector, '')::${vectorType(this.#table)} FROM unnest(${lists}) AS given(kind, id, words, length, signs, times, embedding, vector)`;
  }

  #given(rows: readonly SearchRow[]): SqlParameter[] {
    return [
      this.#scope,
      rows.map(({ kind }) => String(KIND_CODES[kind])),
      rows.map(({ id }) => id),
      rows.map(({ words }) => words),
      rows.map(({ length }) => String(length)),
      rows.map(({ signs }) => String(signs)),
      rows.map(({ times }) => times),
      rows.map(({ embeddingId }) => embeddingId),
      rows.map(({ vector }) => vector),
    ];
  }

  /** By kind and encoded id of the owner. */
  #vectorsOf(embeddings: readonly Embedding[]): ReadonlyMap<string, RowVector> {
    const model = decodeText(this.#table.model);
    return new Map(
      embeddings.flatMap((each): (readonly [string, RowVector])[] => {
        const kind = kindOfField(each.field);
        if (kind === null || each.model !== model || each.vector.length !== this.#table.dimension) return [];
        const vector = halfVector(each.vector);
        if (vector === null) return [];
        return [[`${kind} ${encodeText(each.owner)}`, { embeddingId: encodeText(each.id), vector }]];
      }),
    );
  }

  async #setVectors(vectors: readonly (readonly [string, RowVector])[]): Promise<void> {
    for (const some of chunks(vectors))
      await this.#session.run(
        `UPDATE ${this.#name} AS stored SET embedding_id = given.embedding, embedding = given.vector::${vectorType(this.#table)} FROM unnest(?::text[], ?::text[], ?::text[], ?::text[]) AS given(kind, id, embedding, vector) WHERE stored.scope = ? AND stored.kind = given.kind::smallint AND stored.id = given.id`,
        [
          some.map(([key]) => String(KIND_CODES[key.slice(0, key.indexOf(' ')) as VectorKind])),
          some.map(([key]) => key.slice(key.indexOf(' ') + 1)),
          some.map(([, { embeddingId }]) => embeddingId),
          some.map(([, { vector }]) => vector),
          this.#scope,
        ],
      );
  }

  async #remove(kind: VectorKind, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const gone = `DELETE FROM ${this.#name} WHERE scope = ? AND kind = ${KIND_CODES[kind]} AND id = ANY(?::text[]) RETURNING words`;
    const counts = 'SELECT lexeme, COUNT(*) AS turns FROM gone, unnest(gone.words) GROUP BY lexeme';
    const sql = `WITH gone AS (${gone}), counts AS (${counts}) UPDATE ${this.#terms} AS known SET turns = known.turns - counts.turns FROM counts WHERE known.term = counts.lexeme`;
    for (const some of chunks(ids)) await this.#session.run(sql, [this.#scope, some]);
    // No word of a removed turn stays, unless another turn has it.
    if (kind === 'episode') await this.#session.run(`DELETE FROM ${this.#terms} WHERE turns <= 0`);
  }

  async #clearVectors(embeddings: readonly string[]): Promise<void> {
    for (const some of chunks(embeddings))
      await this.#session.run(
        `UPDATE ${this.#name} SET embedding_id = NULL, embedding = NULL WHERE scope = ? AND embedding_id = ANY(?::text[])`,
        [this.#scope, some],
      );
  }

  get #terms(): string {
    return termsOf(this.#session.dialect, this.#table);
  }

  get #name(): string {
    return qualified(this.#session.dialect, this.#table);
  }
}

interface RowVector {
  readonly embeddingId: string;
  readonly vector: string;
}

const NO_VECTOR: RowVector = { embeddingId: '', vector: '' };

/** Whose vectors the embeddings of a field are; null where they are not compared in the database. */
function kindOfField(field: Embedding['field']): VectorKind | null {
  if (field === 'content') return 'episode';
  return field === 'statement' ? 'fact' : null;
}

function isLive({ expiredAt }: Pick<Episode | Fact, 'expiredAt'>): boolean {
  return expiredAt === null;
}

/** The columns of a row that come from its text. */
export function textColumns(
  words: ReturnType<ReadTurnWords>,
): Pick<SearchRow, 'words' | 'length' | 'signs' | 'times'> {
  const times = words.times.map(({ start, end }) => `${start},${end}`).join(',');
  return { words: wordVector(words), length: words.length, signs: words.signs, times: `{${times}}` };
}

/** Of a fact, whose words are searched in memory. */
export const NO_TEXT: ReturnType<typeof textColumns> = { words: '', length: 0, signs: 0, times: '{}' };

function rowOf(
  kind: VectorKind,
  node: { readonly id: string },
  vectors: ReadonlyMap<string, RowVector>,
): Pick<SearchRow, 'kind' | 'id' | 'embeddingId' | 'vector'> {
  const id = encodeText(node.id);
  return { kind, id, ...(vectors.get(`${kind} ${id}`) ?? NO_VECTOR) };
}
