import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { writeSettings } from '../../../../main/assistant/settings/settings-file.ts';
import { settingsHandlers } from '../../../../main/assistant/settings/settings-handlers.ts';
import { settingsMethods } from '../../../../main/contract/settings.ts';
import { modelKeyFrom } from '../../../../main/language-model.ts';
import { AppPartLab, Folders } from '../app-part-lab.ts';

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

it.each(['prices', 'shortcuts'] as const)('preferences have at most 200 %s', (name) => {
  const of = (count: number) => {
    const value = name === 'prices' ? { prompt: 1, completion: 1 } : 'a';
    const entries = Array.from({ length: count }, (_, index) => [`m${index}`, value]);
    return settingsMethods.saveSettings.input.safeParse({
      preferences: { [name]: Object.fromEntries(entries) },
    });
  };
  expect([of(200).success, of(201).success]).toEqual([true, false]);
});

describe('saveSettings', () => {
  it('writes the data folder’s file, for its owner only, and null restores a default', async () => {
    await using lab = await AppPartLab.open();
    const { saveSettings, settings } = settingsHandlers(lab.context);
    const { file } = await settings({}, {});
    expect(file).toBe(join(lab.data, 'mnemis.config.json'));
    expect(existsSync(file)).toBe(false);
    expect(await saveSettings({ settings: { k: 7, scope: 'work' } }, {})).toMatchObject({ restarts: false });
    expect(read(file)).toEqual({ k: 7, scope: 'work' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await saveSettings({ settings: { k: null } }, {});
    expect(read(file)).toEqual({ scope: 'work' });
    expect(readdirSync(lab.data)).not.toContain(expect.stringContaining('.part'));
    // The engine was opened before.
    expect((await settings({}, {})).settings.scope).toMatchObject({ value: 'default', source: 'default' });
  });

  it('writes the working folder’s own file if there is one, and keeps the rest of it', async () => {
    const folders = new Folders();
    const own = join(folders.folder, 'mnemis.config.json');
    writeFileSync(own, '{"k":4,"neverRemember":["secret plan"]}');
    await using lab = await AppPartLab.open({}, folders);
    const { saveSettings } = settingsHandlers(lab.context);
    const { settings } = await saveSettings({ settings: { recipe: 'system1-rag' } }, {});
    expect(settings.file).toBe(own);
    expect(read(own)).toEqual({ k: 4, neverRemember: ['secret plan'], recipe: 'system1-rag' });
    expect(settings.settings).toMatchObject({
      k: { value: 4, source: 'file' },
      neverRemember: { value: ['secret plan'], source: 'file', description: expect.any(String) },
      llmModel: { value: null, source: 'default' },
    });
  });

  it('restarts after its reply if a setting changed, and says so', async () => {
    let restarts = 0;
    await using lab = await AppPartLab.open({ restart: () => restarts++ });
    const { saveSettings } = settingsHandlers(lab.context);
    expect(await saveSettings({ settings: { k: 10 } }, {})).toMatchObject({ restarts: false });
    expect(await saveSettings({ preferences: { theme: 'dark' } }, {})).toMatchObject({ restarts: false });
    await setTimeout(5);
    expect(restarts).toBe(0);
    expect(await saveSettings({ settings: { k: 11 } }, {})).toMatchObject({ restarts: true });
    expect(restarts).toBe(0);
    await setTimeout(5);
    expect(restarts).toBe(1);
  });

  it('keeps both of two changes at once', async () => {
    await using lab = await AppPartLab.open();
    const { saveSettings } = settingsHandlers(lab.context);
    const file = join(lab.data, 'mnemis.config.json');
    await Promise.all([
      saveSettings({ settings: { k: 7 } }, {}),
      saveSettings({ settings: { scope: 'work' } }, {}),
      writeSettings(file, { llmConcurrency: 2 }),
    ]);
    expect(read(file)).toEqual({ k: 7, scope: 'work', llmConcurrency: 2 });
  });

  it.each([
    ['MNEMIS_K', { environment: { MNEMIS_K: '3' } }],
    ['flag --k', { flags: { k: 3 } }],
  ])('refuses a setting that %s decides', async (source, options) => {
    await using lab = await AppPartLab.open(options);
    const { saveSettings } = settingsHandlers(lab.context);
    await expect(saveSettings({ settings: { k: 5 } }, {})).rejects.toMatchObject({
      code: 'invalid-setting',
      message: expect.stringContaining(source),
    });
    expect(existsSync(join(lab.data, 'mnemis.config.json'))).toBe(false);
  });

  it('takes a setting with another value than the files give for one of a flag', async () => {
    await using lab = await AppPartLab.open();
    const { settings } = settingsHandlers({ ...lab.context, config: { ...lab.config, k: 33 } });
    expect((await settings({}, {})).settings.k).toMatchObject({ value: 33, source: 'flag' });
  });

  describe('on one lab', () => {
    let lab: AppPartLab;
    beforeAll(async () => {
      lab = await AppPartLab.open();
    });
    afterAll(() => lab[Symbol.asyncDispose]());

    it.each([
      ['an unknown setting', { colour: 'red' }, 'invalid-input', 'no such setting'],
      ['a value out of bounds', { k: 0 }, 'invalid-setting', 'k: it must be'],
      ['another memory', { path: '/elsewhere/memory.db' }, 'invalid-setting', 'cannot be changed here'],
      ['a provider without a model', { llmProvider: 'ollama' }, 'invalid-setting', 'llmModel is not set'],
      ['the llm tier without a model', { tier: 'llm' }, 'invalid-setting', 'No language model is set'],
      [
        'a compatible server without address',
        { llmProvider: 'openai-compatible', llmModel: 'm' },
        'invalid-setting',
        'llmBaseUrl is not set',
      ],
      [
        'OpenAI without a key',
        { llmProvider: 'openai', llmModel: 'gpt' },
        'invalid-setting',
        'no key is set',
      ],
      [
        'an address with a password',
        { llmBaseUrl: 'http://me:pass@host' },
        'invalid-setting',
        'without a user',
      ],
      ['an embedder that is not installed', { embedder: 'bge-m3' }, 'model-missing', 'bge-m3'],
      ['a reranker that is not installed', { reranker: 'bge-reranker-v2-m3' }, 'model-missing', 'reranker'],
      ['a dimension that it does not have', { embedderDimension: 100 }, 'invalid-setting', 'do not fit'],
      ['a recipe that is none', { recipe: 'system1-nothing' }, 'unknown-name', 'system1-nothing'],
    ])('refuses %s, and writes nothing', async (_, settings, code, says) => {
      const { saveSettings } = settingsHandlers(lab.context);
      await expect(saveSettings({ settings, preferences: { theme: 'dark' } }, {})).rejects.toMatchObject({
        code,
        message: expect.stringContaining(says),
      });
      expect(existsSync(join(lab.data, 'mnemis.config.json'))).toBe(false);
      expect((await settingsHandlers(lab.context).settings({}, {})).preferences.theme).toBe('system');
    });
  });

  it('refuses an embedder whose vectors the memory does not have, once it has some', async () => {
    await using lab = await AppPartLab.open();
    const { saveSettings } = settingsHandlers(lab.context);
    const settings = { embedder: 'hashing', embedderDimension: 128 };
    await saveSettings({ settings }, {});
    await lab.engine.scope('ana').add({ content: 'I moved to Lisbon.', at: '2024-03-05' });
    await expect(saveSettings({ settings }, {})).rejects.toMatchObject({
      code: 'invalid-setting',
      message: expect.stringContaining('Move the memory'),
    });
    await saveSettings({ settings: { embedder: 'hashing', embedderDimension: 64 } }, {});
  });

  it('sets a model and the tier together, and takes the model away again', async () => {
    await using lab = await AppPartLab.open();
    const { saveSettings } = settingsHandlers(lab.context);
    const settings = { llmProvider: 'ollama', llmModel: 'qwen3', tier: 'llm' };
    await saveSettings({ settings }, {});
    expect(read(join(lab.data, 'mnemis.config.json'))).toEqual(settings);
    await expect(saveSettings({ settings: { llmModel: null } }, {})).rejects.toMatchObject({
      code: 'invalid-setting',
    });
    await saveSettings({ settings: { llmProvider: null, llmModel: null, tier: null } }, {});
    expect(read(join(lab.data, 'mnemis.config.json'))).toEqual({});
  });

  it.each([
    ['no JSON', '{"k":'],
    ['of other settings', '{"k":4,"colour":"red"}'],
  ])('leaves a file that is %s as it is', async (_, content) => {
    await using lab = await AppPartLab.open();
    const { saveSettings } = settingsHandlers(lab.context);
    mkdirSync(lab.data, { recursive: true });
    const file = join(lab.data, 'mnemis.config.json');
    writeFileSync(file, content);
    await expect(saveSettings({ settings: { k: 5 } }, {})).rejects.toMatchObject({ code: 'invalid-setting' });
    expect(readFileSync(file, 'utf8')).toBe(content);
  });

  it('says that the file cannot be written, and leaves no part of it', async () => {
    await using lab = await AppPartLab.open();
    const { saveSettings } = settingsHandlers(lab.context);
    mkdirSync(join(lab.data, 'mnemis.config.json'), { recursive: true }); // a folder in its place
    await expect(saveSettings({ settings: { k: 5 } }, {})).rejects.toMatchObject({ code: 'invalid-setting' });
    await expect(writeSettings('/proc/none/mnemis.config.json', { k: 5 })).rejects.toMatchObject({
      code: 'settings-not-written',
      message: expect.stringContaining('unchanged'),
    });
    expect(readdirSync(lab.data)).toContain('mnemis.config.json');
    expect(readdirSync(lab.data).filter((name) => name.endsWith('.part'))).toEqual([]);
    chmodSync(join(lab.data, 'mnemis.config.json'), 0o700);
  });

  it('shows nothing of a key in the environment', async () => {
    await using lab = await AppPartLab.open({ environment: { MNEMIS_LLM_API_KEY: 'sk-very-secret' } });
    const { settings } = settingsHandlers(lab.context);
    const shown = await settings({}, {});
    expect(shown.key).toMatchObject({ variable: 'MNEMIS_LLM_API_KEY', isInEnvironment: true, stored: {} });
    expect(JSON.stringify(shown)).not.toContain('sk-');
  });
});

describe('saveKey', () => {
  const OPENAI = 'https://api.openai.com';
  const address = `${OPENAI}/v1`;

  it('keeps keys by their servers, in a file of this user alone, and shows their ends', async () => {
    await using lab = await AppPartLab.open();
    const { saveKey, settings } = settingsHandlers(lab.context);
    expect(await saveKey({ address, key: 'sk-very-secret-1234' }, {})).toEqual({
      isSet: true,
      restarts: false,
    });
    await saveKey({ address: 'http://localhost:1234/v1', key: 'short' }, {});
    const { key } = await settings({}, {});
    expect(key).toMatchObject({
      storage: 'file',
      file: join(lab.data, 'model-keys.json'),
      stored: { [OPENAI]: '1234', 'http://localhost:1234': '' },
    });
    if (process.platform !== 'win32') expect(statSync(key.file).mode & 0o777).toBe(0o600);
    const { environment } = lab.context;
    const config = { ...lab.config, llmProvider: 'openai', llmModel: 'm' } as const;
    expect(modelKeyFrom(environment, config)).toBe('sk-very-secret-1234');
    // Of another server only what is its own, or what the environment has for all.
    const other = { ...config, llmBaseUrl: 'https://example.org/v1' };
    expect(modelKeyFrom(environment, other)).toBeUndefined();
    expect(modelKeyFrom({ ...environment, MNEMIS_LLM_API_KEY: 'sk-all' }, other)).toBe('sk-all');
    await saveKey({ address, key: null }, {});
    expect(modelKeyFrom(environment, config)).toBeUndefined();
    expect((await settings({}, {})).key.stored).toEqual({ 'http://localhost:1234': '' });
  });

  it.each([
    { address, key: 'with space' },
    { address, key: '' },
    { address, key: 'schlüssel' },
    { address: 'localhost:1234', key: 'sk-secret' },
    { address: 'https://me:word@example.org', key: 'sk-secret' },
  ])('refuses %o, without a word of it', async (input) => {
    await using lab = await AppPartLab.open();
    const { saveKey } = settingsHandlers(lab.context);
    const error = await saveKey(input, {}).catch((problem: Error) => problem);
    expect(error).toMatchObject({
      code: 'invalid-input',
      message: expect.not.stringMatching(/sk-|me:word|schl/),
    });
    expect(existsSync(join(lab.data, 'model-keys.json'))).toBe(false);
  });

  it('restarts an engine whose model it is for, and keeps the key that the engine needs to open', async () => {
    const restart = vi.fn();
    const flags = { llmProvider: 'openai', llmModel: 'm' };
    await using lab = await AppPartLab.open({ flags, restart });
    const { saveKey } = settingsHandlers(lab.context);
    expect(await saveKey({ address: 'https://example.org', key: 'k' }, {})).toMatchObject({
      restarts: false,
    });
    expect(await saveKey({ address, key: 'k' }, {})).toMatchObject({ restarts: true });
    await expect.poll(() => restart).toHaveBeenCalledTimes(1);
    await expect(saveKey({ address, key: null }, {})).rejects.toMatchObject({ code: 'invalid-setting' });
  });

  it('writes nothing where the system keeps keys', async () => {
    const environment = { MNEMIS_LLM_STORED_KEYS: JSON.stringify({ [OPENAI]: 'sk-of-the-system' }) };
    await using lab = await AppPartLab.open({ environment });
    const { saveKey, settings } = settingsHandlers(lab.context);
    await saveKey({ address, key: 'sk-other' }, {});
    const { key } = await settings({}, {});
    expect(key).toMatchObject({ storage: 'system', stored: { [OPENAI]: 'stem' } });
    expect(existsSync(key.file)).toBe(false);
  });
});
