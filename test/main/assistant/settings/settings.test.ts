import { describe, expect, it } from 'vitest';
import { settingsHandlers } from '../../../../main/assistant/settings/settings-handlers.ts';
import type { OutputOf } from '../../../../main/contract.ts';
import { AppPartLab } from '../app-part-lab.ts';

describe('preferences', () => {
  it('changes only what is named, and tells every window', async () => {
    await using lab = await AppPartLab.open();
    const { saveSettings, settings } = settingsHandlers(lab.context);
    expect((await settings({}, {})).preferences).toEqual({
      ...{ theme: 'system', name: '', confirm: false, developer: false, isPrivate: false, send: 'enter' },
      ...{ shortcuts: {}, reminds: true, isWelcomed: false, prices: {} },
      backups: { every: 'off', folder: '', keep: 5 },
    });
    const stop = new AbortController();
    const events = lab.context.events.follow(stop.signal);
    const next = events.next();
    await saveSettings({ preferences: { name: 'Ana', confirm: true, shortcuts: { search: 'Ctrl+K' } } }, {});
    await saveSettings({ preferences: { theme: 'dark' } }, {});
    expect((await settings({}, {})).preferences).toMatchObject({
      ...{ theme: 'dark', name: 'Ana', confirm: true, shortcuts: { search: 'Ctrl+K' } },
    });
    expect(await next).toEqual({ done: false, value: { type: 'settings' } });
    stop.abort();
  });

  it.each([
    ['{"theme":"neon","name":"Ana","of another version":1}', { theme: 'system', name: 'Ana' }],
    ['[]', { theme: 'system', name: '' }],
    ['{"name":', { theme: 'system', name: '' }],
  ])('reads an old or damaged row as far as it goes: %s', async (row, expected) => {
    await using lab = await AppPartLab.open();
    lab.context.store.file.run('INSERT INTO preferences VALUES (?)', [row]);
    const { settings } = settingsHandlers(lab.context);
    expect((await settings({}, {})).preferences).toMatchObject(expected);
  });
});

describe('settings', () => {
  it('says where files are, how large they are, and that nothing is sent', async () => {
    await using lab = await AppPartLab.open();
    const { folders, bytes, sends } = await settingsHandlers(lab.context).settings({}, {});
    expect(folders).toEqual({
      memory: `${lab.data}/memory.db`,
      models: `${lab.data}/models`,
      data: lab.data,
    });
    expect(bytes).toBeGreaterThan(10_000); // the app's file
    expect(sends).toEqual([]);
  });

  it.each([
    [{ llmProvider: 'ollama' }, { to: '127.0.0.1:11434', isThisMachine: true }],
    [{ llmProvider: 'openai' }, { to: 'api.openai.com', isThisMachine: false }],
    [
      { llmProvider: 'openai-compatible', llmBaseUrl: 'http://localhost:1234/v1' },
      { to: 'localhost:1234', isThisMachine: true },
    ],
    [
      { llmProvider: 'openai-compatible', llmBaseUrl: 'http://127.evil.example/v1' },
      { to: '127.evil.example', isThisMachine: false },
    ],
    [
      { llmProvider: 'openai-compatible', llmBaseUrl: 'http://192.168.1.5:8080/v1' },
      { to: '192.168.1.5:8080', isThisMachine: false },
    ],
  ])('says where text goes: %o', async (flags, expected) => {
    await using lab = await AppPartLab.open({ flags: { ...flags, llmModel: 'm' } });
    const { sends } = await settingsHandlers(lab.context).settings({}, {});
    expect(sends).toEqual([{ ...expected, what: expect.not.stringContaining('read for facts') }]);
    const llm = { ...lab.context, config: { ...lab.config, tier: 'llm' as const } };
    expect((await settingsHandlers(llm).settings({}, {})).sends[0]!.what).toContain('read for facts');
  });
});

describe('fields of the forms', () => {
  it('describes settings, preferences and their parts by their schemas', async () => {
    await using lab = await AppPartLab.open();
    const { fields, settings, preferences } = await settingsHandlers(lab.context).settings({}, {});
    expect(Object.keys(fields)).toEqual(expect.arrayContaining(Object.keys({ ...settings, ...preferences })));
    expect(fields).toMatchObject({
      k: { type: 'integer' },
      offline: { type: 'boolean' },
      device: { type: 'string', enum: expect.arrayContaining(['auto', 'cpu']) },
      name: { type: 'string', maxLength: 100 },
      'backups.every': { type: 'string', enum: ['off', 'daily', 'weekly'] },
    });
  });
});

describe('usage', () => {
  it('lists the last days with their costs, the newest first', async () => {
    const clock = () => Date.parse('2026-11-20T10:00:00Z');
    await using lab = await AppPartLab.open({ clock });
    for (const row of [
      ['2026-11-20', 'gpt', 'chat', 2, 1_000_000, 10_000],
      ['2026-11-20', 'local', 'reading', 1, 500, 50],
      ['2026-11-19', 'gpt', 'reading', 3, 500_000, 0],
      ['2026-11-01', 'gpt', 'chat', 9, 9, 9],
    ])
      lab.context.store.file.run('INSERT INTO usage_day VALUES (?, ?, ?, ?, ?, ?)', row);
    const { usage, saveSettings } = settingsHandlers(lab.context);
    await saveSettings({ preferences: { prices: { gpt: { prompt: 2, completion: 10 } } } }, {});
    const { rows } = await usage({ days: 2 }, {});
    expect(rows).toEqual([
      { day: '2026-11-20', model: 'gpt', purpose: 'chat', ...tokens(2, 1_000_000, 10_000), cost: 2.1 },
      { day: '2026-11-20', model: 'local', purpose: 'reading', ...tokens(1, 500, 50), cost: null },
      { day: '2026-11-19', model: 'gpt', purpose: 'reading', ...tokens(3, 500_000, 0), cost: 1 },
    ]);
    expect((await usage({}, {})).rows).toHaveLength(4);
  });

  const tokens = (calls: number, promptTokens: number, completionTokens: number) => ({
    ...{ calls, promptTokens, completionTokens },
  });
});

describe('appEvents', () => {
  it('begins with the engine and loses nothing that happens meanwhile', async () => {
    await using lab = await AppPartLab.open({ clock: () => 42 });
    const { appEvents } = settingsHandlers(lab.context);
    const stop = new AbortController();
    const events = appEvents({}, { signal: stop.signal });
    expect((await events.next()).value).toEqual({ type: 'engine', started: 42, pid: process.pid });
    lab.context.events.emit({ type: 'folders' });
    lab.context.events.emit({ type: 'job', job: 'j1' });
    const seen: OutputOf<'appEvents'>[] = [(await events.next()).value!, (await events.next()).value!];
    expect(seen).toEqual([{ type: 'folders' }, { type: 'job', job: 'j1' }]);
    const waiting = events.next();
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('can be left at once', async () => {
    await using lab = await AppPartLab.open();
    const events = settingsHandlers(lab.context).appEvents({}, {});
    await events.next();
    expect(await events.return(undefined)).toEqual({ done: true, value: undefined });
  });
});
