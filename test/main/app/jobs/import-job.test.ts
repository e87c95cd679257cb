import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { AppLab, chatLines } from './app-lab.ts';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/importers');

describe('an import job', () => {
  let lab: AppLab;
  afterEach(() => lab[Symbol.asyncDispose]());

  it('previews an upload, imports it, and deletes the file', async () => {
    lab = await AppLab.open();
    const { client } = lab;
    await lab.upload('u1', 'conversations.json', await readFile(join(FIXTURES, 'chatgpt.json')));
    const preview = await client.previewUpload({ upload: 'u1', scope: 'ana' });
    expect(preview).toMatchObject({ format: 'chatgpt', name: 'conversations.json', known: 0 });
    expect(preview.turns).toBeGreaterThan(2);
    expect(preview.cost.local.seconds).toBeGreaterThan(0);
    expect(preview.cost.llm).toBeNull();
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
    await expect(readFile(join(lab.uploads, 'u1'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
void chatLines;
