import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseLock } from '../../src/store/database-lock.ts';

describe('what a killed process left of a lock that it was making', () => {
  let folder: string;
  let database: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mnemis-lock-'));
    database = join(folder, 'm.db');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** The content of a lock of this process. */
  async function content(): Promise<string> {
    const lock = await DatabaseLock.acquire(database);
    const held = readFileSync(`${database}.lock`, 'utf8');
    await lock.release();
    return held;
  }

  function draft(of: string, text: string): string {
    const name = `${of}.lock.${randomUUID()}`;
    writeFileSync(join(folder, name), text);
    return name;
  }

  it('goes with the next lock; what others still make, or is of another file, stays', async () => {
    const own = await content();
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    const ended = JSON.stringify({ ...JSON.parse(own), pid, socket: '' });
    const [gone, half] = [draft('m.db', ended), draft('m.db', '{"pid":')];
    utimesSync(join(folder, half), 1, 1);
    const kept = [draft('m.db', own), draft('m.db', '{"pid":'), draft('n.db', ended)];
    writeFileSync(join(folder, 'm.db.lock.notes'), '');
    const lock = await DatabaseLock.acquire(database);
    const left = readdirSync(folder).filter((name) => !name.endsWith('.sock'));
    expect(left.sort()).toEqual([...kept, 'm.db.lock', 'm.db.lock.notes'].sort());
    expect(left).not.toContain(gone);
    await lock.release();
  });
});
