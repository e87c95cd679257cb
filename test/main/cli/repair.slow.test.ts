import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStoreAt } from '../../../src/files/open-store.ts';
import { profile, scopeOf } from '../../contract/graph-rows.ts';
import { CommandLab, filledLab } from './fake-terminal.ts';

const lab = await filledLab();
await lab.run('backup', 'first');
await lab.run('restore', 'first', '--path', 'memory.db');

const PLACE = ['--path', 'memory.db'] as const;

async function damage(id: string): Promise<void> {
  const store = await openStoreAt(join(lab.folder, 'memory.db'));
  await store.commit(scopeOf('default'), { nodes: { profile: [profile(id, { owner: 'nobody' as never })] } });
  await store.close();
}

const backups = () => readdirSync(lab.folder).filter((name) => name.startsWith('memory.db.before-repair-'));

describe('mnemis repair', () => {
  it('says that there is nothing to repair', async () => {
    const { exitCode, out } = await lab.run('repair', ...PLACE);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/memory\.db: sound\nNothing to repair\.\n$/);
    const planned = await lab.run('repair', '--dry-run', ...PLACE);
    expect(planned.out).toMatch(/memory\.db: sound\nNothing to repair\.\n$/);
  });

  it('repairs what verify finds, after a backup; a dry run only reports it', async () => {
    await damage('p1');
    const found = await lab.run('verify', ...PLACE);
    expect(found.exitCode).toBe(1);
    expect(found.out).toMatch(
      /not sound[\s\S]*1 rows of the kind profile refer to a missing row[\s\S]*Run "mnemis repair"/,
    );
    const planned = await lab.run('repair', '--dry-run', ...PLACE);
    expect(planned.exitCode).toBe(0);
    expect(planned.out).toMatch(
      /sound, if it were repaired\nWould repair [12] findings?:\n {2}scope "default": 1 rows/,
    );
    expect((await lab.run('verify', ...PLACE, '--json')).json()).toMatchObject({
      sound: false,
      findings: [{ scope: 'default', code: 'missing-row', advice: expect.any(String) }],
    });
    const mended = await lab.run('repair', ...PLACE);
    expect(mended.exitCode).toBe(0);
    expect(mended.out).toMatch(
      /memory\.db: sound\nBackup made in .*before-repair-[\s\S]*Repaired [12] findings?:/,
    );
    expect(backups()).toHaveLength(1);
    expect((await lab.run('verify', ...PLACE)).exitCode).toBe(0);
    expect((await lab.run('ask', 'Where did Ana move?', ...PLACE)).out).toContain('Lisbon');
  });

  it('makes no backup, or makes it in the given folder', async () => {
    await damage('p2');
    const first = await lab.run('repair', '--no-backup', ...PLACE, '--json');
    expect(first.json()).toMatchObject({ sound: true, backup: null });
    await damage('p3');
    const second = await lab.run('repair', '--backup', 'copy', ...PLACE, '--json');
    expect(second.json()).toMatchObject({ backup: { folder: join(lab.folder, 'copy') } });
    expect(backups()).toHaveLength(1);
    await damage('p4');
    const refused = await lab.run('repair', '--backup', 'copy', ...PLACE, '--json');
    expect(refused.exitCode).toBe(1);
    expect(refused.json()).toMatchObject({ error: { code: 'invalid-input' } });
    expect((await lab.run('verify', ...PLACE)).exitCode).toBe(1);
  });

  it('repairs rows with any configured embedder', async () => {
    const report = await lab.run('repair', '--no-backup', ...PLACE, '--embedder', 'hashing', '--json');
    expect(report.exitCode).toBe(0);
    expect(report.json()).toMatchObject({
      sound: true,
      mended: expect.arrayContaining([expect.objectContaining({ code: 'missing-row' })]),
    });
  });
});

describe('mnemis repair --cut-log', () => {
  const CUT = ['repair', '--cut-log', ...PLACE] as const;
  let damaged: CommandLab;
  let log: string;
  beforeAll(async () => {
    damaged = await filledLab();
    log = join(damaged.folder, 'memory.db.wal');
  });
  afterAll(() => damaged[Symbol.dispose]());

  it('is named by its help, and refused where nothing is damaged or where another flag stands', async () => {
    expect((await damaged.run('repair', '--help')).out).toMatch(
      /--cut-log +open a Kùzu file whose log is damaged/,
    );
    const sound = await damaged.run(...CUT);
    expect(sound).toMatchObject({ exitCode: 1, out: '' });
    expect(sound.err).toBe(
      'mnemis: The log of the memory has no damage to cut off. Memory was not changed.\n',
    );
    for (const flag of [['--dry-run'], ['--no-backup'], ['--backup', 'copy'], ['--abandon-move']])
      expect((await damaged.run(...CUT, ...flag)).exitCode, flag[0]).toBe(2);
    expect((await damaged.run('repair', '--cut-log', '--path', 'none.db')).exitCode).toBe(1);
    expect(readdirSync(damaged.folder).filter((name) => name.includes('damaged'))).toEqual([]);
  });

  it('is named by whatever opens a damaged memory, and opens it', async () => {
    truncateSync(log, Math.floor(statSync(log).size * 0.9));
    const refusing = [['stats'], ['verify'], ['repair'], ['ask', 'Where did Ana move?'], ['backup', 'copy']];
    for (const argv of refusing) {
      const { exitCode, err } = await damaged.run(...argv, ...PLACE);
      expect([argv[0], exitCode]).toEqual([argv[0], 1]);
      expect(err).toContain(
        '"mnemis repair --cut-log" keeps what stands before the break and says what is lost',
      );
    }
    const { out } = await damaged.run('doctor', ...PLACE);
    expect(out).toContain('mnemis repair --cut-log');
    const cut = await damaged.run(...CUT);
    expect([cut.exitCode, cut.err]).toEqual([0, '']);
    expect(cut.out).toMatch(
      /memory\.db: opened up to the break in its log\nLost: \d+ of \d+ commits, the newest\.\nIt holds \d turns? in 1 scope\. "mnemis verify" checks them\.\nThe damaged files are kept in .*memory\.db\.damaged-[\dT-]+Z\nForgetting does not reach them/,
    );
    expect((await damaged.run('verify', ...PLACE)).exitCode).toBe(0);
    expect((await damaged.run(...CUT)).exitCode).toBe(1);
  });

  it('says that bytes were changed, and prints one document with --json', async () => {
    using other = await filledLab();
    const bytes = readFileSync(join(other.folder, 'memory.db.wal'));
    bytes.fill(0, Math.floor(bytes.length * 0.9), Math.floor(bytes.length * 0.9) + 300);
    writeFileSync(join(other.folder, 'memory.db.wal'), bytes);
    const report = await other.run(...CUT, '--json');
    expect(report.json()).toEqual({
      path: join(other.folder, 'memory.db'),
      kept: expect.stringContaining('memory.db.damaged-'),
      lost: { commits: expect.any(Number), of: expect.any(Number) },
      altered: true,
      scopes: 1,
      turns: expect.any(Number),
    });
    expect(report.exitCode).toBe(0);
  });

  it('is refused for a SQLite file', async () => {
    using other = new CommandLab();
    await other.run('add', 'I moved to Ghent.', '--path', 'm.sqlite');
    const { exitCode, err } = await other.run('repair', '--cut-log', '--path', 'm.sqlite');
    expect([exitCode, err]).toEqual([1, expect.stringContaining('Only the log of a Kùzu file can be cut')]);
  });
});

it.each(['.db', '.sqlite'])(
  'a memory %s whose replacement was killed is found by each command',
  async (ending) => {
    using other = new CommandLab();
    const place = ['--path', `m${ending}`];
    await other.run('add', 'I moved to Ghent.', ...place);
    const path = join(other.folder, `m${ending}`);
    for (const end of ['.indexes', '.seal', '.wal', ''])
      if (existsSync(path + end)) renameSync(path + end, `${path}.replaced${end}`);
    for (const command of ['stats', 'verify']) {
      const { exitCode, err } = await other.run(command, ...place);
      expect([command, exitCode, err]).toEqual([command, 0, '']);
    }
  },
);
