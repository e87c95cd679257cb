import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Mnemis } from '../../../src/engine.ts';
import { cutLog } from '../../../src/files/backup/cut-log.ts';
import { verifyMemory } from '../../../src/files/backup/verify.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';
import { inTier } from '../../tier.ts';

const TURNS = 20;

describe('A Kùzu memory whose log lost its end', () => {
  let folder = '';
  let whole = '';
  beforeAll(async () => {
    folder = freshFolder();
    whole = join(folder, 'whole');
    const engine = await Mnemis.open({ path: join(folder, 'live', 'm.db'), automatic: false });
    for (let turn = 0; turn < TURNS; turn += 1) await engine.scope('a').add(`note ${turn}`);
    cpSync(join(folder, 'live'), whole, { recursive: true });
    await engine.close();
    rmSync(join(whole, 'm.db.owner.lock'));
  });

  const size = () => statSync(join(whole, 'm.db.wal')).size;
  /** Fixed places, spread over the log. */
  const places = Array.from(
    { length: inTier({ fast: 4, slow: 40 }) },
    (_, at) => ((at * 0.618 + 0.97) % 1) * 0.999,
  );

  it.each(places)('is refused, and opened up to the break by a cut: %d of the log', async (place) => {
    const copy = mkdtempSync(join(folder, 'cut-'));
    cpSync(whole, copy, { recursive: true });
    const path = join(copy, 'm.db');
    truncateSync(`${path}.wal`, Math.floor(size() * place));
    const damaged = readFileSync(`${path}.wal`);
    const refusal = { code: 'database-corrupt', message: expect.stringContaining('mnemis repair --cut-log') };
    await expect(Mnemis.open({ path })).rejects.toMatchObject(refusal);
    await expect(verifyMemory(path)).rejects.toMatchObject(refusal);
    const report = await cutLog(path);
    expect(readFileSync(join(report.kept, 'm.db.wal'))).toEqual(damaged);
    expect(report.lost).toMatchObject({ of: TURNS });
    expect(report.lost!.commits + report.turns).toBe(TURNS);
    expect(report.lost!.commits).toBeGreaterThan(0);
    expect((await verifyMemory(path)).sound).toBe(true);
    await using engine = await Mnemis.open({ path, automatic: false });
    await engine.scope('a').add('one more');
    expect((await engine.scope('a').stats()).episode).toBe(report.turns + 1);
  });

  it('is cut further back where a copy of it does not open, and without its log it is empty', async () => {
    const copy = mkdtempSync(join(folder, 'altered-'));
    cpSync(whole, copy, { recursive: true });
    const path = join(copy, 'm.db');
    const log = readFileSync(`${path}.wal`);
    log.fill(0, log.length - 50);
    writeFileSync(`${path}.wal`, log);
    const tried: number[] = [];
    const opens = async (trial: string) => tried.push(statSync(`${trial}.wal`).size) > 3;
    const { lost, altered, turns } = await cutLog(path, { opens });
    expect(tried).toEqual(tried.toSorted((a, b) => b - a));
    expect([lost?.commits, altered, turns, tried.length]).toEqual([7, true, TURNS - 7, 4]);
    expect((await verifyMemory(path)).sound).toBe(true);
    rmSync(copy, { recursive: true });
    cpSync(whole, copy, { recursive: true });
    rmSync(`${path}.wal`);
    expect(await cutLog(path)).toMatchObject({
      altered: false,
      lost: { commits: TURNS, of: TURNS },
      turns: 0,
    });
  });

  it('loses little with the last bytes, and nothing where nothing is damaged', async () => {
    const copy = mkdtempSync(join(folder, 'end-'));
    cpSync(whole, copy, { recursive: true });
    const path = join(copy, 'm.db');
    await expect(cutLog(path)).rejects.toMatchObject({ code: 'invalid-input' });
    const log = readFileSync(`${path}.wal`);
    writeFileSync(`${path}.wal`, log.subarray(0, log.length - 700));
    const { lost, turns } = await cutLog(path);
    expect([lost, turns]).toEqual([{ commits: 1, of: TURNS }, TURNS - 1]);
  });
});
