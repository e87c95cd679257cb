import { type FileHandle, open, rm, stat, statfs, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import {
  DiskFullError,
  InvalidInputError,
  type MnemisError,
  NotEnoughRoomError,
} from '../../../src/errors/index.ts';
import { defineError } from '../../../src/errors/mnemis-error.ts';
import { shownName } from '../../../src/importers/files/import-file.ts';
import { filesIn, makeFolder } from '../../../src/util/files.ts';
import { SerialQueue } from '../../../src/util/serial-queue.ts';
import { MOST_PART_BYTES } from '../../contract/jobs.ts';
import type { AppContext } from '../app-context.ts';

/** An upload that is not used for so long is deleted. */
const UNUSED_MILLISECONDS = 24 * 3_600_000;
/** Of free space that an upload leaves for memory itself. */
const ROOM_LEFT_BYTES = 200e6;
const LONGEST_NAME_BYTES = 255;

export interface Upload {
  readonly id: string;
  /** The file's own name: for people and for the detection of its format, never a path. */
  readonly name: string;
  readonly bytes: number;
  readonly received: number;
  readonly begunAt: number;
  /** When the file was last changed, where the client said so. */
  readonly modifiedAt: number | null;
}

const rowSchema = z.object({
  id: z.string(),
  name: z.string(),
  bytes: z.number(),
  received: z.number(),
  begun_at: z.number(),
  modified_at: z.number().nullable(),
});

interface UploadBegin {
  readonly upload: string;
  readonly name: string;
  readonly bytes: number;
  readonly modifiedAt?: number | undefined;
}

interface UploadPart {
  readonly upload: string;
  readonly offset: number;
  /** Base64. */
  readonly data: string;
}

/** Files that clients send in parts. Each is named by its id in a folder that only the user can read. */
export class Uploads {
  readonly #context: Pick<AppContext, 'store' | 'clock'>;
  /** Parts of one upload are written one after another. */
  readonly #writing = new Map<string, SerialQueue>();

  constructor(context: Pick<AppContext, 'store' | 'clock'>) {
    this.#context = context;
  }

  /**
   * Idempotent for the same file.
   *
   * @throws InvalidInputError, NotEnoughRoomError: nothing was begun.
   */
  async begin({ upload: id, bytes, ...about }: UploadBegin): Promise<void> {
    const name = plainName(about.name);
    const known = this.find(id);
    if (known !== null) {
      if (known.name === name && known.bytes === bytes) return;
      throw new InvalidInputError('An upload with this id was begun for another file');
    }
    const { store, clock } = this.#context;
    await makeFolder(store.uploads);
    await this.#checkRoom(bytes);
    await this.#create(id);
    store.file.run('INSERT INTO upload VALUES (?, ?, ?, 0, ?, ?)', [
      ...[id, name, bytes, clock()],
      about.modifiedAt ?? null,
    ]);
  }

  /**
   * Appends a part; one that was received already is accepted again.
   *
   * @throws InvalidInputError for a part that does not fit, UploadMissingError, DiskFullError: the earlier parts are
   *   kept.
   */
  append(part: UploadPart): Promise<{ received: number; isComplete: boolean }> {
    const queue = this.#writing.get(part.upload) ?? new SerialQueue();
    this.#writing.set(part.upload, queue);
    return queue.run(() => this.#append(part));
  }

  async #append({
    upload: id,
    offset,
    data,
  }: UploadPart): Promise<{ received: number; isComplete: boolean }> {
    const { bytes, received, modifiedAt } = this.get(id);
    const part = readBase64(data);
    const end = offset + part.length;
    if (offset > received)
      throw new InvalidInputError(
        `A part of the upload is missing: ${received} bytes were received, and the part begins at ${offset}`,
      );
    if (end > bytes)
      throw new InvalidInputError(`The part ends beyond the size that the upload was begun with, ${bytes}`);
    const now = Math.max(received, end);
    if (end > received) {
      await this.#write(id, part, offset);
      this.#context.store.file.run('UPDATE upload SET received = ? WHERE id = ?', [now, id]);
    }
    const isComplete = now === bytes;
    if (isComplete) this.#writing.delete(id);
    if (isComplete && modifiedAt !== null)
      await utimes(this.path(id), modifiedAt / 1000, modifiedAt / 1000).catch(() => undefined); // only a default date
    return { received: now, isComplete };
  }

  async #write(id: string, part: Buffer, offset: number): Promise<void> {
    let file: FileHandle | undefined;
    try {
      file = await open(this.path(id), 'r+');
      let written = 0;
      while (written < part.length)
        written += (await file.write(part, written, part.length - written, offset + written)).bytesWritten;
      await file.datasync(); // the table must not count bytes that a power failure can take
    } catch (error) {
      throw uploadFailure(this.#context.store.uploads, error);
    } finally {
      await file?.close();
    }
  }

  async #create(id: string): Promise<void> {
    try {
      await rm(this.path(id), { force: true }); // left by a crash before its row was written
      await (await open(this.path(id), 'wx', 0o600)).close();
    } catch (error) {
      throw uploadFailure(this.#context.store.uploads, error);
    }
  }

  async #checkRoom(bytes: number): Promise<void> {
    const { bavail, bsize } = await statfs(this.#context.store.uploads);
    const freeBytes = bavail * bsize;
    const neededBytes = bytes + ROOM_LEFT_BYTES;
    if (neededBytes > freeBytes) throw new NotEnoughRoomError('The upload', { neededBytes, freeBytes });
  }

  find(id: string): Upload | null {
    const [row] = this.#context.store.file.all('SELECT * FROM upload WHERE id = ?', [id]);
    return row === undefined ? null : uploadOf(row);
  }

  /** @throws UploadMissingError */
  get(id: string): Upload {
    const upload = this.find(id);
    if (upload === null) throw new UploadMissingError();
    return upload;
  }

  /**
   * An upload with all its bytes.
   *
   * @throws UploadMissingError, InvalidInputError
   */
  async whole(id: string): Promise<Upload & { readonly path: string }> {
    const upload = this.get(id);
    if (upload.received < upload.bytes)
      throw new InvalidInputError(
        `The upload is not complete: ${upload.received} of ${upload.bytes} bytes were received`,
      );
    const path = this.path(id);
    const status = await stat(path).catch(() => null);
    if (status?.size !== upload.bytes) throw new UploadMissingError();
    return { ...upload, path };
  }

  /** Idempotent. */
  async delete(id: string): Promise<void> {
    this.#writing.delete(id);
    this.#context.store.file.run('DELETE FROM upload WHERE id = ?', [id]);
    await rm(this.path(id), { force: true });
  }

  /** Deletes uploads that are unused for a day. `isInUse` protects those of jobs. */
  async clean(isInUse: (id: string) => boolean): Promise<void> {
    const { store, clock } = this.#context;
    const oldest = clock() - UNUSED_MILLISECONDS;
    const rows = store.file.all('SELECT * FROM upload WHERE begun_at < ?', [oldest]).map(uploadOf);
    for (const { id } of rows) if (!isInUse(id)) await this.delete(id);
  }

  /** Deletes files without a row, which a crash left. Only for opening, before any upload begins. */
  async removeStrays(): Promise<void> {
    const { store } = this.#context;
    const known = new Set(store.file.all('SELECT id FROM upload').map(({ id }) => id));
    for (const name of await filesIn(store.uploads))
      if (!known.has(name)) await rm(join(store.uploads, name), { force: true });
  }

  /** Ids have neither slashes nor dots. */
  path(id: string): string {
    return join(this.#context.store.uploads, id);
  }
}

function uploadOf(row: unknown): Upload {
  const { begun_at: begunAt, modified_at: modifiedAt, ...upload } = rowSchema.parse(row);
  return { ...upload, begunAt, modifiedAt };
}

/** The last part of a name, without characters that could control a terminal or hide its end. */
function plainName(name: string): string {
  const plain = shownName(name.split(/[\\/]/).at(-1) ?? '').trim();
  if (plain === '' || /^\.+$/.test(plain)) throw new InvalidInputError('The name of the file is empty');
  if (Buffer.byteLength(plain) > LONGEST_NAME_BYTES)
    throw new InvalidInputError(`The name of the file is longer than ${LONGEST_NAME_BYTES} bytes; rename it`);
  return plain;
}

/** Node.js skips characters that are not base64, so the length tells whether there were any. */
function readBase64(data: string): Buffer {
  const bytes = Buffer.from(data, 'base64');
  const padding = /={1,2}$/.exec(data)?.[0].length ?? 0;
  if (data.length % 4 !== 0 || bytes.length !== (data.length / 4) * 3 - padding)
    throw new InvalidInputError('The part is not base64');
  if (bytes.length > MOST_PART_BYTES)
    throw new InvalidInputError(`The part has more than ${MOST_PART_BYTES} bytes`);
  return bytes;
}

function uploadFailure(folder: string, error: unknown): MnemisError {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new DiskFullError(folder, error, 'the parts of the upload that were acknowledged are kept');
  return code === 'ENOENT' ? new UploadMissingError() : new UploadFailedError(folder, code, error);
}

/** No upload has this id: it was deleted after a day, or after its job. */
export class UploadMissingError extends defineError('upload-missing', () => ({
  message:
    'The uploaded file is no longer there; memory keeps what was stored from it. Upload the file again.',
})) {}

/** The system refused to write an upload. */
export class UploadFailedError extends defineError(
  'upload-failed',
  (folder: string, reason: string | undefined, cause?: unknown) => ({
    message: `The upload could not be written to ${folder} (${reason ?? 'unknown error'}); the parts that were acknowledged are kept. Check the folder and try again.`,
    cause,
  }),
) {}
