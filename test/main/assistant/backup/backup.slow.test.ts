import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { appContext } from '../../../../main/assistant/app.ts';
import { AutomaticBackups } from '../../../../main/assistant/backup/automatic-backups.ts';
import { AppJobs } from '../../../../main/assistant/jobs/app-jobs.ts';
import { JobTable } from '../../../../main/assistant/jobs/job-table.ts';
import { AppStore } from '../../../../main/assistant/store/app-store.ts';
import { writePreferences } from '../../../../main/assistant/store/read-preferences.ts';
import { resolveConfig } from '../../../../main/config.ts';
import { MemoryScope } from '../../../../src/engine/memory-scope.ts';
import { Mnemis } from '../../../../src/engine.ts';
import { InvalidInputError, StoreWriteError } from '../../../../src/errors/index.ts';
import { readManifest, writeManifest } from '../../../../src/files/backup/manifest.ts';
import { restoreState } from '../../../../src/files/backup/restore-backup.ts';
import { HashingEmbedder } from '../../../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../../../src/search/analyzer.ts';
import { DatabaseLock } from '../../../../src/store/database-lock.ts';
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
  const restore = async (
    name: string,
    { job = 'r', ...more }: { forgetAgain?: boolean; job?: string } = {},
  ) => {
    const asked = new Promise<void>((resolve) => {
      wasRestarted = resolve;
    });
    await lab.client.startRestore({ job, name, ...more });
    await asked;
    await lab.reopen();
    return lab.until(job);
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

  it('are renamed before they are deleted, and what a kill left of them is removed', async () => {
    const name = await backUp();
    const { folder } = await lab.client.backups({});
    const time = name.slice('memory-'.length);
    const left = [`${name}.deleting`, `memory-auto-${time}.part`];
    for (const each of left) await mkdir(join(folder, each));
    const own = ['memory-holiday.part', 'other-1.deleting', `memory-2-${time}.part`];
    for (const each of own) await mkdir(join(folder, each));
    const written = `memory-2026-01-01T00-00-00-000`;
    await mkdir(join(folder, `${written}.part`));
    const lock = await DatabaseLock.acquire(join(folder, written));
    // Its manifest is no file.
    await mkdir(join(folder, 'memory-odd', 'manifest.json'), { recursive: true });
    const { items } = await lab.client.backups({});
    expect(items.map((each) => [each.name, each.problem === null])).toEqual(
      expect.arrayContaining([
        [name, true],
        ['memory-odd', false],
      ]),
    );
    expect(items).toHaveLength(2);
    expect(
      readdirSync(folder)
        .filter((each) => /\.(part|deleting)$/.test(each))
        .sort(),
    ).toEqual([...own, `${written}.part`].sort());
    await lock.release();
    await lab.client.backups({});
    expect(existsSync(join(folder, `${written}.part`))).toBe(false);
    await mkdir(join(folder, `${name}.deleting`));
    await lab.client.deleteBackup({ name });
    expect(existsSync(join(folder, name)) || existsSync(join(folder, `${name}.deleting`))).toBe(false);
  });

  it('are compared with the memory before a restore, which then forgets again', async () => {
    const name = await backUp();
    await forget(1);
    await lab.client.add({ scope: 'ana', turns: [turn(3, 'I bought a boat.')] });
    await lab.client.add({ scope: 'ben', turns: [turn(0, 'I am Ben.')] });
    const preview = await lab.client.previewRestore({ name });
    expect([preview.problem, preview.isOther]).toEqual([null, false]);
    expect(preview.scopes).toEqual([
      { scope: 'ana', turns: 3, now: 3, back: 1, forgotten: 1, lost: 1 },
      { scope: 'ben', turns: 0, now: 1, back: 0, forgotten: 0, lost: 1 },
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

  it('forget a picture without words again', async () => {
    const attachments = [{ kind: 'image', description: 'oars.jpg' }];
    await lab.client.add({ scope: 'ana', turns: [{ ...turn(3, ''), attachments }] });
    const name = await backUp();
    await forget(3);
    expect(await restore(name)).toMatchObject({ state: 'done', counts: { forgotten: 1 } });
    expect(await contents()).toHaveLength(3);
  });

  it('bring back what was forgotten since, if that is wanted', async () => {
    const name = await backUp();
    await forget(1);
    expect(await contents()).toHaveLength(2);
    expect(await restore(name, { forgetAgain: false })).toMatchObject({ state: 'done' });
    expect(await contents()).toContain('My code word is heliotrope.');
  });

  it('keep what a new memory never had: only tombstones say that something was forgotten', async () => {
    const name = await backUp();
    const { folder } = await lab.client.backups({});
    const other = await AppLab.open({ restart: () => wasRestarted() });
    try {
      await other.client.add({ scope: 'ana', turns: [turn(1, 'My code word is heliotrope.')] });
      const [said] = await other.engine.scope('ana').turns('s');
      for await (const _ of other.client.forget({ scope: 'ana', target: { episode: said!.id } }));
      cpSync(join(folder, name), join(other.folder, 'backups', name), { recursive: true });
      const { isOther, scopes } = await other.client.previewRestore({ name });
      expect(isOther).toBe(true);
      expect(scopes).toEqual([{ scope: 'ana', turns: 3, now: 0, back: 3, forgotten: 1, lost: 0 }]);
      const asked = new Promise<void>((resolve) => {
        wasRestarted = resolve;
      });
      await other.client.startRestore({ job: 'r', name });
      await asked;
      await other.reopen();
      expect(await other.until('r')).toMatchObject({ state: 'done', counts: { forgotten: 1 } });
      expect((await other.engine.scope('ana').turns('s')).map(({ content }) => content)).toEqual([
        'I moved to Lisbon.',
        'I like tea.',
      ]);
      expect((await other.client.previewRestore({ name })).isOther).toBe(false);
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });

  it.each([
    ['nothing of', 0],
    ['what was forgotten after', 1],
    ['what was forgotten while the restore waited after', 2],
  ])('forget %s a move into a project again', async (_, when) => {
    const said = { source: 'whatsapp', session: 'w/Nadia', at: '2024-03-04T18:00:00Z' };
    const turns = ['Bring the oars.', 'The key is under the mat.', 'Bring the sails.'].map((content, at) => ({
      ...{ ...said, content, sourceId: `w${at}` },
    }));
    await lab.client.add({ scope: 'default', turns });
    const named = { scope: 'default', session: said.session };
    const { id } = (await lab.client.conversation(named)).conversation;
    await lab.client.saveConversation({ conversation: id, ...named });
    const name = await backUp();
    const { scope } = await lab.client.saveFolder({ folder: 'f', name: 'Boat' });
    await lab.client.moveConversation({ conversation: id, folder: 'f' });
    const held = async (in_: string) =>
      (await lab.engine.scope(in_).turns(said.session)).map(({ content }) => content);
    const forgetKey = async () => {
      const [, key] = await lab.engine.scope(scope).turns(said.session);
      for await (const _ of lab.client.forget({ scope, target: { episode: key!.id } }));
    };
    if (when === 1) await forgetKey();
    const forgotten = Math.min(when, 1);
    if (when < 2) {
      const { scopes } = await lab.client.previewRestore({ name });
      expect(scopes).toContainEqual({ scope: 'default', turns: 3, now: 0, back: 3, forgotten, lost: 0 });
    }
    const asked = new Promise<void>((resolve) => {
      wasRestarted = resolve;
    });
    await lab.client.startRestore({ job: 'r', name });
    await asked;
    if (when === 2) await forgetKey();
    await lab.reopen();
    expect(await lab.until('r')).toMatchObject({ state: 'done', counts: forgotten ? { forgotten } : {} });
    const left = turns.map(({ content }) => content).filter((_, at) => forgotten === 0 || at !== 1);
    expect(await held('default')).toEqual(left);
    expect((await lab.client.conversation({ conversation: id })).conversation).toMatchObject({
      ...{ scope: 'default', folder: null },
    });
    const { outcomes } = await lab.client.preview({ scope: 'default', turns });
    expect(outcomes.map(({ status }) => status)).toEqual(
      turns.map((_, at) => (at === 1 && forgotten > 0 ? 'rejected' : 'known')),
    );
    expect(await lab.client.verify({})).toMatchObject({ sound: true });
  });

  it('keep what was moved into a project and back, with its conversation', async () => {
    const chat = lab.client.chat({ conversation: 'c', message: 'm', text: 'The mast is of spruce.' });
    for await (const _ of chat);
    const name = await backUp();
    await lab.client.saveFolder({ folder: 'f', name: 'Boat' });
    await lab.client.moveConversation({ conversation: 'c', folder: 'f' });
    const inProject = await backUp('b2');
    await lab.client.moveConversation({ conversation: 'c', folder: null });
    const said = async (scope: string) =>
      (await lab.engine.scope(scope).turns('c')).map(({ content }) => content);
    const scopeNow = async () => (await lab.client.conversation({ conversation: 'c' })).conversation.scope;
    expect(await restore(name)).toMatchObject({ state: 'done', counts: {} });
    expect(await said('default')).toEqual(['The mast is of spruce.']);
    expect((await lab.client.previewRestore({ name })).scopes).not.toContainEqual(
      expect.objectContaining({ back: 1 }),
    );
    // It can go there again: its tombstones there are of a move.
    await lab.client.moveConversation({ conversation: 'c', folder: 'f' });
    expect(await said(await scopeNow())).toEqual(['The mast is of spruce.']);
    await lab.client.moveConversation({ conversation: 'c', folder: null });

    await restore(inProject, { job: 'r2' });
    const scope = await scopeNow();
    expect([scope === 'default', await said('default')]).toEqual([false, []]);
    expect(await said(scope)).toEqual(['The mast is of spruce.']);
  });

  it.each([
    ['moved', false],
    ['moved and came back', true],
  ])('name the turns of messages, so that a conversation that %s is forgotten', async (_, comesBack) => {
    const chat = lab.client.chat({ conversation: 'c', message: 'm', text: 'The mast is of spruce.' });
    for await (const _ of chat);
    const name = await backUp();
    await lab.client.saveFolder({ folder: 'f', name: 'Boat' });
    await lab.client.moveConversation({ conversation: 'c', folder: 'f' });
    if (comesBack) await lab.client.moveConversation({ conversation: 'c', folder: null });
    await restore(name);
    for await (const _ of lab.client.forget({ scope: 'default', target: { session: 'c' } }));
    const { messages } = await lab.client.conversation({ conversation: 'c' });
    expect(messages[0]).toMatchObject({ state: 'forgotten', text: '' });
  });

  it('are not restored while a conversation is between two memories', async () => {
    const name = await backUp();
    const [said] = await lab.engine.scope('ana').turns('s');
    await lab.close();
    const store = await AppStore.open(lab.path);
    store.moves.save({ conversation: 'c', step: 'forgetting', scope: 'ana', turns: [said!.id] });
    await store.close();
    vi.spyOn(MemoryScope.prototype, 'forget').mockImplementationOnce(() => {
      throw new StoreWriteError('no');
    });
    await lab.open();
    const message = expect.stringContaining('being moved');
    expect((await lab.client.previewRestore({ name })).problem).toEqual(message);
    await lab.client.startRestore({ job: 'r', name });
    expect(await lab.until('r')).toMatchObject({ state: 'failed', problem: message });
    await lab.reopen(); // settles it
    expect((await lab.client.previewRestore({ name })).problem).toBeNull();
  });

  it('forget again what is forgotten while the restore waits, and refuse previews then', async () => {
    const name = await backUp();
    const asked = new Promise<void>((resolve) => {
      wasRestarted = resolve;
    });
    await lab.client.startRestore({ job: 'r', name });
    await asked;
    await expect(lab.client.previewRestore({ name })).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining('engine restarts'),
    });
    await forget(1);
    await lab.reopen();
    expect(await lab.until('r')).toMatchObject({ state: 'done', counts: { forgotten: 1 } });
    expect(await contents()).toEqual(['I moved to Lisbon.', 'I like tea.']);
    expect(await lab.client.verify({})).toMatchObject({ sound: true });
  });

  it.each([true, false])('keep the tombstones of later turns (forget again: %s)', async (forgetAgain) => {
    const name = await backUp();
    await lab.client.add({ scope: 'ana', turns: [turn(3, 'My locker is 4711.')] });
    await lab.client.add({ scope: 'ben', turns: [turn(0, 'My locker is 4712.')] });
    await forget(3);
    await forget(1);
    const [ben] = await lab.engine.scope('ben').turns('s');
    for await (const _ of lab.client.forget({ scope: 'ben', target: { episode: ben!.id } }));
    expect(await restore(name, { forgetAgain })).toMatchObject({ state: 'done' });
    const statusOf = async (scope: string, again: ReturnType<typeof turn>) =>
      (await lab.client.preview({ scope, turns: [again] })).outcomes.map(({ status }) => status);
    expect(await statusOf('ana', turn(3, 'My locker is 4711.'))).toEqual(['rejected']);
    expect(await statusOf('ben', turn(0, 'My locker is 4712.'))).toEqual(['rejected']);
    expect((await contents()).includes('My code word is heliotrope.')).toBe(!forgetAgain);
    expect(await statusOf('ana', turn(1, 'My code word is heliotrope.'))).toEqual([
      forgetAgain ? 'rejected' : 'known',
    ]);
    expect(await lab.client.verify({})).toMatchObject({ sound: true });
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

  it('restore the conversations that were checked, and with damaged ones nothing', async () => {
    for (const [conversation, text] of [
      ['kept', 'The punt leaks.'],
      ['gone', 'The mead is hidden.'],
    ] as const)
      for await (const _ of lab.client.chat({ conversation, message: `m-${conversation}`, text }));
    const name = await backUp();
    const path = join((await lab.client.backups({})).folder, name, 'conversations.jsonl');
    const whole = readFileSync(path, 'utf8');
    for (const conversation of ['kept', 'gone'])
      for await (const _ of lab.client.deleteConversation({
        conversation,
        memory: conversation === 'gone' ? 'forget' : 'keep',
      }));
    await lab.client.add({ scope: 'ana', turns: [turn(3, 'I bought a boat.')] });
    writeFileSync(path, whole.replace('"role":"user"', '"role":"nobody"'));
    const damaged = expect.stringMatching(/conversations\.jsonl could not be read: line \d+, message .*role/);
    expect(await lab.client.previewRestore({ name })).toMatchObject({ problem: damaged });
    expect(await lab.client.verifyBackup({ name })).toMatchObject({
      isWhole: false,
      findings: [{ what: damaged }],
    });
    await lab.client.startRestore({ job: 'damaged', name });
    expect(await lab.until('damaged')).toMatchObject({ state: 'failed', problem: damaged });
    expect(restarts).toBe(0);
    expect(await contents()).toContain('I bought a boat.');
    expect(readdirSync(lab.folder).filter((each) => each.includes('restoring'))).toEqual([]);

    writeFileSync(path, whole);
    const asked = new Promise<void>((resolve) => {
      wasRestarted = resolve;
    });
    await lab.client.startRestore({ job: 'r', name });
    await asked;
    writeFileSync(path, ''); // what was checked is what comes back
    await lab.reopen();
    expect(await lab.until('r')).toMatchObject({ state: 'done' });
    expect((await lab.client.conversations({})).items.map(({ id }) => id)).toEqual(['kept']);
    expect(readdirSync(lab.folder).filter((each) => each.includes('restoring'))).toEqual([]);

    writeFileSync(path, whole);
    await lab.client.controlJob({ job: 'r', action: 'dismiss' });
    expect(await restore(name, { forgetAgain: false })).toMatchObject({ state: 'done' });
    const { messages } = await lab.client.conversation({ conversation: 'gone' });
    expect(messages[0]!.text).toBe('The mead is hidden.');
  });

  it('of another embedder are refused before anything is replaced', async () => {
    const name = await backUp();
    const embedder = new HashingEmbedder({ analyze, dimension: 32 });
    await lab.engine.reembed({ embedder });
    expect((await lab.client.previewRestore({ name })).problem).toMatch(
      /^The backup’s vectors are of hashing/,
    );
    await lab.client.startRestore({ job: 'r', name });
    expect(await lab.until('r')).toMatchObject({ state: 'failed' });
    expect([restarts, existsSync(`${lab.path}.restoring`)]).toEqual([0, false]);
    // So that it opens again.
    await lab.engine.reembed({ embedder: new HashingEmbedder({ analyze, dimension: 64 }) });
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

describe('a restore that has turns to forget again', () => {
  it('says that the backup is restored, is neither cancelled nor dismissed, and goes on', async () => {
    await using lab = await AppLab.open();
    await lab.client.add({ scope: 'ana', turns: [turn(1, 'My code word is heliotrope.')] });
    const [said] = await lab.engine.scope('ana').turns('s');
    await lab.close();
    const store = await AppStore.open(lab.path);
    store.file.run('INSERT INTO forget_again (job, scope, episode) VALUES (?, ?, ?)', ['r', 'ana', said!.id]);
    const about = { ...{ id: 'r', kind: 'restore' as const, name: 'b', scope: null, phase: 'forgetting' } };
    const ended = {
      share: 0.9,
      waitsFor: null,
      secondsToGo: null,
      counts: {},
      problem: null,
      startedAt: 1,
      endedAt: 2,
    }; // long ago
    new JobTable(store).save({
      job: { ...about, ...ended, state: 'cancelled' },
      task: { kind: 'restore', folder: '/none', forgetAgain: true },
    });
    await store.close();
    writeFileSync(`${lab.path}.swap`, JSON.stringify({ id: 'r', step: 'done', tries: 1 }));
    await lab.open();
    const control = (action: 'cancel' | 'dismiss' | 'resume') => lab.client.controlJob({ job: 'r', action });
    await expect(control('dismiss')).rejects.toMatchObject({ code: 'invalid-input' });
    const scope = lab.engine.scope('ana');
    const forgetting = vi.spyOn(scope, 'forget').mockImplementation(() => {
      throw new InvalidInputError('Not now.');
    });
    await control('resume');
    expect(await lab.until('r')).toMatchObject({
      state: 'failed',
      problem: expect.stringMatching(/ The backup is restored; some turns/),
    });
    await expect(control('cancel')).rejects.toMatchObject({ code: 'invalid-input' });
    forgetting.mockRestore();
    await control('resume');
    expect(await lab.until('r')).toMatchObject({ state: 'done', counts: { forgotten: 1 } });
    expect(await scope.turns('s')).toEqual([]);
    await control('dismiss');
    expect((await lab.client.jobs({})).items).toEqual([]);
  });
});

it('automatic backups are made when one is due, and the oldest are deleted', async () => {
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
  const warnings: string[] = [];
  const logger = { warn: (message: string) => void warnings.push(message) };
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
  const automatic = new AutomaticBackups(context, jobs.runningJobs);
  const ended = async () => {
    const [job] = jobs.runningJobs.list();
    for await (const _ of jobs.runningJobs.follow(job!.id));
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
      expect(jobs.runningJobs.list()).toHaveLength(1);
      // The manifests have the real time, so the next check sees a backup of today.
    }
    const { BackupFolder } = await import('../../../../main/assistant/backup/backup-folder.ts');
    const kept = await new BackupFolder(context).list();
    expect(kept.map(({ isAutomatic }) => isAutomatic)).toEqual([true, true]);
    // Those of another memory, damaged ones and ones of the future are neither counted nor deleted.
    const backups = new BackupFolder(context);
    const [newest, oldest] = kept.map(({ name }) => join(backups.path, name));
    const strange = async (name: string, changes: object) => {
      const to = join(backups.path, `other-auto-${name}`);
      cpSync(oldest!, to, { recursive: true });
      const { format: _, version: __, ...manifest } = await readManifest(to);
      rmSync(join(to, 'manifest.json'));
      await writeManifest(to, { ...manifest, ...changes });
    };
    await strange('another', { databaseId: 'another', createdAt: new Date(now).toISOString() });
    await strange('future', { createdAt: new Date(now + 30 * DAY).toISOString() });
    cpSync(oldest!, join(backups.path, 'other-auto-damaged'), { recursive: true });
    writeFileSync(join(backups.path, 'other-auto-damaged', 'manifest.json'), '{');
    expect((await backups.automatic()).map(({ name }) => join(backups.path, name))).toEqual([newest, oldest]);
    now += DAY;
    vi.spyOn(BackupFolder.prototype, 'delete').mockRejectedValueOnce(new StoreWriteError('Not deletable.'));
    expect(await automatic.check()).toBe(true);
    await ended();
    expect(jobs.runningJobs.list()).toMatchObject([{ state: 'done', problem: null }]);
    expect(warnings).toEqual([expect.stringContaining('could not be deleted')]);
    expect(await backups.automatic()).toHaveLength(3);
    // A compaction gives the database another id; the backups stay those of this memory.
    await engine.compact();
    now += DAY;
    expect(await automatic.check()).toBe(true);
    await ended();
    expect(await backups.automatic()).toHaveLength(2);
    expect(readdirSync(backups.path).filter((name) => /another|future|damaged/.test(name))).toHaveLength(3);
    now += 7 * DAY;
    writePreferences(store, { backups: { folder: '/proc/none', every: 'weekly', keep: 2 } });
    expect(await automatic.check()).toBe(true);
    await ended();
    expect(jobs.runningJobs.list()).toMatchObject([{ state: 'failed' }]);
    expect(await automatic.check()).toBe(false); // not again at once
  } finally {
    await jobs.close();
    await store.close();
    await engine.close();
    await lab[Symbol.asyncDispose]();
  }
});
