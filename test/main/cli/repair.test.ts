import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStoreAt } from '../../../src/engine/open-store.ts';
import { profile, scopeOf } from '../../contract/graph-rows.ts';
import { type CommandLab, filledLab } from './fake-terminal.ts';

let lab: CommandLab;
beforeAll(async () => {
  lab = await filledLab();
  await lab.run('backup', 'first');
  await lab.run('restore', 'first', '--path', 'memory.db');
});
afterAll(() => lab[Symbol.dispose]());

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
