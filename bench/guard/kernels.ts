import sqlite from 'node-sqlite3-wasm';
import { randomNumbers, wordOf } from '../synthetic-turns.ts';

/** Work with which a figure is compared, so that it says the same on another machine. */
export type Kernel = 'text' | 'sqlite';

/** Milliseconds of processor time of all threads since `before`. */
export function processorMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const random = randomNumbers(3);
const TEXTS = Array.from({ length: 2_000 }, () =>
  Array.from({ length: 30 }, () => wordOf(Math.floor(30_000 ** random()))).join(' '),
);
const VECTOR = Float32Array.from({ length: 256 }, random);

/** Words of texts, counted in maps, and products of vectors: what reading and searching do. */
function text(): number {
  const counts = new Map<string, number>();
  let sum = 0;
  for (let round = 0; round < 2; round++)
    for (const each of TEXTS) {
      for (const word of each.toLowerCase().split(' ')) counts.set(word, (counts.get(word) ?? 0) + 1);
      const { length } = JSON.stringify(JSON.parse(JSON.stringify({ each, length: each.length })));
      for (let at = 0; at < VECTOR.length; at++) sum += VECTOR[at]! * length;
    }
  return sum + counts.size;
}

/** The same, with rows in a table: SQLite runs as WebAssembly. */
function table(): number {
  const database = new sqlite.Database(':memory:');
  database.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT); CREATE INDEX texts ON rows (text)');
  database.exec('BEGIN');
  const insert = database.prepare('INSERT INTO rows (text) VALUES (?)');
  for (const each of TEXTS) insert.run([each]);
  insert.finalize();
  database.exec('COMMIT');
  const rows = database.all('SELECT text, count(*) AS count FROM rows GROUP BY text ORDER BY text DESC');
  database.close();
  return rows.length;
}

const KERNELS: Readonly<Record<Kernel, () => number>> = { text, sqlite: () => text() + table() };
const ROUNDS = 5;

/** Milliseconds of processor time of a round of the kernel, on average: other programs slow it as they slow the work. */
export function timeKernel(kernel: Kernel): number {
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) KERNELS[kernel]();
  return processorMs(before) / ROUNDS;
}
