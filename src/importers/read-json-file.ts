import { isUtf8 } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { FileUnreadableError } from '../errors/file-unreadable-error.ts';
import { parseJson } from './parse-json.ts';
import { throwIfCancelled } from './tolerate.ts';
import { foreignStart, unreadable } from './unreadable.ts';

/** JSON has to be held whole; V8's longest string is 512 MB. */
export const MAX_JSON_BYTES = 400 * 1024 * 1024;

/** The parsed file, still to be checked by a schema. Throws FileUnreadableError, saying where it broke. */
export async function readJsonFile(path: string, signal?: AbortSignal): Promise<unknown> {
  const bytes = await readBytes(path, signal);
  const foreign = foreignStart(bytes);
  if (foreign !== null) throw new FileUnreadableError(path, foreign);
  if (!isUtf8(bytes))
    throw new FileUnreadableError(path, `it is not UTF-8 text near byte ${findBadByte(bytes)}`);
  const json = parseJson(new TextDecoder().decode(bytes));
  if (!json.ok) throw new FileUnreadableError(path, json.reason);
  return json.value;
}

async function readBytes(path: string, signal: AbortSignal | undefined): Promise<Buffer> {
  throwIfCancelled(signal);
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    await checkSize(path, file);
    return await file.readFile(signal === undefined ? {} : { signal });
  } catch (cause) {
    throwIfCancelled(signal);
    throw unreadable(path, cause);
  } finally {
    await file?.close();
  }
}

async function checkSize(path: string, file: FileHandle): Promise<void> {
  const status = await file.stat();
  if (status.isDirectory()) throw new FileUnreadableError(path, 'it is a directory');
  if (!status.isFile()) throw new FileUnreadableError(path, 'it is not a regular file');
  if (status.size > MAX_JSON_BYTES)
    throw new FileUnreadableError(path, `it is larger than ${MAX_JSON_BYTES / 1024 / 1024} MB; split it`);
}

/** To within a step: the decoder reports that a byte is wrong, not which. */
function findBadByte(bytes: Uint8Array): number {
  const step = 1024;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (let at = 0; at < bytes.length; at += step) {
    try {
      decoder.decode(bytes.subarray(at, at + step), { stream: true });
    } catch {
      return at;
    }
  }
  return bytes.length;
}
