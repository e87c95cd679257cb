import { decodeVector } from '../../../../util/rounded-vector.ts';
import type {
  Among,
  FoundVector,
  FoundWords,
  ScopeSearch,
  ScoredRow,
  TurnMeasures,
  VectorKind,
  WordCount,
} from '../../../scope-search.ts';
import { decodeText, encodeText } from '../../sql-codec.ts';
import { type SqlDatabase, type SqlParameter, type SqlRow, tableIn } from '../../sql-database.ts';
import {
  innerProduct,
  KIND_CODES,
  qualified,
  type SearchTable,
  termsOf,
  vectorType,
} from './search-tables.ts';
import { halfVector } from './vector-extension.ts';
import { allOf, anyOf, isLexeme, readCounts } from './word-counts.ts';

/** The most that `hnsw.ef_search` may be. */
const MOST_SEARCHED = 1_000;
/** Turns whose words are weighed for a question: more are only counted. */
const MOST_WEIGHED = 50_000;
/** By typing errors, and by the ending of a word that its term lacks. */
const MOST_LETTERS_APART = 4;
const PAGE = 5_000;

interface Place {
  readonly database: SqlDatabase;
  /** Encoded. */
  readonly scope: string;
  readonly table: SearchTable;
  /** Whether the index goes on where it found too few rows. */
  readonly scansOn: boolean;
}

/** Searches in the table of one scope; see `search-tables.ts`. */
export class PostgresScopeSearch implements ScopeSearch {
  readonly #place: Place;

  constructor(place: Place) {
    this.#place = place;
  }

  async nearest(
    kind: VectorKind,
    query: Float32Array,
    { most, exact, among }: { readonly most: number; readonly exact: number; readonly among: Among },
  ): Promise<readonly FoundVector[]> {
    const { database, scope } = this.#place;
    const asked = this.#queryOf(query);
    if (asked === null || most < 1 || among?.length === 0) return [];
    const rows = this.#vectors(kind, 'id, embedding_id, embedding');
    const order = `ORDER BY embedding ${this.#distance} LIMIT ?`;
    const near =
      among === null
        ? `SELECT *, embedding ${this.#distance} AS distance FROM (${rows} ${order}) AS rows`
        : // Materialized, so that the rows are compared one by one, and no index leaves any out.
          `WITH few AS MATERIALIZED (${rows} AND id = ANY(?::text[])) SELECT *, embedding ${this.#distance} AS distance FROM few ${order}`;
    const sql = `SELECT near.id, -near.distance AS score, embedding.vector FROM (SELECT *, row_number() OVER (ORDER BY distance) AS place FROM (${near}) AS near) AS near LEFT JOIN ${tableIn(database.dialect, 'embedding')} AS embedding ON near.place <= ? AND embedding.scope = ? AND embedding.id = near.embedding_id`;
    const first =
      among === null ? [asked, scope, asked, most] : [scope, among.map(encodeText), asked, asked, most];
    const found = await database.read(scope, async (session) => {
      if (among === null) for (const setting of this.#settingsFor(most)) await session.run(setting);
      return session.all(sql, [...first, exact, scope]);
    });
    return found.map(({ id, score, vector }) => ({
      id: decodeText(String(id)),
      score: Number(score),
      vector: vector instanceof Uint8Array ? decodeVector(vector) : null,
    }));
  }

  async scores(kind: VectorKind, query: Float32Array, ids: readonly string[]): Promise<readonly ScoredRow[]> {
    const asked = this.#queryOf(query);
    if (asked === null || ids.length === 0) return [];
    const { database, scope } = this.#place;
    const sql = `${this.#vectors(kind, `id, -(embedding ${this.#distance}) AS score`)} AND id = ANY(?::text[])`;
    const found = await database.read(scope, (session) =>
      session.all(sql, [asked, scope, ids.map(encodeText)]),
    );
    return found.map(({ id, score }) => ({ id: decodeText(String(id)), score: Number(score) }));
  }

  /** The query as it is bound; null for one that cannot be compared. */
  #queryOf(query: Float32Array): string | null {
    return query.length === this.#place.table.dimension ? halfVector(query) : null;
  }

  /** What follows a vector for its distance from the query, which is the negative inner product. */
  get #distance(): string {
    const { table } = this.#place;
    return `${innerProduct(table)} ?::${vectorType(table)}`;
  }

  /** Rows of a kind that have a vector, with a placeholder for the scope. */
  #vectors(kind: VectorKind, columns: string): string {
    const { database, table } = this.#place;
    return `SELECT ${columns} FROM ${qualified(database.dialect, table)} WHERE scope = ? AND kind = ${KIND_CODES[kind]} AND embedding IS NOT NULL`;
  }

  async words(
    terms: readonly string[],
    { most, among }: { readonly most: number; readonly among: Among },
  ): Promise<FoundWords> {
    const { database, scope } = this.#place;
    const asked = [...new Set(terms)].filter(isLexeme);
    if (asked.length === 0) return NO_WORDS;
    return database.read(scope, async (session) => {
      const known = await session.all(`${this.#terms} AND term = ANY(?::text[])`, [scope, asked]);
      const frequencies = counted(known);
      const wanted = rarest(frequencies);
      if (wanted.length === 0) return NO_WORDS;
      const rows = await session.all(...this.#turnsWith(wanted, { frequencies, most, among }));
      return { frequencies, turns: turnsOf(rows) };
    });
  }

  async frequencies(terms: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const asked = [...new Set(terms)].filter(isLexeme);
    if (asked.length === 0) return new Map();
    const { database, scope } = this.#place;
    return database.read(scope, async (session) =>
      counted(await session.all(`${this.#terms} AND term = ANY(?::text[])`, [scope, asked])),
    );
  }

  async *measures(): AsyncIterable<readonly TurnMeasures[]> {
    const { database, scope, table } = this.#place;
    const sql = `SELECT id, length, signs, array_to_string(times, ' ') AS times FROM ${qualified(database.dialect, table)} WHERE scope = ? AND kind = ${KIND_CODES.episode} AND id > ? ORDER BY id LIMIT ${PAGE}`;
    for (let after = ''; ; ) {
      const rows = await database.read(scope, (session) => session.all(sql, [scope, after]));
      if (rows.length === 0) return;
      yield rows.map(({ id, length, signs, times }) => ({
        id: decodeText(String(id)),
        length: Number(length),
        signs: Number(signs),
        times: typeof times === 'string' ? timesOf(times) : [],
      }));
      after = String(rows.at(-1)!.id);
    }
  }

  async turnsWithAll(terms: readonly string[]): Promise<number> {
    const asked = [...new Set(terms)];
    if (asked.length === 0 || !asked.every(isLexeme)) return 0;
    const { database, scope } = this.#place;
    const [row] = await database.read(scope, (session) =>
      session.all(`SELECT COUNT(*) AS turns FROM ${this.#turns} AND words @@ ?::tsquery`, [
        scope,
        allOf(asked),
      ]),
    );
    return Number(row?.turns);
  }

  async similar(words: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const asked = [...new Set(words)].filter((word) => isLexeme(word) && word.length > 1);
    if (asked.length === 0) return new Map();
    const { database, scope } = this.#place;
    const begins =
      '(left(term, 1) = left(word, 1) OR (left(term, 1) = substr(word, 2, 1) AND substr(term, 2, 1) = left(word, 1)))';
    const sql = `${this.#terms} AND EXISTS (SELECT 1 FROM unnest(?::text[]) AS asked(word) WHERE ${begins} AND abs(length(term) - length(word)) <= ${MOST_LETTERS_APART})`;
    return database.read(scope, async (session) => counted(await session.all(sql, [scope, asked])));
  }

  /** The counts of terms, with a placeholder for the scope. */
  get #terms(): string {
    const { database, table } = this.#place;
    return `SELECT term, turns FROM ${termsOf(database.dialect, table)} WHERE scope = ?`;
  }

  /** The turns, as what follows FROM, with a placeholder for the scope. */
  get #turns(): string {
    const { database, table } = this.#place;
    return `${qualified(database.dialect, table)} WHERE scope = ? AND kind = ${KIND_CODES.episode}`;
  }

  /** The `most` turns that have the most of the terms, rare ones counting more. */
  #turnsWith(
    wanted: readonly string[],
    { frequencies, most, among }: TurnRequest,
  ): [sql: string, parameters: readonly SqlParameter[]] {
    const { scope } = this.#place;
    const total = wanted.reduce((sum, term) => sum + frequencies.get(term)!, 0);
    const held = [...frequencies.keys()];
    const weights = held.map((term) => {
      const weight = (1 / Math.log2(2 + frequencies.get(term)!)).toFixed(6);
      return `CASE WHEN words @@ ?::tsquery THEN ${weight} ELSE 0 END`;
    });
    const cuts = total > most;
    const order = cuts ? `ORDER BY ${weights.join(' + ')} DESC, id DESC` : '';
    const filter = cuts && among !== null ? 'AND id = ANY(?::text[])' : '';
    const turns = `SELECT id, words FROM ${this.#turns} AND words @@ ?::tsquery ${filter} ${order} LIMIT ?`;
    return [
      `SELECT turn.id, word.lexeme, word.positions[1] AS first, word.positions[2] AS second FROM (${turns}) AS turn, unnest(turn.words) AS word WHERE word.lexeme = ANY(?::text[])`,
      [
        scope,
        anyOf(wanted),
        ...(cuts && among !== null ? [among.map(encodeText)] : []),
        ...(cuts ? held.map((term) => anyOf([term])) : []),
        most,
        held,
      ],
    ];
  }

  /** How far the index of neighbours looks; the settings end with the transaction. */
  #settingsFor(most: number): readonly string[] {
    return [
      `SET LOCAL hnsw.ef_search = ${MOST_SEARCHED}`,
      ...(this.#place.scansOn
        ? ['SET LOCAL hnsw.iterative_scan = relaxed_order', `SET LOCAL hnsw.max_scan_tuples = ${40 * most}`]
        : []),
    ];
  }
}

function timesOf(listed: string): TurnMeasures['times'] {
  const numbers = listed.split(' ').map(Number);
  return numbers.flatMap((start, at) => (at % 2 === 0 ? [{ start, end: numbers[at + 1]! }] : []));
}

const NO_WORDS: FoundWords = { frequencies: new Map(), turns: [] };

interface TurnRequest {
  readonly frequencies: ReadonlyMap<string, number>;
  readonly most: number;
  readonly among: Among;
}

/** The rarest terms that are in no more than `MOST_WEIGHED` turns together, but at least one. */
function rarest(frequencies: ReadonlyMap<string, number>): readonly string[] {
  const rare = [...frequencies].sort((a, b) => a[1] - b[1]);
  let turns = 0;
  return rare.flatMap(([term, number], place) => {
    turns += number;
    return place === 0 || turns <= MOST_WEIGHED ? [term] : [];
  });
}

function counted(rows: readonly SqlRow[]): ReadonlyMap<string, number> {
  return new Map(rows.map(({ term, turns }) => [String(term), Number(turns)]));
}

function turnsOf(rows: readonly SqlRow[]): FoundWords['turns'] {
  const turns = new Map<string, WordCount[]>();
  for (const { id, lexeme, first, second } of rows) {
    const positions = [first, second].filter((each) => each !== null).map(Number);
    const word = { term: String(lexeme), ...readCounts(positions) };
    const known = turns.get(String(id));
    if (known === undefined) turns.set(String(id), [word]);
    else known.push(word);
  }
  return [...turns].map(([id, words]) => ({ id: decodeText(id), words }));
}
