import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Job } from '../../../../main/contract.ts';
import { AppLab, chatLines } from './app-lab.ts';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/importers');

describe('an import job', () => {
  let lab: AppLab;
  afterEach(() => lab[Symbol.asyncDispose]());

  it('previews an upload, imports it, and deletes the file', async () => {
    lab = await AppLab.open({ isInMemory: true });
    const { client } = lab;
    await lab.upload('u1', 'conversations.json', await readFile(join(FIXTURES, 'chatgpt.json')));
    const preview = await client.previewUpload({ upload: 'u1', scope: 'ana' });
    expect(preview).toMatchObject({ format: 'chatgpt', name: 'conversations.json', known: 0 });
    expect(preview.turns).toBeGreaterThan(2);
    expect(preview.cost.local.seconds).toBeGreaterThan(0);
    expect(preview.cost.llm).toBeNull();
    expect(await client.scopes({})).toEqual([]);
    const started = await client.startImport({ job: 'j1', upload: 'u1', scope: 'ana' });
    expect(started).toMatchObject({
      kind: 'import',
      name: 'conversations.json',
      scope: 'ana',
      endedAt: null,
    });
    const ended = await lab.until('j1');
    expect(ended).toMatchObject({ state: 'done', share: 1, problem: null });
    expect(ended.counts).toMatchObject({ added: preview.turns, known: 0, pending: 0 });
    expect((await client.stats({ scope: 'ana' })).episode).toBe(preview.turns);
    expect(await client.jobs({})).toEqual({ items: [ended] });
    await expect(client.previewUpload({ upload: 'u1', scope: 'ana' })).rejects.toMatchObject({
      code: 'upload-missing',
    });
    expect(await client.controlJob({ job: 'j1', action: 'dismiss' })).toEqual(ended);
    expect(await client.jobs({})).toEqual({ items: [] });
  });

  it('takes names of chats and documents from the file’s own name, so that a second upload adds nothing', async () => {
    lab = await AppLab.open({ isInMemory: true });
    const chat = '12/01/2024, 10:00 - Ana: Hello\n13/01/2024, 10:00 - Ben: Good morning\n';
    for (const [upload, name, content] of [
      ['w1', 'WhatsApp Chat with Ben.txt', chat],
      ['w2', 'WhatsApp Chat with Ben.txt', chat],
      ['m1', 'garden.md', '# Garden\n\nThe plum tree blooms.'],
      ['m2', 'garden.md', '# Garden\n\nThe plum tree blooms.'],
    ] as const) {
      await lab.upload(upload, name, content);
      await lab.client.startImport({ job: upload, upload, scope: 'ana' });
      const { counts } = await lab.until(upload);
      expect(counts).toMatchObject(
        upload.endsWith('1')
          ? { added: upload === 'w1' ? 2 : 1, known: 0 }
          : { added: 0, known: upload === 'w2' ? 2 : 1 },
      );
    }
  });

  it('adds the statements that a file has besides turns', async () => {
    lab = await AppLab.open({ isInMemory: true });
    await lab.upload('g', 'graph.json', await readFile(join(FIXTURES, 'graphiti.json')));
    await lab.client.startImport({ job: 'g', upload: 'g', scope: 'ana', enrich: false });
    const { counts, state } = await lab.until('g');
    expect(state).toBe('done');
    expect(counts.facts).toBeGreaterThan(0);
    expect((await lab.client.stats({ scope: 'ana' })).fact).toBe(counts.facts);
  });

  it('cancels and says what it kept', async () => {
    lab = await AppLab.open({ isInMemory: true });
    await lab.upload('u', 'chat.jsonl', chatLines(1_500));
    await lab.client.startImport({ job: 'j', upload: 'u', scope: 'ana' });
    await lab.until('j', ({ counts }) => (counts.added ?? 0) > 0);
    const cancelled = await lab.client.controlJob({ job: 'j', action: 'cancel' });
    const { added } = cancelled.counts;
    expect(cancelled).toMatchObject({ state: 'cancelled', endedAt: expect.any(Number) });
    expect(cancelled.problem).toContain(`${added} turns were stored and are kept`);
    expect((await lab.client.stats({ scope: 'ana' })).episode).toBe(added);
    await expect(lab.client.previewUpload({ upload: 'u', scope: 'ana' })).rejects.toMatchObject({
      code: 'upload-missing',
    });
    for (const action of ['resume', 'pause'] as const)
      await expect(lab.client.controlJob({ job: 'j', action })).rejects.toMatchObject({
        code: 'invalid-input',
      });
  });

  it('imports into one scope one after another, and into others beside', async () => {
    lab = await AppLab.open({ isInMemory: true });
    const jobs = { a: 'one', b: 'one', c: 'two' };
    for (const id of Object.keys(jobs)) await lab.upload(id, `${id}.jsonl`, chatLines(300));
    for (const [id, scope] of Object.entries(jobs))
      await lab.client.startImport({ job: id, upload: id, scope, enrich: false });
    const { items } = await lab.client.jobs({});
    expect(items.map(({ id, state, waitsFor }) => [id, state, waitsFor])).toEqual([
      ['c', 'running', null],
      ['b', 'waiting', 'a'],
      ['a', 'running', null],
    ]);
    const ended = await lab.until('b');
    expect(ended).toMatchObject({ state: 'done', waitsFor: null, counts: { added: 0, known: 300 } });
    expect((await lab.until('a')).endedAt).toBeLessThanOrEqual(ended.endedAt!);
    expect(await lab.until('c')).toMatchObject({ state: 'done', counts: { added: 300 } });
  });

  it('lets a waiting job begin when the one before it is paused', async () => {
    lab = await AppLab.open({ isInMemory: true });
    // The first must not end before it is paused.
    for (const id of ['a', 'b']) {
      await lab.upload(id, `${id}.jsonl`, chatLines(id === 'a' ? 6_000 : 300));
      await lab.client.startImport({ job: id, upload: id, scope: 'one', enrich: false });
    }
    await lab.client.controlJob({ job: 'a', action: 'pause' });
    expect(await lab.until('b')).toMatchObject({ state: 'done' });
    expect(await lab.client.controlJob({ job: 'a', action: 'cancel' })).toMatchObject({ state: 'cancelled' });
  });

  it.each([
    ['an unknown format', 'notes.xyz', 'one\ntwo', undefined, /its format was not recognized/],
    ['damaged JSON', 'conversations.json', '[{"mapping":', 'chatgpt', /could not be read/],
    ['an empty file', 'chat.jsonl', '', undefined, /is empty/],
  ])('fails with %s, by its own name', async (_, name, content, format, reason) => {
    lab = await AppLab.open({ isInMemory: true });
    await lab.upload('u', name, content);
    await lab.client.startImport({
      ...{ job: 'j', upload: 'u', scope: 'ana' },
      ...(format === undefined ? {} : { settings: { format } }),
    });
    const { state, problem } = await lab.until('j');
    expect(state).toBe('failed');
    expect(problem).toMatch(reason);
    expect(problem).toContain(`${name} could not be read`);
    expect(problem).not.toContain('mnemis-app-');
    await expect(lab.client.controlJob({ job: 'j', action: 'resume' })).rejects.toMatchObject({
      code: 'invalid-input',
    });
  });

  it('refuses what cannot begin', async () => {
    lab = await AppLab.open({ isInMemory: true });
    const { client } = lab;
    const start = (input: Partial<Parameters<typeof client.startImport>[0]>) =>
      client.startImport({ job: 'j', upload: 'u', scope: 'ana', enrich: false, ...input });
    await expect(start({})).rejects.toMatchObject({ code: 'upload-missing' });
    await client.beginUpload({ upload: 'u', name: 'chat.jsonl', bytes: 10 });
    await expect(start({})).rejects.toThrow('0 of 10 bytes');
    await lab.upload('w', 'chat.jsonl', chatLines(100));
    await expect(start({ upload: 'w', settings: { format: 'fax' } })).rejects.toMatchObject({
      code: 'unknown-name',
    });
    await expect(start({ upload: 'w', settings: { timeZone: 'Moon/Base' } })).rejects.toMatchObject({
      code: 'invalid-input',
    });
    await expect(start({ upload: 'w', scope: ' padded ' })).rejects.toMatchObject({ code: 'invalid-input' });
    const started = await start({ upload: 'w' });
    expect((await start({ upload: 'w' })).id).toBe(started.id);
    await expect(start({ upload: 'w', enrich: true })).rejects.toThrow('started for something else');
    await expect(start({ upload: 'w', job: 'k' })).rejects.toThrow('Another job imports this upload');
    await expect(client.deleteUpload({ upload: 'w' })).rejects.toThrow('A job reads this upload');
    await expect(client.controlJob({ job: 'j', action: 'dismiss' })).rejects.toThrow('cancel it first');
    await expect(client.controlJob({ job: 'none', action: 'pause' })).rejects.toMatchObject({
      code: 'unknown-name',
    });
    await expect(lab.until('none')).rejects.toMatchObject({ code: 'unknown-name' });
    expect((await lab.until('j')).state).toBe('done');
  });

  it('tells every window, and stops following when asked to', async () => {
    lab = await AppLab.open({ isInMemory: true });
    await lab.upload('u', 'chat.jsonl', chatLines(1_500));
    const stop = new AbortController();
    const told: string[] = [];
    const following = (async () => {
      for await (const event of lab.client.appEvents({}, { signal: stop.signal }))
        if (event.type === 'job') told.push(event.job);
    })().catch(() => undefined);
    await lab.client.startImport({ job: 'j', upload: 'u', scope: 'ana', enrich: false });
    const steps: Job[] = [];
    const leave = new AbortController();
    const left = (async () => {
      for await (const job of lab.client.followJob({ job: 'j' }, { signal: leave.signal })) {
        steps.push(job);
        if (steps.length === 2) leave.abort();
      }
    })();
    await expect(left).rejects.toMatchObject({ code: 'cancelled' });
    expect(await lab.until('j')).toMatchObject({ state: 'done' });
    stop.abort();
    await following;
    expect(new Set(told)).toEqual(new Set(['j']));
  });
});
