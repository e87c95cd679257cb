import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { receiveExport } from '../../../main/cli/commands/export.ts';
import type { ExportEvent } from '../../../main/contract.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';

async function* eventsOf(events: readonly ExportEvent[]): AsyncGenerator<ExportEvent> {
  yield* events;
}

it('replaces the old file only when the new one is complete', async () => {
  const folder = freshFolder();
  const file = join(folder, 'a.jsonl');
  writeFileSync(file, 'old');
  const text: ExportEvent = { type: 'text', text: 'new' };
  const { signal } = new AbortController();
  await expect(receiveExport(eventsOf([text]), file, signal)).rejects.toMatchObject({
    code: 'engine-unreachable',
  });
  expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['old', ['a.jsonl']]);
  const done: ExportEvent = { type: 'done', nodes: 2, relationships: 1 };
  expect(await receiveExport(eventsOf([text, done]), file, signal)).toEqual({
    file,
    nodes: 2,
    relationships: 1,
  });
  expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['new', ['a.jsonl']]);
});
