import type { NodeCounts } from '../../model/graph-changes.ts';
import type { EpisodeId, Scope } from '../../model/ids.ts';
import { type Episode, NODE_KINDS, type NodeKind, type NodeRows } from '../../model/nodes.ts';
import type { Relationship, RelationshipKind } from '../../model/relationships.ts';
import type { RowReader } from '../database-store.ts';
import type { EpisodeReference, RelationshipFilter, ScopeState } from '../graph-store.ts';
import {
  decodeNode,
  decodeRelationship,
  decodeScope,
  decodeText,
  encodeText,
  keyDigest,
  kindCode,
  placeDigest,
  sourceDigest,
} from './sql-codec.ts';
import { listed, type SqlDatabase, type SqlParameter, type SqlRow, tableIn } from './sql-database.ts';
import {
  type EPISODE_DIGESTS,
  NODE_SQL_TABLES,
  RELATIONSHIP_TABLE,
  SCOPE_TABLE,
  type SqlField,
} from './sql-schema.ts';
import { chunks } from './sql-writer.ts';

const BATCH = 1_000;

/** Reads rows; scopes are encoded. Each batch is a transaction of its own. */
export class SqlReader implements RowReader {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async state(scope: string): Promise<ScopeState> {
    const sql = `SELECT sequence, token FROM ${this.#table(SCOPE_TABLE)} WHERE scope = ?`;
    const [row] = await this.#all(scope, sql, [scope]);
    return { sequence: Number(row?.sequence ?? 0), token: Number(row?.token ?? 0) };
  }

  async scopes(): Promise<Scope[]> {
    const rows = await this.#all(
      null,
      `SELECT scope FROM ${this.#table(SCOPE_TABLE)} WHERE sequence > 0`,
      [],
    );
    return rows.map((row) => decodeScope(row.scope)).sort();
  }

  async get<K extends NodeKind>(scope: string, kind: K, ids: readonly string[]): Promise<NodeRows[K][]> {
    const { fields } = NODE_SQL_TABLES[kind];
    const found = new Map<string, NodeRows[K]>();
    const sql = `${this.#select(kind, fields)} AND ${this.#database.dialect.isIn('id')}`;
    for (const some of chunks([...new Set(ids)]))
      for (const row of await this.#all(scope, sql, [scope, some.map(encodeText)])) {
        const node = decodeNode<K>(fields, row);
        found.set(node.id, node);
      }
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  async *scan<K extends NodeKind, F extends keyof NodeRows[K]>(
    scope: string,
    kind: K,
    names?: readonly F[],
  ): AsyncIterable<readonly Pick<NodeRows[K], F>[]> {
    yield* this.#pages<K, F>(scope, kind, { names, filter: '', values: [] });
  }

  async *embeddings<F extends keyof NodeRows['embedding']>(
    scope: string,
    model: string,
    names: readonly F[],
  ): AsyncIterable<readonly Pick<NodeRows['embedding'], F>[]> {
    yield* this.#pages<'embedding', F>(scope, 'embedding', {
      names,
      filter: 'AND model = ?',
      values: [model],
    });
  }

  async *relationships(
    scope: string,
    kind: RelationshipKind,
    { from, to }: RelationshipFilter,
  ): AsyncIterable<readonly Relationship[]> {
    const { dialect } = this.#database;
    const columns = RELATIONSHIP_TABLE.columns.filter(({ name }) => name !== 'kind');
    const filters = [
      ...(from === undefined ? [] : [dialect.isIn('from_id')]),
      ...(to === undefined ? [] : [dialect.isIn('to_id')]),
    ];
    const select = `SELECT ${listed(columns)} FROM ${this.#table(RELATIONSHIP_TABLE.name)} WHERE scope = ? AND kind = ?`;
    const order = 'from_id, to_id, pair, role';
    for (const lists of listsOf(from, to)) {
      let last: readonly SqlParameter[] | null = null;
      for (;;) {
        const conditions = [...filters, ...(last === null ? [] : [`(${order}) > (?, ?, ?, ?)`])];
        const sql: string = [select, ...conditions].join(' AND ');
        const parameters: readonly SqlParameter[] = [scope, kindCode(kind), ...lists, ...(last ?? []), BATCH];
        const rows: readonly SqlRow[] = await this.#all(
          scope,
          `${sql} ORDER BY ${order} LIMIT ?`,
          parameters,
        );
        if (rows.length > 0) yield rows.map((row) => decodeRelationship(kind, row));
        if (rows.length < BATCH) break;
        const { from_id, to_id, pair, role } = rows.at(-1)!;
        last = [from_id!, to_id!, pair!, role!];
      }
    }
  }

  async episodesByKey(scope: string, keys: readonly string[]): Promise<ReadonlyMap<string, Episode>> {
    const found = await this.#newest(scope, 'key_digest', keys.map(keyDigest));
    const byKey = new Map<string, Found>();
    for (const row of found) replaceOlder(byKey, row.key, row);
    const wanted = new Set(keys);
    const ids = [...byKey].flatMap(([key, { id }]) => (wanted.has(key) ? [id] : []));
    return new Map((await this.get(scope, 'episode', ids)).map((row) => [row.key, row]));
  }

  async findEpisodes(
    scope: string,
    references: readonly EpisodeReference[],
  ): Promise<readonly (EpisodeId | null)[]> {
    const wanted: Record<'id' | Digest, string[]> = {
      id: [],
      key_digest: [],
      place_digest: [],
      source_digest: [],
    };
    for (const reference of references) {
      if ('id' in reference) wanted.id.push(encodeText(reference.id));
      else if ('session' in reference)
        wanted.place_digest.push(placeDigest(reference.session, reference.index));
      else wanted.source_digest.push(sourceDigest(reference.source, reference.sourceId));
    }
    const named = new Map<string, Found>();
    for (const column of ['id', 'place_digest', 'source_digest'] as const)
      for (const row of await this.#newest(scope, column, wanted[column]))
        for (const name of namesOf(row)) replaceOlder(named, name, row);
    return references.map((reference) => named.get(nameOf(reference))?.id ?? null);
  }

  async count(scope: string): Promise<NodeCounts> {
    const sql = NODE_KINDS.map(
      (kind) => `(SELECT COUNT(*) FROM ${this.#table(kind)} WHERE scope = ?) AS "${kind}"`,
    ).join(', ');
    const [row] = await this.#all(
      scope,
      `SELECT ${sql}`,
      NODE_KINDS.map(() => scope),
    );
    return Object.fromEntries(
      NODE_KINDS.map((kind) => [kind, Number(row?.[kind] ?? 0)]),
    ) as unknown as NodeCounts;
  }

  async countEmbeddings(scope: string): Promise<ReadonlyMap<string, number>> {
    const sql = `SELECT model, COUNT(*) AS number FROM ${this.#table('embedding')} WHERE scope = ? GROUP BY model`;
    const rows = await this.#all(scope, sql, [scope]);
    return new Map(rows.map((row) => [decodeText(String(row.model)), Number(row.number)]));
  }

  async *#pages<K extends NodeKind, F extends keyof NodeRows[K]>(
    scope: string,
    kind: K,
    { names, filter, values }: { names: readonly F[] | undefined; filter: string; values: readonly string[] },
  ): AsyncIterable<readonly Pick<NodeRows[K], F>[]> {
    const { fields: all } = NODE_SQL_TABLES[kind];
    const fields =
      names === undefined ? all : all.filter(({ name }) => (names as readonly string[]).includes(name));
    const paged = fields.some(({ name }) => name === 'id')
      ? fields
      : [...fields, all.find(({ name }) => name === 'id')!];
    let after: string | null = null;
    for (;;) {
      const more: string = after === null ? '' : 'AND id > ?';
      const sql: string = `${this.#select(kind, paged)} ${filter} ${more} ORDER BY id LIMIT ?`;
      const parameters = [scope, ...values, ...(after === null ? [] : [after]), BATCH];
      const rows: readonly SqlRow[] = await this.#all(scope, sql, parameters);
      if (rows.length > 0) yield rows.map((row) => decodeNode<K>(fields, row));
      if (rows.length < BATCH) return;
      after = String(rows.at(-1)!.id);
    }
  }

  async #newest(scope: string, column: 'id' | Digest, values: readonly string[]): Promise<Found[]> {
    const { fields: all } = NODE_SQL_TABLES.episode;
    const fields = all.filter(({ name }) => FOUND.some((each) => each === name));
    const { dialect } = this.#database;
    const sql = `${this.#select('episode', fields)} AND expired_at IS NULL AND ${dialect.isIn(column)}`;
    const found: Found[] = [];
    for (const some of chunks([...new Set(values)]))
      for (const row of await this.#all(scope, sql, [scope, some]))
        found.push(decodeNode<'episode'>(fields, row));
    return found;
  }

  #select(kind: NodeKind, fields: readonly SqlField[]): string {
    return `SELECT ${listed(fields.flatMap(({ columns }) => columns))} FROM ${this.#table(kind)} WHERE scope = ?`;
  }

  #table(name: string): string {
    return tableIn(this.#database.dialect, name);
  }

  #all(scope: string | null, sql: string, parameters: readonly SqlParameter[]): Promise<readonly SqlRow[]> {
    return this.#database.read(scope, (session) => session.all(sql, parameters));
  }
}

type Digest = (typeof EPISODE_DIGESTS)[number];

const FOUND = ['id', 'key', 'version', 'session', 'index', 'source', 'sourceId', 'createdAt'] as const;
type Found = Pick<Episode, (typeof FOUND)[number]>;

/** The names under which a turn is found; unlike the digests, they are exact. */
function namesOf({ id, session, index, source, sourceId }: Found): string[] {
  const references: EpisodeReference[] = [{ id }, { session, index }];
  if (sourceId !== null) references.push({ source, sourceId });
  return references.map(nameOf);
}

function nameOf(reference: EpisodeReference): string {
  if ('id' in reference) return JSON.stringify(['id', reference.id]);
  if ('session' in reference) return JSON.stringify(['place', reference.session, reference.index]);
  return JSON.stringify(['source', reference.source, reference.sourceId]);
}

/** Among turns of one name, the one that `GraphStore.findEpisodes` prefers. */
function replaceOlder(found: Map<string, Found>, name: string, row: Found): void {
  const known = found.get(name);
  if (known === undefined || isNewer(row, known)) found.set(name, row);
}

function isNewer(a: Found, b: Found): boolean {
  if (a.version !== b.version) return a.version > b.version;
  return a.createdAt === b.createdAt ? a.id > b.id : a.createdAt > b.createdAt;
}

/** Chunks of the lists that a statement binds: of one list; of both, every pair of chunks. */
function* listsOf(
  from: readonly string[] | undefined,
  to: readonly string[] | undefined,
): Iterable<readonly (readonly string[])[]> {
  const encoded = (ids: readonly string[]) => [...chunks([...new Set(ids)].map(encodeText))];
  const [starts, ends] = [from && encoded(from), to && encoded(to)];
  if (starts !== undefined && ends !== undefined) {
    for (const start of starts) for (const end of ends) yield [start, end];
  } else {
    const [one] = [starts ?? ends];
    if (one === undefined) yield [];
    else for (const some of one) yield [some];
  }
}
