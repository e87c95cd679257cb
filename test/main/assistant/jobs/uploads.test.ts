import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Uploads } from '../../../../main/assistant/jobs/uploads.ts';
import { AppStore } from '../../../../main/assistant/store/app-store.ts';
import { AppLab, chatLines } from './app-lab.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('uploads', () => {
  let lab: AppLab;
  beforeEach(async () => {
    lab = await AppLab.open();
  });
  afterEach(() => lab[Symbol.asyncDispose]());

  it('takes parts in order, and one that was received again', async () => {
    const { client } = lab;
    const part = (offset: number, text: string) =>
      client.uploadPart({ upload: 'u', offset, data: base64(text) });
    expect(await client.beginUpload({ upload: 'u', name: 'a.txt', bytes: 11 })).toEqual({ upload: 'u' });
    expect(await client.beginUpload({ upload: 'u', name: 'a.txt', bytes: 11 })).toEqual({ upload: 'u' });
    expect(await part(0, 'Hello')).toEqual({ received: 5, isComplete: false });
    expect(await part(0, 'Hello')).toEqual({ received: 5, isComplete: false });
    expect(await part(3, 'lo wo')).toEqual({ received: 8, isComplete: false });
    await expect(part(9, 'ld')).rejects.toThrow('8 bytes were received, and the part begins at 9');
    await expect(part(8, 'rld!')).rejects.toThrow('ends beyond the size');
    expect(await part(8, 'rld')).toEqual({ received: 11, isComplete: true });
    expect(await part(8, 'rld')).toEqual({ received: 11, isComplete: true });
    expect(await readFile(join(lab.uploads, 'u'), 'utf8')).toBe('Hello world');
    expect((await stat(lab.uploads)).mode & 0o777).toBe(0o700);
    expect((await stat(join(lab.uploads, 'u'))).mode & 0o777).toBe(0o600);
    await client.deleteUpload({ upload: 'u' });
    await client.deleteUpload({ upload: 'u' });
    await expect(part(0, 'x')).rejects.toMatchObject({ code: 'upload-missing' });
  });

  it('takes parts sent at once as if they came in order', async () => {
    await lab.client.beginUpload({ upload: 'u', name: 'a.txt', bytes: 3 });
    const replies = await Promise.all(
      ['a', 'b', 'c'].map((text, offset) =>
        lab.client.uploadPart({ upload: 'u', offset, data: base64(text) }),
      ),
    );
    expect(replies.at(-1)).toEqual({ received: 3, isComplete: true });
    expect(await readFile(join(lab.uploads, 'u'), 'utf8')).toBe('abc');
  });

  it.each(['abc', 'a*==', '====', 'YQ', 'Y Q='])('refuses a part that is not base64: %s', async (data) => {
    await lab.client.beginUpload({ upload: 'u', name: 'a.txt', bytes: 10 });
    await expect(lab.client.uploadPart({ upload: 'u', offset: 0, data })).rejects.toMatchObject({
      code: 'invalid-input',
    });
  });

  it('never makes a path of a name or an id', async () => {
    const { client } = lab;
    for (const upload of ['../u', 'a/b', '.', 'u.txt', ''])
      await expect(client.beginUpload({ upload, name: 'a.txt', bytes: 1 })).rejects.toMatchObject({
        code: 'invalid-input',
      });
    for (const name of ['..', '/', 'a/..', 'ä'.repeat(200)])
      await expect(client.beginUpload({ upload: 'bad', name, bytes: 1 })).rejects.toMatchObject({
        code: 'invalid-input',
      });
    const line = `${chatLines(1)}\n`;
    for (const [upload, name, shown] of [
      ['one', '../../etc/passwd.jsonl', 'passwd.jsonl'],
      ['two', 'C:\\fakepath\\chat.jsonl', 'chat.jsonl'],
      ['three', 'evil\u202Elnosj.\u0007jsonl', 'evil?lnosj.?jsonl'],
    ] as const) {
      await lab.upload(upload, name, line);
      expect((await client.previewUpload({ upload, scope: 'ana' })).name).toBe(shown);
    }
  });

  it('refuses another file under the same id', async () => {
    await lab.client.beginUpload({ upload: 'u', name: 'a.txt', bytes: 3 });
    await expect(lab.client.beginUpload({ upload: 'u', name: 'a.txt', bytes: 4 })).rejects.toThrow(
      'begun for another file',
    );
  });

  it('deletes what is a day old, and what a crash left, and refuses what has no room', async () => {
    const { client } = lab;
    await client.beginUpload({ upload: 'old', name: 'a.txt', bytes: 3 });
    await writeFile(join(lab.uploads, 'stray'), 'left');
    await lab.reopen();
    await expect(stat(join(lab.uploads, 'stray'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await stat(join(lab.uploads, 'old'))).size).toBe(0);
    await lab.close();
    const store = await AppStore.open(lab.path);
    try {
      const uploads = new Uploads({ store, clock: () => Date.now() + 25 * 3_600_000 });
      await uploads.clean((id) => id === 'old');
      expect(uploads.find('old')).not.toBeNull();
      await uploads.clean(() => false);
      expect(uploads.find('old')).toBeNull();
      await expect(stat(join(lab.uploads, 'old'))).rejects.toMatchObject({ code: 'ENOENT' });
      await expect(uploads.begin({ upload: 'huge', name: 'a.txt', bytes: 1e18 })).rejects.toMatchObject({
        code: 'not-enough-room',
      });
      expect(uploads.find('huge')).toBeNull();
    } finally {
      await store.close();
    }
  });

  it('says why a part cannot be written, and keeps the earlier ones', async () => {
    const path = join(lab.uploads, 'u');
    const second = () => lab.client.uploadPart({ upload: 'u', offset: 2, data: base64('cd') });
    await lab.client.beginUpload({ upload: 'u', name: 'a.txt', bytes: 4 });
    await lab.client.uploadPart({ upload: 'u', offset: 0, data: base64('ab') });
    await rename(path, `${path}-kept`);
    await mkdir(path);
    await expect(second()).rejects.toMatchObject({ code: 'upload-failed' });
    await rm(path, { recursive: true });
    if (existsSync('/dev/full')) {
      await symlink('/dev/full', path); // every write there meets a full disk
      await expect(second()).rejects.toMatchObject({ code: 'disk-full' });
      await rm(path);
    }
    await expect(second()).rejects.toMatchObject({ code: 'upload-missing' });
    await rename(`${path}-kept`, path);
    expect(await second()).toMatchObject({ received: 4, isComplete: true });
    expect(await readFile(path, 'utf8')).toBe('abcd');
  });
});
