import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programArguments } from '../../child-program.ts';
import type { HubServer } from '../../fakes/hub-server.ts';
import { hubWithEmbedder, smallEmbedder } from '../../fakes/small-models.ts';
import { CommandLab, MAIN, ROOT, TURNS } from './fake-terminal.ts';

const NAME = 'all-minilm-l6-v2';
const MODEL = 'onnx/model.onnx';
const BYTES = Object.values(smallEmbedder()).reduce((sum, { length }) => sum + length, 0);

/** A lab whose mirror is a hub on loopback. */
class ModelsLab extends CommandLab {
  readonly hub: HubServer;

  private constructor(hub: HubServer) {
    super();
    this.hub = hub;
    this.env.MNEMIS_MODELS_MIRROR = hub.url;
    this.env.MNEMIS_DEVICE = 'cpu';
  }

  static async start(): Promise<ModelsLab> {
    return new ModelsLab(await hubWithEmbedder());
  }

  path(...parts: readonly string[]): string {
    return join(this.folder, 'models', NAME, ...parts);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hub[Symbol.asyncDispose]();
    this[Symbol.dispose]();
  }
}

interface Listing {
  readonly models: readonly {
    name: string;
    variants: { precision: string; installed: boolean; selfCheckedOn: string[] }[];
  }[];
}

describe('mnemis models', () => {
  it('pulls a model, uses it, lists it as self-checked, verifies and removes it', async () => {
    await using lab = await ModelsLab.start();
    const pulled = await lab.run('models', 'pull', NAME);
    expect(pulled).toMatchObject({ exitCode: 0, err: '' });
    expect(pulled.out).toMatch(/^all-minilm-l6-v2 is installed: 3 files, 0\.\d MB, all verified\n$/);

    lab.env.MNEMIS_EMBEDDER = NAME;
    const turns = lab.file('turns.jsonl', TURNS);
    // A slow machine gets to see the progress.
    const err = expect.stringMatching(/^(?:Importing: .*\n)*$/);
    expect(await lab.run('import', turns, '--format', 'jsonl')).toMatchObject({ exitCode: 0, err });
    expect((await lab.run('stats', '--json')).json()).toMatchObject({
      embedder: { model: NAME, dimension: 384 },
    });
    expect((await lab.run('search', 'kiln')).out).toContain('My kiln arrived');

    const listing = (await lab.run('models', 'list', '--json')).json<Listing>();
    const { variants } = listing.models.find(({ name }) => name === NAME)!;
    expect(variants.find(({ precision }) => precision === 'fp32')).toMatchObject({
      installed: true,
      selfCheckedOn: ['cpu'],
    });
    expect((await lab.run('models', 'list')).out).toMatch(
      /all-minilm-l6-v2 +embedder .* yes, self-checked on cpu/,
    );

    expect(await lab.run('models', 'verify')).toMatchObject({ exitCode: 0, out: `ok   ${NAME}: 3 files\n` });
    const removed = (await lab.run('models', 'remove', NAME, '--json')).json<{ bytes: number }>();
    expect(removed).toMatchObject({ name: NAME, left: [] });
    expect(removed.bytes).toBeGreaterThan(BYTES);
    expect(existsSync(lab.path())).toBe(false);
  });

  it('prints one JSON document about the pull', async () => {
    await using lab = await ModelsLab.start();
    const run = await lab.run('models', 'pull', NAME, '--json');
    expect(run.json()).toMatchObject({ name: NAME, folder: lab.path(), files: [{}, {}, { path: MODEL }] });
    expect(run.err).toBe('');
  });

  it('detects a file that changed, and says how to repair it', async () => {
    await using lab = await ModelsLab.start();
    await lab.run('models', 'pull', NAME);
    writeFileSync(lab.path('tokenizer.json'), '{}');
    rmSync(lab.path(MODEL));
    const { exitCode, out } = await lab.run('models', 'verify', NAME);
    expect(exitCode).toBe(1);
    expect(out).toBe(
      `bad  ${NAME}: tokenizer.json is changed, ${MODEL} is missing\n     to fetch it again: mnemis models pull ${NAME}\n`,
    );
    const report = (await lab.run('models', 'verify', '--json')).json<{ models: { whole: boolean }[] }>();
    expect(report.models).toMatchObject([{ name: NAME, whole: false }]);
    expect((await lab.run('models', 'pull', NAME)).exitCode).toBe(0);
    expect((await lab.run('models', 'verify', NAME)).exitCode).toBe(0);
  });

  it('checks every model, also after one that cannot be checked, and says when there is none', async () => {
    await using lab = await ModelsLab.start();
    expect((await lab.run('models', 'verify')).out).toBe(
      `No model is installed in ${join(lab.folder, 'models')}\n`,
    );
    expect((await lab.run('models', 'verify', NAME)).err).toContain('named "all-minilm-l6-v2"; none exist');
    await lab.run('models', 'pull', NAME);
    mkdirSync(join(lab.folder, 'models/aaa'));
    writeFileSync(join(lab.folder, 'models/aaa/mnemis-model.json'), '{');
    const run = await lab.run('models', 'verify');
    expect(run.exitCode).toBe(1);
    expect(run.out).toMatch(
      /^bad {2}aaa: .*it is no manifest of a model.*\nok {3}all-minilm-l6-v2: 3 files\n$/,
    );
    expect((await lab.run('models', 'verify', 'aaa', '--json')).json()).toMatchObject({
      error: { code: 'model-files' },
    });
  });

  it('reports a retry at once', async () => {
    await using lab = await ModelsLab.start();
    lab.hub.fail('tree', { kind: 'status', status: 503 });
    const run = await lab.run('models', 'pull', NAME);
    expect(run).toMatchObject({ exitCode: 0, err: expect.stringMatching(/^The hub failed .*Retrying/) });
  });

  it('says which command fetches a model that a memory needs', async () => {
    await using lab = await ModelsLab.start();
    lab.env.MNEMIS_EMBEDDER = `${NAME}:int8`;
    const run = await lab.run('import', lab.file('turns.jsonl', TURNS), '--format', 'jsonl');
    expect(run.exitCode).toBe(1);
    expect(run.err).toContain(`Fetch it with: mnemis models pull ${NAME}:int8`);
    expect(lab.hub.requests).toEqual([]);
    expect(existsSync(join(lab.folder, 'memory.db'))).toBe(false);
  });

  it('refuses to open a memory with an embedder other than its own', async () => {
    await using lab = await ModelsLab.start();
    await lab.run('import', lab.file('turns.jsonl', TURNS), '--format', 'jsonl');
    await lab.run('models', 'pull', NAME);
    lab.env.MNEMIS_EMBEDDER = NAME;
    const run = await lab.run('search', 'kiln', '--json');
    expect(run.json()).toMatchObject({ error: { code: 'embedding-mismatch' } });
    expect(run.exitCode).toBe(1);
  });

  it('copies from a folder without a network', async () => {
    await using lab = await ModelsLab.start();
    for (const [path, content] of Object.entries(smallEmbedder())) {
      mkdirSync(join(lab.folder, 'carried', NAME, 'onnx'), { recursive: true });
      writeFileSync(join(lab.folder, 'carried', NAME, path), content);
    }
    const run = await lab.run('models', 'pull', NAME, '--mirror', 'carried', '--offline');
    expect(run).toMatchObject({ exitCode: 0, err: '' });
    expect(lab.hub.requests).toEqual([]);
    expect((await lab.run('models', 'verify', NAME)).exitCode).toBe(0);
  });

  it.each([
    ['offline', ['--offline'], 'offline'],
    ['from a mirror that is not there', ['--mirror', 'nowhere'], 'hub-refusal'],
    ['from an address of another kind', ['--mirror', 'ftp://host'], 'invalid-input'],
  ])('refuses to pull %s', async (_what, flags, code) => {
    await using lab = await ModelsLab.start();
    const run = await lab.run('models', 'pull', NAME, '--json', ...flags);
    expect(run.json()).toMatchObject({ error: { code } });
    expect(run.exitCode).toBe(1);
    expect(lab.hub.requests).toEqual([]);
  });

  it('reports a precision that the model lacks as a usage error', async () => {
    await using lab = await ModelsLab.start();
    expect(await lab.run('models', 'pull', NAME, '--precision', 'int3')).toMatchObject({
      exitCode: 2,
      err: `mnemis: There is no precision of ${NAME} named "int3"; known: fp32, fp16, int8.\n`,
    });
  });

  it('leaves nothing behind if the hub cannot be reached, and says what helps', async () => {
    const lab = await ModelsLab.start();
    await lab.hub[Symbol.asyncDispose]();
    const run = await lab.run('models', 'pull', NAME);
    expect(run.exitCode).toBe(1);
    expect(run.err).toMatch(/\(ECONNREFUSED\)\. .* mnemis models pull NAME --mirror FOLDER\.\n$/);
    expect(existsSync(lab.path())).toBe(false);
    const removed = await lab.run('models', 'remove', NAME);
    expect(removed).toMatchObject({ exitCode: 2, out: '' });
    expect(removed.err).toContain(`no pulled model named "${NAME}"`);
    lab[Symbol.dispose]();
  });

  it('reports the removal of files from an interrupted pull', async () => {
    using lab = new CommandLab();
    mkdirSync(join(lab.folder, 'models', NAME, '.parts'), { recursive: true });
    expect((await lab.run('models', 'remove', NAME)).out).toBe(
      `${NAME} was not completely installed; removed its partial download, freed 0.0 MB\n`,
    );
    expect((await lab.run('models', 'remove', NAME)).exitCode).toBe(2);
  });

  it('cannot verify a model that was placed by hand, and does not remove it', async () => {
    using lab = new CommandLab();
    mkdirSync(join(lab.folder, 'models', NAME), { recursive: true });
    writeFileSync(join(lab.folder, 'models', NAME, 'model.onnx'), 'mine');
    const verified = await lab.run('models', 'verify', NAME);
    expect(verified).toMatchObject({
      exitCode: 0,
      out: `–    ${NAME}: placed by hand, no checksums to compare with\n`,
    });
    expect((await lab.run('models', 'verify', NAME, '--json')).json()).toMatchObject({
      models: [{ name: NAME, whole: null }],
    });
    const removed = await lab.run('models', 'remove', NAME);
    expect(removed.exitCode).toBe(1);
    expect(removed.err).toMatch(
      /no mnemis-model\.json\. Existing files are kept; delete the folder yourself if you no longer need it\.\n$/,
    );
    expect(lab.read(`models/${NAME}/model.onnx`)).toBe('mine');
  });

  it('lists the models of the package, and fetches none of them', async () => {
    await using lab = await ModelsLab.start();
    const { out } = await lab.run('models', 'list');
    expect(out).toMatch(/^static +embedder +256 .* yes, bundled/m);
    expect(out).toMatch(/^hashing +embedder +256 .* yes, bundled/m);
    expect((await lab.run('models', 'list', '--json')).json()).toMatchObject({
      bundled: [{ name: 'static' }, { name: 'hashing' }],
    });
    expect(await lab.run('models', 'pull', 'static')).toMatchObject({
      exitCode: 0,
      out: 'static is part of the package; there is nothing to fetch\n',
    });
    expect((await lab.run('models', 'remove', 'static')).err).toContain('comes with the package');
    expect(lab.hub.requests).toEqual([]);
  });

  it('names a models folder other than the default', async () => {
    await using lab = await ModelsLab.start();
    lab.env.MNEMIS_EMBEDDER = NAME;
    const run = await lab.run('import', lab.file('turns.jsonl', TURNS), '--format', 'jsonl');
    expect(run.err).toContain(`models pull ${NAME} --models-folder ${join(lab.folder, 'models')}`);
  });

  it('sends the token of the environment to no mirror, and prints it nowhere', async () => {
    await using lab = await ModelsLab.start();
    lab.env.HF_TOKEN = 'a-secret-token';
    lab.hub.token = 'a-secret-token';
    const run = await lab.run('models', 'pull', NAME, '--json');
    expect(run.json()).toMatchObject({ error: { code: 'model-access' } });
    expect(lab.hub.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    expect(run.out + run.err + (await lab.run('config')).out).not.toContain('a-secret-token');
  });

  it('refuses to remove what no pull created', async () => {
    using lab = new CommandLab();
    mkdirSync(join(lab.folder, 'models/photos'), { recursive: true });
    writeFileSync(join(lab.folder, 'models/photos/one.jpg'), 'x');
    const run = await lab.run('models', 'remove', 'photos', '--json');
    expect(run.json()).toMatchObject({ error: { code: 'model-files' } });
    expect((await lab.run('models', 'remove', '../photos')).err).toContain('plain name');
    expect(lab.read('models/photos/one.jpg')).toBe('x');
  });

  it('stops at Ctrl-C, keeps the partial file, and resumes the next time', async () => {
    await using lab = await ModelsLab.start();
    lab.hub.fail(MODEL, { kind: 'hang', after: 100_000 });
    const child = spawn(process.execPath, [...programArguments(MAIN), 'models', 'pull', NAME, '--json'], {
      cwd: ROOT,
      env: { ...process.env, ...lab.env },
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (data) => {
      out += data;
    });
    child.stderr.on('data', (data) => {
      err += data;
    });
    const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
    while (lab.hub.requestsFor(MODEL).length < 2 && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGINT');
    expect(await closed).toBe(130);
    expect(JSON.parse(out)).toMatchObject({
      error: { code: 'cancelled', message: expect.stringContaining('the same command goes on from there') },
    });
    expect(err).not.toContain('    at ');
    expect(existsSync(lab.path('.parts')) && !existsSync(lab.path(MODEL))).toBe(true);
    expect((await lab.run('models', 'pull', NAME)).exitCode).toBe(0);
  });
});
