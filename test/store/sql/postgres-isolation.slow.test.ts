import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Mnemis, postgres } from '../../../src/index.ts';
import { openPostgresStore } from '../../../src/store/sql/postgres/postgres-store.ts';
import { edge, entity, episode, scopeOf } from '../../contract/graph-rows.ts';
import { expectScopesApart } from '../../engine/scopes-apart.ts';
import { describeWithPostgres } from '../../fixtures/describe-with-postgres.ts';
import { type CatalogueTable, catalogueTables, fillTable } from '../../fixtures/postgres/scope-fences.ts';
import { type Login, type PostgresServer, startPostgres } from '../../fixtures/postgres-server.ts';

const [A, B] = [scopeOf('a'), scopeOf('b')];
/** Its rows are of the whole database and no user's. */
const WITHOUT_SCOPE = ['mnemis.meta'];
const REFUSED = { code: '42501' };

describeWithPostgres('The fences between scopes on a Postgres server', () => {
  let server: PostgresServer;
  let owner: Login;

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    owner = await server.createRole('owner');
  });
  afterAll(() => server.stop());

  describe('the conditions of statements alone, for a superuser', () => {
    it('keep scopes apart in all that the engine does', async () => {
      const database = await server.createDatabase();
      await using engine = await Mnemis.open({ store: postgres({ url: server.url(database) }) });
      await expectScopesApart(engine);
      // The policies do not hold this role: whatever kept the scopes apart, it was not them.
      await server.asSuperuser(async (client) => {
        await client.query("BEGIN; SET LOCAL mnemis.scope = 'users/1'");
        const { rows } = await client.query('SELECT DISTINCT scope FROM mnemis.episode ORDER BY scope');
        expect(rows.map(({ scope }) => scope)).toEqual(['users/1', 'users/10']);
      }, database);
    });

    it('keep commits, their log and leases apart', async () => {
      const url = server.url(await server.createDatabase());
      const [one, other] = [await openPostgresStore({ url }), await openPostgresStore({ url })];
      const [ours, theirs] = [one.sharing()!, other.sharing()!];
      for (const scope of [A, B])
        await one.commit(scope, { nodes: { entity: [entity(`of ${scope}`)], episode: [episode('e')] } });
      const of = (scope: typeof A) => one.state(scope);
      const [first, before] = [await of(A), await of(B)];
      for (let at = 0; at < 70; at += 1)
        await one.commit(A, at === 0 ? { relationships: [edge('MENTIONS', 'e', 'of a')] } : {}); // cuts the log
      expect(await of(B)).toEqual(before);
      expect((await ours.commitsSince(A, first))!.length).toBe(70);
      expect(await ours.commitsSince(B, { sequence: 0, token: 0 })).toMatchObject([
        { state: before, changes: { nodes: { entity: [{ id: 'of b' }] } } },
      ]);
      for (const kind of ['writer', 'worker'] as const) {
        expect([await ours.takeLease(A, kind), await theirs.takeLease(A, kind)]).toEqual([true, false]);
        expect(await theirs.takeLease(B, kind)).toBe(true);
        await ours.endLease(A, kind);
        expect([await ours.takeLease(B, kind), await theirs.takeLease(A, kind)]).toEqual([false, true]);
      }
      await one.close();
      await other.close();
    });
  });

  describe('row-level security alone, for the owner of the tables', () => {
    let database: string;
    let tables: readonly CatalogueTable[];

    beforeAll(async () => {
      database = await server.createDatabase(undefined, owner);
      const url = server.url(database, owner);
      await using engine = await Mnemis.open({ store: postgres({ url }) });
      await expectScopesApart(engine);
      await server.asSuperuser(async (client) => {
        tables = await catalogueTables(client, 'mnemis');
        for (const { name, hasScope } of tables)
          for (const scope of hasScope ? [A, B] : []) await fillTable(client, name, scope);
        await client.query(
          `UPDATE mnemis.scope SET worker = 'me', worker_until = 1, writer = 'me', writer_until = 1`,
        );
      }, database);
    });

    const scoped = () => tables.filter(({ hasScope }) => hasScope).map(({ name }) => name);

    /** Runs statements of a transaction with settings, as the owner; the transaction is rolled back. */
    async function asOwner<T>(settings: string, job: (client: pg.Client) => Promise<T>): Promise<T> {
      const client = new pg.Client(server.url(database, owner));
      await client.connect();
      try {
        await client.query(`BEGIN; ${settings}`);
        return await job(client);
      } finally {
        await client.end();
      }
    }

    /** The rows of all scopes but one, with the transaction that wrote each. */
    const rowsBeside = (scope: string, table: string) =>
      server.asSuperuser(async (client) => {
        const sql = `SELECT each::text AS text, xmin, ctid FROM ${table} AS each WHERE scope <> $1 ORDER BY 1`;
        return (await client.query(sql, [scope])).rows;
      }, database);

    it('stands around every table of the schema', () => {
      expect(scoped().length).toBeGreaterThan(14);
      expect(
        tables.flatMap(({ name, gaps, hasScope }) => (hasScope ? gaps.map((gap) => `${name}: ${gap}`) : [])),
      ).toEqual([]);
      expect(tables.filter(({ hasScope }) => !hasScope).map(({ name }) => name)).toEqual(WITHOUT_SCOPE);
    });

    it('and would be missed around a new table, with or without a column of the scope, and a view', async () => {
      await server.asSuperuser(async (client) => {
        await client.query(
          'BEGIN; CREATE TABLE mnemis.new_scoped (scope text); CREATE TABLE mnemis.new_other (id text); CREATE VIEW mnemis.new_view AS SELECT * FROM mnemis.episode; ALTER TABLE mnemis.fact NO FORCE ROW LEVEL SECURITY; CREATE POLICY more ON mnemis.entity USING (true)',
        );
        const found = await catalogueTables(client, 'mnemis');
        const gapsOf = (table: string) => found.find(({ name }) => name === `mnemis.${table}`)?.gaps.length;
        expect(['new_scoped', 'new_other', 'new_view', 'fact', 'entity', 'episode'].map(gapsOf)).toEqual([
          3, 3, 4, 1, 1, 0,
        ]);
      }, database);
    });

    it('shows one scope to a statement without any condition', async () => {
      await asOwner(`SET LOCAL mnemis.scope = '${A}'`, async (client) => {
        for (const table of scoped()) {
          const { rows } = await client.query(`SELECT DISTINCT scope FROM ${table}`);
          expect([table, rows]).toEqual([table, [{ scope: A }]]);
        }
      });
    });

    it('lets a statement without any condition change one scope', async () => {
      for (const table of scoped()) {
        const before = await rowsBeside(A, table);
        expect(before.length).toBeGreaterThan(0);
        await asOwner(`SET LOCAL mnemis.scope = '${A}'`, async (client) => {
          const { rows } = await client.query(`SELECT count(*)::int AS count FROM ${table}`);
          const counts = [rows[0].count];
          for (const sql of [`UPDATE ${table} SET scope = scope`, `DELETE FROM ${table}`])
            counts.push((await client.query(sql)).rowCount);
          expect([table, counts]).toEqual([table, Array(3).fill(rows[0].count)]);
          await client.query('COMMIT');
        });
        expect([table, await rowsBeside(A, table)]).toEqual([table, before]);
        await server.asSuperuser((client) => fillTable(client, table, A), database);
      }
    });

    it('lets a transaction take no lease of another scope, and end none', async () => {
      const before = await rowsBeside(A, 'mnemis.scope');
      await asOwner(`SET LOCAL mnemis.scope = '${A}'`, async (client) => {
        const sql = `UPDATE mnemis.scope SET writer = 'thief', writer_until = 9, worker = NULL, worker_until = NULL`;
        expect((await client.query(sql)).rowCount).toBe(1);
        await client.query('COMMIT');
      });
      expect(await rowsBeside(A, 'mnemis.scope')).toEqual(before);
    });

    it.each([
      ['with another scope', `SET LOCAL mnemis.scope = '${A}'`],
      ['with no scope', ''],
      ['for all scopes', "SET LOCAL mnemis.all_scopes = 'on'"],
    ])('refuses rows of a scope to a transaction %s', async (_, settings) => {
      for (const table of scoped())
        await asOwner(settings, async (client) => {
          await client.query(`DELETE FROM ${table}`); // no key is taken
          await expect(fillTable(client, table, B)).rejects.toMatchObject(REFUSED);
        });
    });

    it('refuses to move a row to another scope', async () => {
      for (const table of scoped())
        await asOwner(`SET LOCAL mnemis.scope = '${A}'`, async (client) => {
          const moved = client.query(`UPDATE ${table} SET scope = 'elsewhere'`);
          await expect(moved, table).rejects.toMatchObject(REFUSED);
        });
    });

    it.each([
      ['no setting', ''],
      ['a setting that was reset, as after a transaction', "SET LOCAL mnemis.scope = ''"],
    ])('shows nothing with %s, and changes nothing', async (_, settings) => {
      await asOwner(settings, async (client) => {
        for (const table of scoped())
          for (const sql of [
            `SELECT FROM ${table}`,
            `UPDATE ${table} SET scope = scope`,
            `DELETE FROM ${table}`,
          ])
            expect([sql, (await client.query(sql)).rowCount]).toEqual([sql, 0]);
      });
    });

    it('shows all scopes to a transaction about the whole database, which changes none', async () => {
      await asOwner("SET LOCAL mnemis.all_scopes = 'on'", async (client) => {
        for (const table of scoped()) {
          const { rows } = await client.query(
            `SELECT scope FROM ${table} WHERE scope IN ('a', 'b') GROUP BY 1 ORDER BY 1`,
          );
          expect([table, rows]).toEqual([table, [{ scope: A }, { scope: B }]]);
          for (const sql of [`UPDATE ${table} SET scope = scope`, `DELETE FROM ${table}`])
            expect([sql, (await client.query(sql)).rowCount]).toEqual([sql, 0]);
        }
      });
    });
  });
});
