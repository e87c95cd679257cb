import { describe, expect, it } from 'vitest';
import { importInParts } from '../../../main/client/import-in-parts.ts';
import type { ImportEvent } from '../../../main/contract.ts';
import type { ImportRecord } from '../../../src/importers/importer.ts';
import { ServerLab } from '../http/server-fixture.ts';

const scope = 'ana';

/** Turns of one line each; some lines hold none, and some turns have no time. */
async function* lines(count: number): AsyncGenerator<ImportRecord> {
  for (let line = 1; line <= count; line++) {
    const where = `line ${line}`;
    const session = `s${Math.floor(line / 250)}`;
    const turn = { content: `Note ${line}.`, session, index: line, at: line % 700 === 0 ? '' : 0 };
    yield line % 900 === 0
      ? { kind: 'rejected', where, reason: 'not JSON' }
      : { kind: 'turn', turn, where, line };
  }
}

describe('importInParts', () => {
  it('sends a long stream in several requests, and reports it as one import', async () => {
    await using lab = await ServerLab.open();
    const events: ImportEvent[] = [];
    for await (const event of importInParts(lab.client, lines(2_500), { scope, enrich: false }))
      events.push(event);
    expect(events.flatMap((event) => (event.type === 'rejected' ? event.where : [])).sort()).toEqual([
      'line 1400',
      'line 1800',
      'line 2100',
      'line 700',
      'line 900',
    ]);
    const stored = events.flatMap((event) => (event.type === 'progress' ? event.counts.added : []));
    expect(stored).toEqual([1_247, 2_494, 2_495]);
    expect(events.at(-1)).toMatchObject({
      ...{ type: 'done', hierarchy: null },
      counts: { read: 2_500, added: 2_495, rejected: 5, known: 0, pending: 2_495, consolidated: 0 },
    });
    expect((await lab.client.stats({ scope })).episode).toBe(2_495);
  });

  it('keeps what was stored when it is cancelled, and continues', async () => {
    await using lab = await ServerLab.open();
    const stop = new AbortController();
    const run = importInParts(lab.client, lines(1_500), { scope, enrich: true, signal: stop.signal });
    let stored = 0;
    await expect(async () => {
      for await (const event of run)
        if (event.type === 'progress') {
          stored = event.counts.added;
          stop.abort();
        }
    }).rejects.toMatchObject({ code: 'cancelled' });
    expect(stored).toBe(1_247); // to the end of a session
    let last: ImportEvent | undefined;
    for await (const event of importInParts(lab.client, lines(1_300), { scope, enrich: false })) last = event;
    expect(last).toMatchObject({ counts: { known: 1_247, added: 51, pending: 1_298 } });
  });

  it('consolidates what it stored', async () => {
    await using lab = await ServerLab.open();
    const events: ImportEvent[] = [];
    for await (const event of importInParts(lab.client, lines(3), { scope, enrich: true }))
      events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'done', counts: { added: 3, consolidated: 3, pending: 0 } });
    expect(events).toContainEqual(expect.objectContaining({ type: 'progress', phase: 'enriching' }));
  });
});
