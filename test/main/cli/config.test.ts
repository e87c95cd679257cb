import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataFolder, modelsFolderIn } from '../../../src/util/files.ts';
import { CommandLab } from './fake-terminal.ts';

type Settings = Record<string, { value: unknown; source: string; environment: string }>;

let lab: CommandLab;
beforeEach(() => {
  lab = new CommandLab();
  delete lab.env.MNEMIS_PATH;
});
afterEach(() => lab[Symbol.dispose]());

async function settings(...flags: string[]): Promise<Settings> {
  const run = await lab.run('config', ...flags, '--json');
  expect(run).toMatchObject({ exitCode: 0, err: '' });
  return run.json<{ settings: Settings }>().settings;
}

describe('mnemis config', () => {
  it('keeps models in the library’s default folder', async () => {
    delete lab.env.MNEMIS_MODELS_FOLDER;
    const value = modelsFolderIn(lab.env);
    expect((await settings()).modelsFolder).toMatchObject({ value, source: 'default' });
    for (const variable of ['XDG_DATA_HOME', 'LOCALAPPDATA']) delete lab.env[variable];
    expect((await settings()).modelsFolder).toMatchObject({ value: modelsFolderIn() });
  });

  it('fits 80 columns, and tells more on request', async () => {
    lab.columns = 80;
    Object.assign(lab.env, { MNEMIS_MODELS_FOLDER: '/models', MNEMIS_PATH: '/memory.db' });
    const { out } = await lab.run('config');
    for (const line of out.split('\n').filter((each) => !each.includes('Settings file')))
      expect(stripVTControlCharacters(line).length).toBeLessThanOrEqual(80);
    lab.columns = null;
    const shown = (await lab.run('config')).out;
    expect(shown).toMatch(/\nmodelsFolder {10}\/models {2}MNEMIS_MODELS_FOLDER in the environment\n/);
    expect(shown).toMatch(/\nk {21}10 {2}default\n/);
    expect((await lab.run('config', '--verbose')).out).toContain(
      'k                     10  default\n    turns in an answer’s context; entities and facts get 2k\n    MNEMIS_K\n',
    );
  });

  it('shows the URL of a database server without its password, as given', async () => {
    const shown = 'postgres://nora@db.example/memory';
    lab.env.MNEMIS_PATH = 'postgres://nora:secret@db.example/memory?password=secret';
    expect((await settings()).path).toMatchObject({ value: shown, source: 'environment' });
    expect((await lab.run('config', '--verbose')).out).not.toContain('secret');
    delete lab.env.MNEMIS_PATH;
    lab.file('mnemis.config.json', '{"path":"postgres://nora:secret@db.example/memory"}');
    expect((await settings()).path).toMatchObject({ value: shown, source: 'file' });
  });

  it.each(['postgres://nora:secret@:1:2/memory', 'mysql://nora:secret@db.example/memory'])(
    'refuses %s as a path, and does not repeat it',
    async (path) => {
      const { exitCode, out, err } = await lab.run('config', '--path', path);
      expect([exitCode, out]).toEqual([2, '']);
      expect(err).toContain('it must be a path, or a URL of the form postgres://');
      expect(err).not.toContain('secret');
    },
  );

  it('takes flags over environment over file over default', async () => {
    expect(await settings()).toMatchObject({
      scope: { value: 'default', source: 'default', environment: 'MNEMIS_SCOPE' },
      k: { value: 10, source: 'default' },
      bufferPoolMb: { value: 512, environment: 'MNEMIS_BUFFER_POOL_MB' },
      scopeMemoryMb: { value: 256, environment: 'MNEMIS_SCOPE_MEMORY_MB' },
    });
    lab.file('mnemis.config.json', '{"scope":"file","k":4,"recipe":"system1-rag"}');
    lab.env.MNEMIS_SCOPE = 'environment';
    lab.env.MNEMIS_K = '7';
    expect(await settings('--scope', 'flag')).toMatchObject({
      scope: { value: 'flag', source: 'flag' },
      k: { value: 7, source: 'environment' },
      recipe: { value: 'system1-rag', source: 'file' },
      tier: { value: 'local', source: 'default' },
    });
  });

  it('has defaults of its own for a model of this computer', async () => {
    const limits = async () => {
      const { llmProvider, llmTimeoutSeconds, llmConcurrency } = await settings();
      return [llmProvider, llmTimeoutSeconds, llmConcurrency].map((setting) => setting?.value);
    };
    expect(await limits()).toEqual(['none', 120, 4]);
    lab.env.MNEMIS_LLM_MODEL = 'local:qwen3-1.7b';
    expect(await limits()).toEqual(['local', 600, 2]);
    lab.env.MNEMIS_LLM_TIMEOUT_SECONDS = '90';
    expect(await limits()).toEqual(['local', 90, 2]);
  });

  it('resolves paths from the folder of the settings file', async () => {
    lab.file('mnemis.config.json', '{"path":"mine.db"}');
    expect((await settings()).path).toMatchObject({ value: `${lab.folder}/mine.db`, source: 'file' });
  });

  it('reads the data folder’s file where the working folder has none', async () => {
    const data = join(dataFolder(lab.env), 'mnemis.config.json');
    expect((await lab.run('config', '--json')).json()).toMatchObject({ file: data });
    mkdirSync(dirname(data), { recursive: true });
    writeFileSync(data, '{"k":4,"path":"mine.db","modelsMirror":"disk"}');
    lab.env.MNEMIS_MODELS_FOLDER = 'weights';
    expect(await settings()).toMatchObject({
      k: { value: 4, source: 'file' },
      path: { value: join(dirname(data), 'mine.db') },
      modelsMirror: { value: join(dirname(data), 'disk') },
      modelsFolder: { value: join(lab.folder, 'weights'), source: 'environment' },
    });
    const own = lab.file('mnemis.config.json', '{"scope":"own"}');
    expect((await lab.run('config', '--json')).json()).toMatchObject({ file: own });
    expect(await settings()).toMatchObject({ k: { source: 'default' }, scope: { value: 'own' } });
  });

  it('names the data folder’s file where it is not valid', async () => {
    const data = join(dataFolder(lab.env), 'mnemis.config.json');
    mkdirSync(dirname(data), { recursive: true });
    writeFileSync(data, '{"k":0}');
    const run = await lab.run('config');
    expect(run.exitCode).toBe(2);
    expect(run.err).toContain(`${data} is not valid: k: it must be`);
  });

  it('shows the settings of models, including unset ones', async () => {
    lab.file('mnemis.config.json', '{"modelsFolder":"weights","modelsMirror":"disk","offline":true}');
    delete lab.env.MNEMIS_MODELS_FOLDER;
    lab.env.MNEMIS_EMBEDDER = 'Qwen3-Embedding-0.6B:fp16';
    lab.env.MNEMIS_OFFLINE = 'no';
    const shown = await settings();
    expect(shown).toMatchObject({
      embedder: { value: 'Qwen3-Embedding-0.6B:fp16', source: 'environment' },
      embedderDimension: { value: null, source: 'default', environment: 'MNEMIS_EMBEDDER_DIMENSION' },
      reranker: { value: 'none' },
      device: { value: 'auto' },
      modelsFolder: { value: `${lab.folder}/weights`, source: 'file' },
      modelsMirror: { value: `${lab.folder}/disk` },
      offline: { value: false, source: 'environment' },
    });
    lab.env.MNEMIS_MODELS_MIRROR = 'https://mirror.example/models';
    expect((await settings()).modelsMirror).toMatchObject({ value: 'https://mirror.example/models' });
    expect((await lab.run('config')).out).toMatch(/embedderDimension +not set +default/);
  });

  it('aligns its columns', async () => {
    const { out } = await lab.run('config', '--path', 'x'.repeat(80));
    const rows = out.split('\n').slice(0, 6);
    expect(new Set(rows.map((row) => row.indexOf('MNEMIS_'))).size).toBe(1);
    expect(out).toContain(`Settings file: ${dataFolder(lab.env)}/mnemis.config.json (does not exist)`);
  });

  it.each([
    ['flag --k', '{}', {}, ['--k', '101']],
    ['MNEMIS_K in the environment', '{}', { MNEMIS_K: 'many' }, []],
    ['MNEMIS_TIER in the environment', '{}', { MNEMIS_TIER: 'cloud' }, []],
    ['MNEMIS_PROFILE in the environment', '{}', { MNEMIS_PROFILE: 'nope' }, []],
    ['profile: it must be one of: local, mixed, default', '{"profile":"nope"}', {}, []],
    ['no embedder named "x"; known:', '{"embedder":"x"}', {}, []],
    ['it must be true or false', '{}', { MNEMIS_OFFLINE: 'perhaps' }, []],
    ['it must be one of: auto, cpu', '{}', { MNEMIS_DEVICE: 'abacus' }, []],
    ['a whole number from 16', '{"embedderDimension":7}', {}, []],
    ['k: it must be a whole number', '{"k":true}', {}, []],
    ['llmConcurrency: it must be a whole number', '{"llmConcurrency":[7]}', {}, []],
    [
      'it must not contain a user or a password',
      '{}',
      { MNEMIS_MODELS_MIRROR: 'https://me:secret@mirror.example' },
      [],
    ],
    ['no reranker named', '{"reranker":"bge-m3"}', {}, []],
    ['flag --reranker', '{}', {}, ['--reranker', 'local:']],
    ['mnemis.config.json is not valid: k: it must be a whole number from 1 to 100', '{"k":0}', {}, []],
    ['mnemis.config.json is not valid: it sets "kk"; the settings are path', '{"kk":1}', {}, []],
    ['mnemis.config.json is not valid: it is not an object', '[]', {}, []],
    ['mnemis.config.json cannot be read as JSON', '{"k":', {}, []],
  ])('names the source of a bad value: %s', async (says, file, environment, flags) => {
    lab.file('mnemis.config.json', file);
    Object.assign(lab.env, environment);
    const run = await lab.run('config', ...flags, '--json');
    expect(run.exitCode).toBe(2);
    expect(run.json()).toEqual({
      error: { code: 'invalid-setting', message: expect.stringContaining(says) },
    });
  });
});
