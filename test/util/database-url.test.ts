import { expect, it } from 'vitest';
import { isDatabaseUrl, withoutPassword } from '../../src/util/database-url.ts';

it.each([
  ['postgres://nora:secret@db.example:5433/memory', 'postgres://nora@db.example:5433/memory'],
  ['postgresql://db.example/memory?user=nora&password=secret', 'postgresql://db.example/memory'],
  ['postgres://nora:secret%40x@db/memory#secret', 'postgres://nora@db/memory'],
  ['postgres:///memory?host=/run&password=secret', 'postgres:///memory'],
  ['postgres://nora:sec/ret@db:5432/memory', 'postgres://…'],
  ['POSTGRES://nora:secret@db:port/memory', 'POSTGRES://…'],
  ['/home/nora/memory.db', '/home/nora/memory.db'],
  ['memory:secret@x', 'memory:secret@x'],
])('withoutPassword of %s is %s', (location, shown) => {
  expect(withoutPassword(location)).toBe(shown);
  expect(isDatabaseUrl(location)).toBe(/^postgres/i.test(location));
});
