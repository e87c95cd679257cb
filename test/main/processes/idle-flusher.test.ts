import { describe, expect, it } from 'vitest';
import { localClient } from '../../../main/client/local-client.ts';
import type { MemoryClient, OutputOf } from '../../../main/contract.ts';
import { IdleFlusher } from '../../../main/processes/idle-flusher.ts';
import type { Mnemis } from '../../../src/engine.ts';
import { openEngine } from '../http/server-fixture.ts';

const NEVER = { quietMilliseconds: 1e9, latestMilliseconds: 1e9 };
const silent = { warn: () => undefined };
const turn = (content: string) => ({ content, at: '2024-01-05', speaker: 'Ana' });

describe('IdleFlusher', () => {
  it('consolidates new turns once nobody adds any more', async () => {
    await using engine = await openEngine();
    const client = localClient(engine);
    const reader = new IdleFlusher(client, { ...NEVER, quietMilliseconds: 5, logger: silent });
    const changes = client.changes({ scope: 'ana', since: 0 });
    await reader.client.add({ scope: 'ana', turns: [turn('I moved to Lisbon.')] });
    for await (const { type } of changes) if (type === 'learned') break;
    await reader.close({ last: false });
    expect((await client.stats({ scope: 'ana' })).enrichment.pending).toBe(0);
  });

  it('does not wait forever while turns keep coming', async () => {
    await using engine = await openEngine();
    await new Promise<void>((resolve) => {
      const client = noting(engine, () => resolve());
      const reader = new IdleFlusher(client, { ...NEVER, latestMilliseconds: 5, logger: silent });
      void reader.client.add({ scope: 'ana', turns: [turn('I moved to Lisbon.')] });
    });
  });

  it('consolidates when it is closed, if requested: each changed scope, once', async () => {
    await using engine = await openEngine();
    const read: string[] = [];
    const client = noting(engine, (scope) => read.push(scope));
    for (const last of [false, true]) {
      const reader = new IdleFlusher(client, { ...NEVER, logger: silent });
      for (const scope of ['ana', 'ben', 'ana'])
        await reader.client.add({ scope, turns: [turn(`${read.length} ${last}`)] });
      await reader.client.search({ scope: 'carl', query: 'Lisbon' });
      await reader.close({ last });
      expect(read).toEqual(last ? ['ana', 'ben'] : []);
    }
  });

  it('reports failures without quoting text', async () => {
    await using engine = await openEngine();
    const warnings: string[] = [];
    const flush: MemoryClient['flush'] = async () => {
      throw new Error('Lisbon');
    };
    const reader = new IdleFlusher(
      { ...localClient(engine), flush },
      { ...NEVER, logger: { warn: (message) => warnings.push(message) } },
    );
    await reader.client.add({ scope: 'ana', turns: [turn('I moved to Lisbon.')] });
    await reader.close({ last: true });
    expect(warnings).toEqual(['Added turns could not be read for facts (internal); they wait.']);
  });
});

/** A client that only notes which scopes were to be read. */
function noting(engine: Mnemis, note: (scope: string) => void): MemoryClient {
  const client = localClient(engine);
  const flush: MemoryClient['flush'] = async ({ scope }) => {
    note(scope);
    return { counts: {}, pending: 0 } as OutputOf<'flush'>;
  };
  return { ...client, flush };
}
