import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Mnemis, postgres } from '../../../src/index.ts';
import { openPostgresStore } from '../../../src/store/sql/postgres/postgres-store.ts';
import { graphStoreContract } from '../../contract/graph-store.ts';
import { upToIds } from '../../engine/ingestion/graph-up-to-ids.ts';
import { answersTo, CONVERSATION, contents, graphOf, QUERIES, turn } from '../../engine/memory-fixture.ts';
import { expectScopesApart } from '../../engine/scopes-apart.ts';
import { PgliteServer } from '../../fixtures/pglite-server.ts';

describe('SqlStore on PGlite', () => {
  let server: PgliteServer;

  beforeAll(async () => {
    server = await PgliteServer.start();
  });
  afterAll(() => server.stop());

  // All connections are one session, so more than one gains nothing. Whoever connects is the superuser, whom row-level
  // security does not hold: here the conditions of the statements are the only fence.
  const emptied = async () => {
    await server.reset();
    return openPostgresStore({ url: server.url, connections: 1 });
  };
  graphStoreContract('in one session', emptied, { idsArePerScope: true });

  describe('engines', () => {
    const opened: Mnemis[] = [];
    beforeEach(() => server.reset());
    const open = async () => {
      const store = postgres({ url: server.url, connections: 2, leaseMilliseconds: 1_000 });
      opened.push(await Mnemis.open({ store, automatic: false }));
      return opened.at(-1)!;
    };
    afterEach(async () => {
      for (const engine of opened.splice(0)) await engine.close();
    });

    it('store, find and forget, one scope apart from the other', async () => {
      const engine = await open();
      await expectScopesApart(engine);
      const memory = engine.scope('secret');
      await memory.add(turn('The safe opens with sesame.'));
      const [secret] = (await memory.search('sesame')).episodes;
      const report = await memory.forget({ episodes: [secret!.id] });
      expect(report.proof).toMatchObject({ clean: true });
      expect((await engine.verify()).findings).toEqual([]);
    });

    it('work side by side: commits are compared, leases wait for each other', async () => {
      const engines = [await open(), await open()];
      await Promise.all(
        CONVERSATION.map((each, at) => engines[at % 2]!.scope('s').add({ ...each, sourceId: String(at) })),
      );
      await Promise.all(engines.map((engine) => engine.scope('s').flush()));
      const graph = await graphOf(engines[0]!.scope('s'));
      expect(graph.nodes.episode.map(({ content }) => content).toSorted()).toEqual(
        CONVERSATION.map(({ content }) => content).toSorted(),
      );
      expect(graph.nodes.episode.every(({ status }) => status === 'extracted')).toBe(true);
      for (const engine of engines) await engine.scope('s').search('piano', { consistent: true });
      expect(await answersTo(engines[0]!.scope('s'), QUERIES)).toEqual(
        await answersTo(engines[1]!.scope('s'), QUERIES),
      );
      expect(upToIds(await graphOf(engines[1]!.scope('s')))).toEqual(upToIds(graph));
    });

    // A notice does not reach another connection of the one session.
    it('see what others added: at once if asked to, else within seconds, for they hear nothing', async () => {
      const [one, other] = [(await open()).scope('s'), (await open()).scope('s')];
      expect((await other.search('sourdough')).episodes).toEqual([]);
      await one.add(turn('The sourdough needs two more hours.'));
      expect(contents(await other.search('sourdough', { consistent: true }))).toHaveLength(1);
      await one.add(turn('The rye starter is called Otto.', { at: '2023-05-08T10:01:00Z' }));
      for (
        let tries = 0;
        !contents(await other.search('rye'))
          .join()
          .includes('Otto');
        tries += 1
      ) {
        expect(tries).toBeLessThan(80);
        await wait(100);
      }
    });
  });
});
