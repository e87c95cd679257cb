import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Mnemis } from '../../../src/engine.ts';
import { programArguments } from '../../child-program.ts';
import { FILE_STORES } from '../../store/file-stores.ts';
import { CommandLab, MAIN, TURNS } from './fake-terminal.ts';

const KILLS = 10;

/** Runs a command in a process of its own, and kills it after a time. @returns how long it ran; null if it was killed. */
async function runFor(
  lab: CommandLab,
  milliseconds: number,
  argv: readonly string[],
): Promise<number | null> {
  const started = performance.now();
  const child = spawn(process.execPath, [...programArguments(MAIN), ...argv], {
    cwd: lab.folder,
    env: { ...process.env, ...lab.env },
    stdio: 'ignore',
  });
  const kill = setTimeout(() => child.kill('SIGKILL'), milliseconds);
  const [, signal] = await once(child, 'close');
  clearTimeout(kill);
  return signal === null ? performance.now() - started : null;
}

/** Parts of a run after which it is killed: the program is loaded in the first one, so most of them come later. */
const PARTS = Array.from({ length: KILLS }, (_, at) => 0.25 + (0.75 * at) / KILLS);

/** What a killed command must not leave beside an opened memory: locks, sockets, drafts and replaced files. */
const leftIn = (folder: string) =>
  readdirSync(folder).filter((name) => /lock|restoring|replaced|sock/.test(name));

describe.each(FILE_STORES)('a killed command leaves a memory in $name usable', ({ ending }) => {
  it('when it replaced the memory by a backup', async () => {
    using lab = new CommandLab();
    const [path, backup] = [`m${ending}`, 'backup'];
    await lab.run('import', lab.file('turns.jsonl', TURNS), '--format', 'jsonl', '--path', path);
    await lab.run('backup', backup, '--path', path);
    const restore = ['restore', backup, '--replace', '--path', path];
    let whole = (await runFor(lab, 60_000, restore))!;
    for (const part of PARTS) {
      const moment = whole * part;
      whole = (await runFor(lab, moment, restore)) ?? whole;
      const stats = await lab.run('stats', '--path', path, '--json');
      expect([moment, stats.exitCode, stats.err]).toEqual([moment, 0, '']);
      expect(stats.json()).toMatchObject({ episodes: TURNS.length });
      expect(leftIn(lab.folder)).toEqual([]);
    }
    expect((await lab.run('verify', '--path', path)).exitCode).toBe(0);
  });
});

it('mnemis repair --cut-log may be killed anywhere: then it is repeated, or the memory opens', async () => {
  using lab = new CommandLab();
  const [live, damaged, at] = ['live', 'damaged', 'trial'].map((name) => join(lab.folder, name));
  const engine = await Mnemis.open({ path: join(live!, 'm.db'), automatic: false });
  for (let turn = 0; turn < 20; turn += 1) await engine.scope('default').add(`note ${turn}`);
  cpSync(live!, damaged!, { recursive: true });
  await engine.close();
  rmSync(join(damaged!, 'm.db.owner.lock'));
  const log = join(damaged!, 'm.db.wal');
  truncateSync(log, Math.floor(statSync(log).size * 0.7));
  const repair = ['repair', '--cut-log', '--path', join(at!, 'm.db')];
  cpSync(damaged!, at!, { recursive: true });
  await lab.run('repair', '--help'); // the first run reads the program from the disk
  let whole = (await runFor(lab, 60_000, repair))!;
  let kills = 0;
  const seen = new Set<number>();
  for (const part of PARTS) {
    rmSync(at!, { recursive: true });
    cpSync(damaged!, at!, { recursive: true });
    const took = await runFor(lab, whole * part, repair);
    if (took === null) kills += 1;
    whole = took ?? whole;
    const opened = await lab.run('stats', '--path', join(at!, 'm.db'), '--json');
    if (opened.exitCode !== 0) {
      expect(opened.json()).toMatchObject({
        error: { code: 'database-corrupt', message: expect.stringContaining('mnemis repair --cut-log') },
      });
      expect(readFileSync(join(at!, 'm.db.wal'))).toEqual(readFileSync(log));
      expect((await lab.run(...repair)).exitCode).toBe(0);
    }
    const { episodes } = (await lab.run('stats', '--path', join(at!, 'm.db'), '--json')).json<{
      episodes: number;
    }>();
    seen.add(episodes);
    const kept = readdirSync(at!).filter((name) => name.includes('.damaged-'));
    // One that was killed at its beginning may have copied nothing yet.
    const logs = kept.map((name) => join(at!, name, 'm.db.wal')).filter(existsSync);
    expect(logs.map((copy) => readFileSync(copy).length)).toContain(statSync(log).size);
    expect(leftIn(at!)).toEqual([]);
  }
  expect([...seen]).toEqual([expect.any(Number)]);
  expect(Math.min(...seen)).toBeGreaterThan(5);
  expect(kills).toBeGreaterThan(0);
});
