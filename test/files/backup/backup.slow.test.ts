import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backup } from '../../../src/files/backup/backup.ts';
import { backupFile } from '../../../src/files/backup/compact.ts';
import { readManifest, writeManifest } from '../../../src/files/backup/manifest.ts';
import { isBackup, restoreBackup } from '../../../src/files/backup/restore-backup.ts';
import { verifyBackup, verifyMemory } from '../../../src/files/backup/verify.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { asSet, CONVERSATION, freshPath, graphOf, remember, turn } from '../../engine/memory-fixture.ts';
import { type OpenedMemory, openMemory } from './opened-memory.ts';

const code = (wanted: string) => expect.objectContaining({ code: wanted });
const modeOf = (path: string) => statSync(path).mode & 0o777;
const backupPath = () => freshPath('.mnemis-backup');
/** Nothing of a backup that failed. */
const leftOf = (folder: string) =>
  readdirSync(join(folder, '..')).filter((name) => basename(folder) === name.replace(/\.(part|lock)$/, ''));

const restored = async (folder: string): Promise<OpenedMemory> => {
  const path = freshPath();
  await restoreBackup(folder, path);
  return openMemory(path);
};

describe('backup', () => {
  it('contains the memory and its index, in private files', async () => {
    const opened = await openMemory(freshPath());
    await remember(opened.memory, CONVERSATION);
    const wanted = asSet(await graphOf(opened.memory));
    const folder = backupPath();
    const summary = await backup(opened.context, folder);
    expect(summary).toMatchObject({ folder, files: 4, scopes: 1 });
    expect(await isBackup(folder)).toBe(true);
    expect(modeOf(folder)).toBe(0o700);
    expect(readdirSync(folder).sort()).toEqual([
      'manifest.json',
      'memory.db',
      'memory.db.indexes',
      'memory.db.seal',
      'memory.db.wal',
    ]);
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const stats = statSync(join(folder, name));
      expect(stats.mode & 0o777).toBe(stats.isDirectory() ? 0o700 : 0o600);
    }
    await remember(opened.memory, turn('This came after the backup.'));
    await opened.close();

    const copy = await restored(folder);
    expect(asSet(await graphOf(copy.memory))).toEqual(wanted);
    await copy.memory.search('puppy');
    expect((await verifyBackup(folder)).scopes[0]).toMatchObject({ index: 'equal', withoutVector: 0 });
    await copy.close();
  });

  it('made during writes restores to one moment of them, and stops no writer for long', async () => {
    const opened = await openMemory(freshPath());
    const { memory, context } = opened;
    let [isBackingUp, added] = [true, 0];
    const write = async () => {
      for (; isBackingUp || added < 30; added += 3) {
        const turns: TurnInput[] = [0, 1, 2].map((i) =>
          turn(`Turn ${added + i} is about item${added + i} in Oslo.`, {
            speaker: 'Ann',
            session: `s${added}`,
            sourceId: String(added + i),
          }),
        );
        await remember(memory, turns);
      }
    };
    const writing = write();
    const folders: [string, number][] = [];
    for (let round = 0; round < 2; round++) {
      const [folder, before] = [backupPath(), added];
      const { heldMilliseconds } = await backup(context, folder);
      expect(heldMilliseconds).toBeGreaterThan(0);
      folders.push([folder, before]);
    }
    isBackingUp = false;
    await writing;
    for (const [folder, before] of folders) {
      expect(await verifyBackup(folder)).toMatchObject({ sound: true, findings: [] });
      const copy = await restored(folder);
      const { nodes } = await graphOf(copy.memory);
      const numbers = nodes.episode.map(({ sourceId }) => Number(sourceId)).sort((a, b) => a - b);
      expect(numbers).toEqual(numbers.map((_, number) => number)); // none in between is missing
      expect(numbers.length).toBeGreaterThanOrEqual(before);
      expect(numbers.length % 3).toBe(0);
      await copy.close();
    }
    await opened.close();
  });

  it('leaves nothing when it is cancelled or cannot be written, and rejects an existing folder', async () => {
    const opened = await openMemory(freshPath());
    await remember(opened.memory, CONVERSATION);
    const folder = backupPath();
    await expect(backup(opened.context, folder, { signal: AbortSignal.abort() })).rejects.toEqual(
      code('cancelled'),
    );
    expect(leftOf(folder)).toEqual([]);
    mkdirSync(folder);
    await expect(backup(opened.context, folder)).rejects.toEqual(code('invalid-input'));
    expect(readdirSync(folder)).toEqual([]);
    const file = freshPath('.txt');
    writeFileSync(file, '');
    await expect(backup(opened.context, join(file, 'backup'))).rejects.toEqual(code('invalid-input'));
    const nowhere = { ...opened.context, store: new InMemoryStore() };
    await expect(backup(nowhere, backupPath())).rejects.toEqual(code('invalid-input'));
    await opened.close();
  });

  it('replaces the remains of a killed one', async () => {
    const path = freshPath();
    await (await openMemory(path)).close();
    const folder = backupPath();
    mkdirSync(`${folder}.part`);
    writeFileSync(join(`${folder}.part`, 'memory.db'), 'half of it');
    await backupFile(path, folder);
    expect(leftOf(folder)).toHaveLength(1);
    expect(await verifyBackup(folder)).toMatchObject({ sound: true });
  });
});

describe('a damaged backup', () => {
  let sound: string;
  beforeAll(async () => {
    const opened = await openMemory(freshPath());
    await remember(opened.memory, CONVERSATION);
    sound = backupPath();
    await backup(opened.context, sound);
    await opened.close();
  });
  afterAll(async () => expect(await verifyBackup(sound)).toMatchObject({ sound: true }));

  const flip = (file: string) => {
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(file, bytes);
  };
  const snapshotIn = (folder: string) =>
    join(folder, 'memory.db.indexes', readdirSync(join(folder, 'memory.db.indexes'))[0]!);
  const damaged = async (damage: (folder: string) => void) => {
    const folder = backupPath();
    cpSync(sound, folder, { recursive: true });
    damage(folder);
    return folder;
  };

  it.each<[string, (folder: string) => void, string]>([
    ['a changed database', (folder) => flip(join(folder, 'memory.db')), 'checksum'],
    ['a changed log', (folder) => flip(join(folder, 'memory.db.wal')), 'checksum'],
    ['a changed seal', (folder) => flip(join(folder, 'memory.db.seal')), 'checksum'],
    ['a changed snapshot', (folder) => flip(snapshotIn(folder)), 'checksum'],
    ['a shortened database', (folder) => truncateSync(join(folder, 'memory.db'), 2000), 'bytes'],
    ['a longer log', (folder) => appendFileSync(join(folder, 'memory.db.wal'), 'x'), 'bytes'],
    ['a missing log', (folder) => rmSync(join(folder, 'memory.db.wal')), 'missing'],
  ])('is reported and not restored: %s', async (_, damage, what) => {
    const folder = await damaged(damage);
    const report = await verifyBackup(folder);
    expect(report.sound).toBe(false);
    expect(report.findings).toEqual([
      {
        ...{ scope: null, code: 'backup-file', what: expect.stringContaining(what) },
        advice: expect.stringContaining('make another one'),
      },
    ]);
    const path = freshPath();
    await expect(restoreBackup(folder, path)).rejects.toEqual(code('file-unreadable'));
    expect(existsSync(path) || existsSync(`${path}.restoring`) || existsSync(`${path}.owner.lock`)).toBe(
      false,
    );
  });

  it.each<[string, (text: string) => string, RegExp]>([
    ['no JSON', (text) => text.slice(0, 200), /manifest.json is damaged/],
    ['another size', (text) => text.replace(/"bytes": (\d)/, '"bytes": 1$1'), /damaged or was changed/],
    ['a way out', (text) => text.replace('"memory.db.wal"', '"../memory.db.wal"'), /damaged or was changed/],
    ['a newer version', (text) => text.replace('"version": 1', '"version": 2'), /newer version/],
    ['megabytes of spaces', (text) => `${text}${' '.repeat(9 * 2 ** 20)}`, /too large/],
  ])('is reported: a manifest with %s', async (_, change, message) => {
    const folder = await damaged((each) => {
      const file = join(each, 'manifest.json');
      const [before, after] = [readFileSync(file, 'utf8'), change(readFileSync(file, 'utf8'))];
      expect(after).not.toBe(before);
      writeFileSync(file, after);
    });
    await expect(verifyBackup(folder)).rejects.toThrow(message);
    await expect(restoreBackup(folder, freshPath())).rejects.toThrow(message);
  });

  it('is reported when it is complete, but of another commit or database than it says', async () => {
    const folder = await damaged(() => undefined);
    const { format: _, version: __, ...manifest } = await readManifest(folder);
    const rewrite = async (change: Partial<typeof manifest>) => {
      rmSync(join(folder, 'manifest.json'));
      await writeManifest(folder, { ...manifest, ...change });
      const { sound, findings } = await verifyBackup(folder);
      return [sound, ...findings.map(({ what }) => what)];
    };
    expect(await rewrite({})).toEqual([true]);
    const [state] = manifest.scopes;
    const other = { ...state!, token: state!.token + 1 };
    expect(await rewrite({ scopes: [other] })).toEqual([false, expect.stringContaining('commit')]);
    expect(await rewrite({ scopes: [state!, { ...other, scope: 'b' }] })).toEqual([
      false,
      '1 scopes of the manifest are missing',
    ]);
    expect(await rewrite({ databaseId: 'other' })).toEqual([
      false,
      expect.stringContaining('not the database'),
    ]);
  });

  it('is reported when its manifest is no file, or has no time or an endless name', async () => {
    const folder = await damaged((each) => {
      renameSync(join(each, 'manifest.json'), join(each, 'other.json'));
      symlinkSync(join(each, 'other.json'), join(each, 'manifest.json'));
    });
    await expect(readManifest(folder)).rejects.toThrow(/not a regular file/);
    const { format: _, version: __, ...manifest } = await readManifest(sound);
    for (const change of [{ createdAt: 'soon' }, { databaseId: 'x'.repeat(1_001) }])
      await expect(writeManifest(backupPath(), { ...manifest, ...change })).rejects.toThrow();
  });

  it('that is no backup is reported', async () => {
    const folder = backupPath();
    expect(await isBackup(folder)).toBe(false);
    await expect(verifyBackup(folder)).rejects.toEqual(code('file-unreadable'));
  });
});

describe('restore', () => {
  it('replaces a memory only on request, and only one that nobody has open', async () => {
    const path = freshPath();
    const opened = await openMemory(path);
    await remember(opened.memory, CONVERSATION);
    const wanted = asSet(await graphOf(opened.memory));
    const folder = backupPath();
    await backup(opened.context, folder);
    await remember(opened.memory, turn('Zoe keeps bees in Turku.', { session: 'later' }));
    await expect(restoreBackup(folder, path, { replace: true })).rejects.toEqual(code('database-locked'));
    await opened.close();
    await expect(restoreBackup(folder, path)).rejects.toEqual(code('invalid-input'));
    const stop = AbortSignal.abort();
    await expect(restoreBackup(folder, path, { replace: true, signal: stop })).rejects.toEqual(
      code('cancelled'),
    );
    let now = await openMemory(path);
    expect((await now.memory.search('bees')).episodes[0]?.content).toContain('Turku');
    await now.close();

    const summary = await restoreBackup(folder, path, { replace: true });
    expect(summary).toMatchObject({ path, scopes: 1, rows: expect.any(Number) });
    expect(readdirSync(join(path, '..')).filter((name) => name.includes('restoring'))).toEqual([]);
    expect(modeOf(path)).toBe(0o600);
    now = await openMemory(path);
    expect(asSet(await graphOf(now.memory))).toEqual(wanted);
    expect((await now.memory.search('bees')).episodes.map(({ content }) => content)).not.toContain(
      'Zoe keeps bees in Turku.',
    );
    await now.close();
    expect(await verifyMemory(path)).toMatchObject({ sound: true });
  });

  it('opens the files of an interrupted restore before it counts as complete', async () => {
    const path = freshPath();
    const opened = await openMemory(path);
    await remember(opened.memory, CONVERSATION);
    const folder = backupPath();
    await backup(opened.context, folder);
    await opened.close();
    writeFileSync(`${path}.restoring`, 'no database');
    writeFileSync(`${path}.swap`, JSON.stringify({ id: 'r', step: 'ready', tries: 0 }));
    await expect(restoreBackup(folder, path)).rejects.toEqual(code('invalid-input'));
    expect(JSON.parse(readFileSync(`${path}.swap`, 'utf8'))).toMatchObject({ step: 'undone' });
    expect(existsSync(`${path}.replaced`)).toBe(false);
    expect(await verifyMemory(path)).toMatchObject({ sound: true });
  });

  it('replaces a memory that cannot be opened any more', async () => {
    const path = freshPath();
    const opened = await openMemory(path);
    await remember(opened.memory, CONVERSATION);
    const folder = backupPath();
    await backup(opened.context, folder);
    await opened.close();
    renameSync(path, `${path}.lost`);
    writeFileSync(`${path}.wal`, 'a log without its database');
    await expect(restoreBackup(folder, path)).rejects.toEqual(code('invalid-input'));
    await restoreBackup(folder, path, { replace: true });
    expect(await verifyMemory(path)).toMatchObject({ sound: true });
    expect(existsSync(`${path}.restoring`)).toBe(false);
  });
});
