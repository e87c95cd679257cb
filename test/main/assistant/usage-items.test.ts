import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { usageItems } from '../../../main/assistant/settings/usage-items.ts';
import { AppStore, appFile } from '../../../main/assistant/store/app-store.ts';
import { UsageLog } from '../../../main/assistant/usage-log.ts';
import { SqliteFile } from '../../../src/langgraph/checkpoints/sqlite-file.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';
import { AppLab } from './app-lab.ts';
import { chatLines, AppLab as JobsLab } from './jobs/app-lab.ts';

const NOW = Date.UTC(2026, 0, 31);

describe('what each answer used', () => {
  it('is kept with its time, also without a model, and goes with its conversation', async () => {
    await using lab = await AppLab.open();
    const { answer } = await lab.chat('I moved to Lisbon in May.');
    const { items, more } = await lab.client.usageItems({ kind: 'question' });
    expect(more).toBe(false);
    expect(items).toEqual([
      expect.objectContaining({
        ...{ kind: 'question', id: answer.id, conversation: 'c1', name: 'I moved to Lisbon in May' },
        ...{ model: null, calls: 0, promptTokens: 0, completionTokens: 0, cost: 0, estimate: null },
      }),
    ]);
    expect(items[0]!.milliseconds).toBeGreaterThan(0);
    expect((await lab.client.why({ message: answer.id })).used).toMatchObject({ id: answer.id, cost: 0 });
    for await (const _ of lab.client.deleteConversation({ conversation: 'c1', memory: 'forget' }));
    expect((await lab.client.usageItems({ kind: 'question' })).items).toEqual([]);
  });
});

it('what each import used stands beside what its preview expected', async () => {
  await using lab = await JobsLab.open();
  await lab.upload('u', 'chat.jsonl', chatLines(20));
  const { cost } = await lab.client.previewUpload({ upload: 'u', scope: 'default' });
  await lab.client.startImport({ job: 'j', upload: 'u', scope: 'default' });
  await lab.until('j');
  const [item, ...others] = (await lab.client.usageItems({ kind: 'import' })).items;
  expect(others).toEqual([]);
  expect(item).toMatchObject({
    ...{ kind: 'import', id: 'j', name: 'chat.jsonl', model: null, calls: 0, cost: 0 },
    estimate: { calls: 0, tokens: 0, seconds: cost.local.seconds, dollars: 0 },
  });
  expect(item!.milliseconds).toBeGreaterThan(0);
  await lab.client.controlJob({ job: 'j', action: 'dismiss' });
  expect((await lab.client.usageItems({ kind: 'import' })).items).toMatchObject([{ id: 'j', name: null }]);
});

it('the list of uses is sorted by cost, tokens and time, and has pages', async () => {
  const store = await AppStore.open(':memory:');
  try {
    let at = NOW;
    const log = new UsageLog(store.file, () => at++);
    const use = (subject: string, model: string | null, tokens: number, milliseconds: number) =>
      log.add({
        ...{ kind: 'question', subject, model, milliseconds },
        usage: { calls: model === null ? 0 : 1, promptTokens: tokens, completionTokens: 0 },
      });
    use('cheap', 'small', 900, 50);
    use('dear', 'large', 500, 10);
    use('unpriced', 'other', 700, 20);
    use('local', null, 0, 90);
    use('dear', 'large', 1, 0); // adds up, and is the newest now
    const prices = { small: { prompt: 1, completion: 1 }, large: { prompt: 10, completion: 1 } };
    const listed = (asked: Omit<Parameters<typeof usageItems>[1], 'kind'>) =>
      usageItems(store, { kind: 'question', ...asked }, { prices, now: at });
    const ids = (asked: Omit<Parameters<typeof usageItems>[1], 'kind'>) =>
      listed(asked).items.map(({ id }) => id);
    expect(ids({})).toEqual(['dear', 'local', 'unpriced', 'cheap']);
    expect(ids({ sort: 'cost' })).toEqual(['dear', 'cheap', 'local', 'unpriced']);
    expect(ids({ sort: 'tokens' })).toEqual(['cheap', 'unpriced', 'dear', 'local']);
    expect(ids({ sort: 'time' })).toEqual(['local', 'cheap', 'unpriced', 'dear']);
    expect(listed({ limit: 3 })).toMatchObject({
      more: true,
      items: [{ cost: 0.00501, calls: 2 }, {}, { cost: null }],
    });
    expect(listed({ limit: 3, skip: 3 })).toMatchObject({ more: false, items: [{ id: 'cheap' }] });
    expect(
      usageItems(store, { kind: 'question', days: 1 }, { prices, now: NOW + 2 * 86_400_000 }).items,
    ).toEqual([]);
  } finally {
    await store.close();
  }
});

it('an app file of version 1 opens, keeps its rows, and tells what its answers used', async () => {
  const folder = freshFolder();
  try {
    const path = join(folder, 'memory');
    const made = await AppStore.open(path);
    made.conversations.create('c', { scope: 'default', folder: null, at: NOW });
    made.conversations.update('c', { title: 'Old' });
    await made.close();
    const file = await SqliteFile.open(appFile(path));
    file.run('DROP TRIGGER image_forgotten');
    file.run('DROP TABLE image');
    file.run('DROP TABLE usage_item');
    file.run('DROP TABLE forget_again');
    file.run('ALTER TABLE conversation DROP COLUMN session');
    file.run('UPDATE app_schema SET version = 1');
    const details = (usage: unknown) => JSON.stringify({ model: 'small', usage });
    const insert = (id: string, json: string) =>
      file.run(
        "INSERT INTO message (id, conversation, role, text, at, state, memory_key, details) VALUES (?, 'c', 'assistant', '', ?, 'complete', ?, ?)",
        [id, NOW, id, json],
      );
    insert('asked', details({ calls: 2, promptTokens: 30, completionTokens: 4 }));
    insert('quoted', details({ calls: 0, promptTokens: 0, completionTokens: 0 }));
    insert('none', details(null));
    insert('damaged', '{');
    await file.close();

    const store = await AppStore.open(path);
    expect(store.file.all('SELECT version FROM app_schema')).toEqual([{ version: 4 }]);
    expect(store.file.all('SELECT id FROM image')).toEqual([]);
    expect(usageItems(store, { kind: 'question' }, { prices: {}, now: NOW }).items).toEqual([
      {
        ...{ kind: 'question', id: 'asked', name: 'Old', conversation: 'c', at: NOW, model: 'small' },
        ...{
          calls: 2,
          promptTokens: 30,
          completionTokens: 4,
          milliseconds: null,
          cost: null,
          estimate: null,
        },
      },
    ]);
    expect(store.messages.of('c')).toHaveLength(4);
    await store.close();
    const again = await AppStore.open(path);
    expect(again.file.all('SELECT count(*) AS count FROM usage_item')).toEqual([{ count: 1 }]);
    await again.close();
  } finally {
  }
});
