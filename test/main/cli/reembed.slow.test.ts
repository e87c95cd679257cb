import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLab, filledLab } from './fake-terminal.ts';

let lab: CommandLab;
/** What the memory was made with: the default embedder. */
let made: string;
beforeAll(async () => {
  lab = await filledLab();
  const stats = await lab.run('stats', '--json');
  const { model, dimension } = stats.json<{ embedder: { model: string; dimension: number } }>().embedder;
  made = `${model}@${dimension}`;
});
afterAll(() => lab[Symbol.dispose]());

/** The embedder is a setting; here the environment sets it. */
const configure = (dimension: number) => {
  lab.env.MNEMIS_EMBEDDER = 'hashing';
  lab.env.MNEMIS_EMBEDDER_DIMENSION = String(dimension);
};

describe('mnemis reembed', () => {
  it('is named by commands whose embedder setting does not fit, and moves the memory', async () => {
    configure(64);
    for (const command of [['search', 'kiln'], ['ask', 'kiln?'], ['doctor']]) {
      const refused = await lab.run(...command);
      expect(refused.exitCode).toBe(1);
      expect(refused.out + refused.err).toMatch(new RegExp(`${made}.*hashing-v1@64.*mnemis reembed`));
    }
    const moved = await lab.run('reembed');
    expect(moved).toMatchObject({ exitCode: 0, err: '' });
    expect(moved.out).toMatch(
      new RegExp(
        `^Moved \\d+ texts from ${made} to hashing-v1@64 in [\\d.]+ s, \\d+ of them in this run; \\d+ old vectors removed\\.\\n$`,
      ),
    );
    expect((await lab.run('search', 'kiln')).out).toContain('kiln');
    expect((await lab.run('stats', '--json')).json()).toMatchObject({
      embedder: { model: 'hashing-v1', dimension: 64 },
    });
  });

  it('prints commands that can be typed as they are; counting and copying still work', async () => {
    using own = await filledLab();
    Object.assign(own.env, { MNEMIS_PATH: `${own.folder}/it’s mine.db` });
    const file = own.file('one.jsonl', [{ content: 'My kiln arrived.', at: '2024-01-05', speaker: 'Ben' }]);
    const made = ['--embedder', 'hashing', '--embedder-dimension', '64'];
    expect((await own.run('import', file, '--format', 'jsonl', ...made)).exitCode).toBe(0);
    const before = readFileSync(own.env.MNEMIS_PATH!);
    const refused = await own.run('search', 'kiln', '--json');
    expect(refused.json()).toMatchObject({ error: { code: 'embedding-mismatch' } });
    expect(refused.err).toContain(
      `Open it with ${made.join(' ')}, or move it with: mnemis reembed --path '${own.env.MNEMIS_PATH}' --embedder static\n`,
    );
    expect((await own.run('search', 'kiln', ...made)).exitCode).toBe(0);
    const stats = await own.run('stats', '--json', '--embedder', 'bge-m3'); // which is not installed here
    expect(stats).toMatchObject({ exitCode: 0, err: '' });
    expect(stats.json()).toMatchObject({ episodes: 1, embedder: { model: 'hashing-v1', dimension: 64 } });
    const copied = await own.run('export', 'copy.jsonl', '--embedder', 'bge-m3');
    expect(copied).toMatchObject({ exitCode: 0, err: '' });
    expect(own.read('copy.jsonl')).toContain('hashing-v1');
    expect(readFileSync(own.env.MNEMIS_PATH!).equals(before)).toBe(true);
    expect((await own.run('search', 'kiln', ...made)).err).toBe(''); // no move was recorded
    expect((await own.run('reembed', '--embedder', 'static')).exitCode).toBe(0);
    expect((await own.run('search', 'kiln')).out).toContain('kiln');
  });

  it('says that there is nothing to do', async () => {
    configure(64);
    const run = await lab.run('reembed');
    expect(run).toMatchObject({
      exitCode: 0,
      out: 'The memory’s vectors are already from hashing-v1@64; nothing to do.\n',
      err: '',
    });
  });

  it('sets an embedder for this command only, and says what to set for the others', async () => {
    configure(64);
    const run = await lab.run('reembed', '--embedder', 'hashing', '--embedder-dimension', '32', '--json');
    expect(run.exitCode).toBe(0);
    expect(run.json()).toMatchObject({
      path: lab.env.MNEMIS_PATH,
      from: 'hashing-v1@64',
      to: 'hashing-v1@32',
      texts: expect.any(Number),
      embedded: expect.any(Number),
      removed: expect.any(Number),
      seconds: expect.any(Number),
    });
    expect(run.err).toContain('"embedderDimension": 32');
    configure(32);
    expect((await lab.run('ask', 'Where did Ana move?')).out).toContain('Lisbon');
  });

  it.each([
    [['--embedder', 'nonsense'], 2],
    [['--embedder-dimension', 'many'], 2],
    [['--embedder-dimension', '5'], 2],
    [['--embedder', 'static', '--embedder-dimension', '128'], 2],
    [['--scope', 'nosuch'], 2],
    [['--path', 'missing.db'], 1],
  ])('rejects %j', async (flags, exitCode) => {
    configure(32);
    const run = await lab.run('reembed', ...flags);
    expect(run.exitCode).toBe(exitCode);
    expect(run.err).toMatch(/^mnemis: /m);
  });

  it('stops on Ctrl-C, says what is kept, and continues when run again', async () => {
    const turns = Array.from({ length: 300 }, (_, number) => ({
      content: `I bought item${number} in Oslo.`,
      speaker: 'Ana',
      session: 'long',
      index: number,
      at: '2024-01-05',
    }));
    configure(32);
    expect((await lab.run('import', lab.file('long.jsonl', turns), '--format', 'jsonl')).exitCode).toBe(0);
    configure(128);
    const running = lab.run('reembed', '--json');
    while (lab.signals.listenerCount('SIGINT') === 0) await setImmediate();
    lab.signals.emit('SIGINT'); // while the memory is being opened: at the first look at the signal
    const stopped = await running;
    expect(stopped.exitCode).toBe(130);
    expect(stopped.json()).toMatchObject({
      error: { code: 'cancelled', message: expect.stringMatching(/kept.*hashing-v1@32.*mnemis reembed/) },
    });
    configure(32);
    expect((await lab.run('search', 'item7')).out).toContain('item7');
    configure(128);
    const moved = await lab.run('reembed', '--json');
    expect(moved.exitCode).toBe(0);
    expect((await lab.run('search', 'item7')).out).toContain('item7');
  });
});
