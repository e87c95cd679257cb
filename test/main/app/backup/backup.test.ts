import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appContext } from '../../../../main/app/app.ts';
import { AutomaticBackups } from '../../../../main/app/backup/automatic-backups.ts';
import { AppJobs } from '../../../../main/app/jobs/app-jobs.ts';
import { AppStore } from '../../../../main/app/store/app-store.ts';
import { writePreferences } from '../../../../main/app/store/write-preferences.ts';
import { resolveConfig } from '../../../../main/config.ts';
import { restoreState } from '../../../../src/engine/backup/restore-backup.ts';
import { Mnemis } from '../../../../src/engine.ts';
import { HashingEmbedder } from '../../../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../../../src/search/analyzer.ts';
import { AppLab, chatLines } from '../jobs/app-lab.ts';

const turn = (index: number, content: string, session = 's') => ({
  ...{ session, index, content, speaker: 'Ana', at: '2026-01-05' },
});
const DAY = 86_400_000;

describe('backups of the app', () => {
  let lab: AppLab;
  let restarts: number;
  let wasRestarted: () => void;
  beforeEach(async () => {
    restarts = 0;
    wasRestarted = () => undefined;
    lab = await AppLab.open({
      restart: () => {
        restarts += 1;
        wasRestarted();
      },
    });
    await lab.client.add({
      scope: 'ana',
      turns: [turn(0, 'I moved to Lisbon.'), turn(1, 'My code word is heliotrope.'), turn(2, 'I like tea.')],
    });
  });
  afterEach(() => lab[Symbol.asyncDispose]());

  const contents = async (scope = 'ana') =>
    (await lab.engine.scope(scope).turns('s')).map(({ content }) => content);
  const forget = async (index: number) => {
    const found = (await lab.engine.scope('ana').turns('s')).find((each) => each.index === index);
    for await (const _ of lab.client.forget({ scope: 'ana', target: { episode: found!.id } }));
  };
  const backUp = async (job = 'b'): Promise<string> => {
    await lab.client.startBackup({ job });
    expect(await lab.until(job)).toMatchObject({ kind: 'backup', state: 'done', problem: null });
    return (await lab.client.backups({})).items[0]!.name;
  };
  /** Ends and opens the app when a restore asks for it. */
  const restore = async (name: string, more: { forgetAgain?: boolean } = {}) => {
    const asked = new Promise<void>((resolve) => {
      wasRestarted = resolve;
    });
    await lab.client.startRestore({ job: 'r', name, ...more });
    await asked;
    await lab.reopen();
    return lab.until('r');
  };

  it('are listed with their size and scopes, verified, and deleted', async () => {
    const name = await backUp();
    const { folder, items } = await lab.client.backups({});
    expect(folder).toBe(join(lab.folder, 'backups'));
    expect(items).toEqual([
      expect.objectContaining({ name, scopes: ['ana'], isAutomatic: false, problem: null }),
    ]);
    expect(items[0]!.bytes).toBeGreaterThan(10_000);
    expect(await lab.client.verifyBackup({ name })).toMatchObject({ isWhole: true, findings: [] });
    const file = join(folder, name, 'memory.db');
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from('x')]));
    const { isWhole, findings } = await lab.client.verifyBackup({ name });
    expect([isWhole, findings.map(({ what }) => what)]).toEqual([false, [expect.stringMatching(/bytes/)]]);
    expect((await lab.client.deleteBackup({ name })).bytes).toBe(items[0]!.bytes);
    expect((await lab.client.backups({})).items).toEqual([]);
  });

  it('of other names, and links, are neither listed nor deleted', async () => {
    const name = await backUp();
    const { folder } = await lab.client.backups({});
    await mkdir(join(folder, 'memory-holiday'));
    await symlink(join(folder, name), join(folder, 'memory-link'));
    expect((await lab.client.backups({})).items.map((each) => each.name)).toEqual([name]);
    for (const other of ['memory-holiday', 'memory-link', 'other'])
      await expect(lab.client.deleteBackup({ name: other })).rejects.toMatchObject({ code: 'invalid-input' });
    await expect(lab.client.deleteBackup({ name: `../backups/${name}` })).rejects.toMatchObject({
      code: 'invalid-input',
    });
    expect(existsSync(join(folder, name))).toBe(true);
  });

  it('are compared with the memory before a restore, which then forgets again', async () => {
    const name = await backUp();
    await forget(1);
    await lab.client.add({ scope: 'ana', turns: [turn(3, 'I bought a boat.')] });
    await lab.client.add({ scope: 'ben', turns: [turn(0, 'I am Ben.')] });
    const preview = await lab.client.previewRestore({ name });
    expect(preview.problem).toBeNull();
    expect(preview.scopes).toEqual([
      { scope: 'ana', turns: 3, now: 3, back: 1, lost: 1 },
      { scope: 'ben', turns: 0, now: 1, back: 0, lost: 1 },
    ]);
    expect(existsSync(`${lab.path}.restoring`)).toBe(false);
    const job = await restore(name);
    expect(job).toMatchObject({ kind: 'restore', state: 'done', problem: null, counts: { forgotten: 1 } });
    expect(restarts).toBe(1);
    expect(await contents()).toEqual(['I moved to Lisbon.', 'I like tea.']);
    expect(await lab.engine.scopes()).toEqual(['ana']);
    expect(await lab.client.verify({})).toMatchObject({ sound: true });
    expect(restoreState(lab.engine.describe().path, 'r')).toBeNull();
    expect([existsSync(`${lab.path}.replaced`), existsSync(`${lab.path}.restoring`)]).toEqual([false, false]);
    // The tombstone is of the restored memory now.
    const { outcomes } = await lab.client.preview({
      scope: 'ana',
      turns: [turn(1, 'My code word is heliotrope.')],
    });
    expect(outcomes).toMatchObject([{ status: 'rejected' }]);
  });

  it('bring back what was forgotten since, if that is wanted', async () => {
    const name = await backUp();
    await forget(1);
    expect(await contents()).toHaveLength(2);
    expect(await restore(name, { forgetAgain: false })).toMatchObject({ state: 'done' });
    expect(await contents()).toContain('My code word is heliotrope.');
  });

  it('pause other jobs, and leave the memory as it is when they are cancelled or damaged', async () => {
    const name = await backUp();
    await lab.client.add({ scope: 'ana', turns: [turn(3, 'I bought a boat.')] });
    await lab.upload('u', 'chat.jsonl', chatLines(2_000));
    await lab.client.startImport({ job: 'i', upload: 'u', scope: 'chats' });
    const asked = new Promise<void>((resolve) => {
      wasRestarted = resolve;
    });
    await lab.client.startRestore({ job: 'r', name });
    await asked;
    const stateOf = async (id: string) =>
      (await lab.client.jobs({})).items.find((job) => job.id === id)?.state;
    expect(await stateOf('i')).toBe('paused');
    await lab.client.controlJob({ job: 'i', action: 'cancel' });
    await lab.client.controlJob({ job: 'r', action: 'cancel' });
    expect(await lab.until('r')).toMatchObject({ state: 'cancelled', problem: 'The memory is as it was.' });
    await lab.reopen();
    expect(await contents()).toContain('I bought a boat.');
    const { folder } = await lab.client.backups({});
    writeFileSync(join(folder, name, 'memory.db'), 'damaged');
    await lab.client.startRestore({ job: 'r2', name });
    const failed = await lab.until('r2');
    expect([failed.state, failed.problem]).toEqual([
      'failed',
      expect.stringMatching(/The memory is as it was\.$/),
    ]);
    expect(await contents()).toContain('I bought a boat.');
  });

  it('of another embedder are refused before anything is replaced', async () => {
    const name = await backUp();
    const embedder = new HashingEmbedder({ analyze, dimension: 32 });
    for await (const _ of lab.engine.reembed({ embedder }));
    expect((await lab.client.previewRestore({ name })).problem).toMatch(
      /^The backup’s vectors are of hashing/,
    );
    await lab.client.startRestore({ job: 'r', name });
    expect(await lab.until('r')).toMatchObject({ state: 'failed' });
    expect([restarts, existsSync(`${lab.path}.restoring`)]).toEqual([0, false]);
    // So that it opens again.
    for await (const _ of lab.engine.reembed({ embedder: new HashingEmbedder({ analyze, dimension: 64 }) }));
  });

  it('read an export into a scope, and say what was skipped', async () => {
    let text = '';
    for await (const event of lab.client.export({ scope: 'ana' }))
      if (event.type === 'text') text += event.text;
    await lab.upload('u', 'ana.jsonl', text);
    await lab.client.startArchive({ job: 'a', upload: 'u', scope: 'copy' });
    expect((await lab.until('a')).problem).toMatch(/newIds|same ids/);
    await lab.upload('u2', 'ana.jsonl', text);
    await lab.client.startArchive({ job: 'a2', upload: 'u2', scope: 'copy', newIds: true });
    expect(await lab.until('a2')).toMatchObject({ kind: 'archive', state: 'done', scope: 'copy' });
    expect(await contents('copy')).toEqual(await contents('ana'));
    await lab.upload('u3', 'ana.jsonl', text);
    await lab.client.startArchive({ job: 'a3', upload: 'u3', scope: 'ana' });
    const { counts } = await lab.until('a3');
    expect([counts.rows, counts.skipped! > 0]).toEqual([0, true]);
  });
});

describe('automatic backups', () => {
  it('are made when one is due, and the oldest are deleted', async () => {
    const lab = await AppLab.open();
    const path = join(lab.folder, 'other.db');
    await lab.close();
    const engine = await Mnemis.open({
      path,
      embedder: new HashingEmbedder({ analyze, dimension: 64 }),
      automatic: false,
    });
    const store = await AppStore.open(path);
    let now = Date.UTC(2026, 0, 1);
    const logger = { warn: () => undefined };
    const config = {
      ...resolveConfig({ flags: { path }, environment: {}, folder: lab.folder }).values,
      path,
    };
    const context = appContext({
      engine,
      store,
      config,
      environment: {},
      folder: lab.folder,
      logger,
      clock: () => now,
    });
    // Its engine tells the time of a backup in the manifest, so the clock begins now.
    now = Date.now();
    const jobs = await AppJobs.open(context, { continues: false });
    const automatic = new AutomaticBackups(context, jobs.board);
    const ended = async () => {
      const [job] = jobs.board.list();
      for await (const _ of jobs.board.follow(job!.id));
    };
    try {
      expect(await automatic.check()).toBe(false); // off
      writePreferences(store, { backups: { folder: '', every: 'daily', keep: 2 } });
      expect(await automatic.check()).toBe(false); // there is nothing to copy
      await engine.scope('ana').add([turn(0, 'I moved to Lisbon.')]);
      expect(await automatic.check()).toBe(true);
      await ended();
      expect(await automatic.check()).toBe(false); // not due
      for (let day = 1; day <= 3; day += 1) {
        now += DAY + 60_000;
        expect(await automatic.check()).toBe(true);
        await ended();
        expect(jobs.board.list()).toHaveLength(1);
        // The manifests have the real time, so the next check sees a backup of today.
      }
      const { BackupFolder } = await import('../../../../main/app/backup/backup-folder.ts');
      const kept = await new BackupFolder(context).list();
      expect(kept.map(({ isAutomatic }) => isAutomatic)).toEqual([true, true]);
      now += 7 * DAY;
      writePreferences(store, { backups: { folder: '/proc/none', every: 'weekly', keep: 2 } });
      expect(await automatic.check()).toBe(true);
      await ended();
      expect(jobs.board.list()).toMatchObject([{ state: 'failed' }]);
      expect(await automatic.check()).toBe(false); // not again at once
    } finally {
      await jobs.close();
      await store.close();
      await engine.close();
      await lab[Symbol.asyncDispose]();
    }
  });
});
