import { describe, expect, it } from 'vitest';
import { localClient } from '../../../main/client/local-client.ts';
import type { MemoryClient } from '../../../main/contract.ts';
import { QuietReader } from '../../../main/server/quiet-reader.ts';
import { openEngine } from './server-fixture.ts';

const NEVER = { quietMilliseconds: 1e9, latestMilliseconds: 1e9 };
const silent = { warn: () => undefined };
const turn = (content: string) => ({ content, at: '2024-01-05', speaker: 'Ana' });

describe('QuietReader', () => {
  it('reads what was added once nobody adds any more', async () => {
    await using engine = await openEngine();
    const client = localClient(engine);
    const reader = new QuietReader(client, { ...NEVER, quietMilliseconds: 5, logger: silent });
    const changes = client.changes({ scope: 'ana', since: 0 });
    await reader.client.add({ scope: 'ana', turns: [turn('I moved to Lisbon.')] });
    for await (const { type } of changes) if (type === 'learned') break;
    await reader.close({ last: false });
    expect((await client.stats({ scope: 'ana' })).enrichment.pending).toBe(0);
  });

  it('does not wait for ever for those who go on adding', async () => {
    await using engine = await openEngine();
    const client = localClient(engine);
    const reader = new QuietReader(client, { ...NEVER, latestMilliseconds: 5, logger: silent });
    const changes = client.changes({ scope: 'ana', since: 0 });
    await reader.client.add({ scope: 'ana', turns: [turn('I moved to Lisbon.')] });
    for await (const { type } of changes) if (type === 'learned') break;
    await reader.close({ last: false });
  });

  it('reads what waits when it is closed, if it is told to', async () => {
    await using engine = await openEngine();
    const client = localClient(engine);
    const pending = async () => (await client.stats({ scope: 'ana' })).enrichment.pending;
    const left = new QuietReader(client, { ...NEVER, logger: silent });
    await left.client.add({ scope: 'ana', turns: [turn('I moved to Lisbon.')] });
    await left.close({ last: false });
    expect(await pending()).toBe(1);
    const read = new QuietReader(client, { ...NEVER, logger: silent });
    await read.client.add({ scope: 'ana', turns: [turn('My cat is called Miso.')] });
    await read.close({ last: true });
    expect(await pending()).toBe(0);
  });

  it('says so when it cannot, in words that quote nothing', async () => {
    await using engine = await openEngine();
    const warnings: string[] = [];
    const flush: MemoryClient['flush'] = async () => {
      throw new Error('Lisbon');
    };
    const reader = new QuietReader(
      { ...localClient(engine), flush },
      { ...NEVER, logger: { warn: (message) => warnings.push(message) } },
    );
    await reader.client.add({ scope: 'ana', turns: [turn('I moved to Lisbon.')] });
    await reader.close({ last: true });
    expect(warnings).toEqual(['What was added could not be read for facts (internal); it waits.']);
  });
});
