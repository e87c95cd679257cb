import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { besideMemory } from '../../main/beside-memory.ts';
import { dataFolder } from '../../src/util/files.ts';

const ENVIRONMENT = { XDG_DATA_HOME: '/data', LOCALAPPDATA: '/data' };
const beside = (path: string) => besideMemory(path, ENVIRONMENT);

describe('besideMemory', () => {
  it.each(['/home/nora/memory.db', ':memory:'])('is the path itself: %s', (path) => {
    expect(beside(path)).toBe(path);
  });

  it('is in a folder of the database under the data folder, whose name tells nothing', () => {
    const place = beside('postgres://nora:secret@db.example/memory');
    expect(place.startsWith(join(dataFolder(ENVIRONMENT), 'databases'))).toBe(true);
    expect(place).toMatch(/[\\/][0-9a-f]{32}[\\/]memory$/);
  });

  const SAME = 'postgres://nora:secret@db.example/memory';
  it.each([
    'postgres://nora:other@db.example/memory',
    'postgresql://nora@DB.example:5432/memory',
    'postgres://nora@db.example/memory?password=secret&sslmode=require',
    'postgres:///memory?host=db.example&user=nora',
  ])('is the same for %s', (url) => expect(beside(url)).toBe(beside(SAME)));

  it.each([
    'postgres://ana:secret@db.example/memory',
    'postgres://nora:secret@db.example:5433/memory',
    'postgres://nora:secret@other.example/memory',
    'postgres://nora:secret@db.example/memory?host=/run/postgresql',
    'postgres://nora:secret@db.example/other',
  ])('is another one for %s', (url) => expect(beside(url)).not.toBe(beside(SAME)));
});
