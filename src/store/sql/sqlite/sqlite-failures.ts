import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  DatabaseCorruptError,
  DiskFullError,
  MnemisError,
  StoreReadError,
  StoreWriteError,
} from '../../../errors/index.ts';

/** SQLite's messages name tables and columns, never values. */
export function asSqliteError(path: string, error: unknown, doing: 'open' | 'read' | 'write'): MnemisError {
  if (MnemisError.isInstance(error)) return error;
  const message = messageOf(error);
  if (isDiskFull(path, error)) return new DiskFullError(path, error);
  if (/not a database/i.test(message))
    return new DatabaseCorruptError(path, 'it is not an SQLite database, or its beginning is damaged', error);
  if (/malformed/i.test(message))
    return new DatabaseCorruptError(path, 'it is a damaged SQLite database', error);
  if (doing === 'write') return new StoreWriteError(message, error);
  return new StoreReadError(message, error);
}

/** A failed write leaves less than this free if the disk was full: what it had written stays in the log. */
const LITTLE_ROOM = 2 ** 20;

/** Whether there was no room. SQLite's file access here gives no reason for a write that failed. */
export function isDiskFull(path: string, error: unknown): boolean {
  const message = messageOf(error);
  if (/disk is full|ENOSPC|EDQUOT|EFBIG/i.test(message)) return true;
  return /disk I\/O error/i.test(message) && freeBytes(dirname(path)) < LITTLE_ROOM;
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
