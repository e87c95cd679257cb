import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Mnemis } from '../../src/engine.ts';
import { checkMemory } from '../../src/files/backup/check-memory.ts';
import type { CheckReport } from '../../src/files/backup/check-report.ts';
import type { Scope } from '../../src/model/ids.ts';
import type { GraphStore } from '../../src/store/graph-store.ts';
import { killProgram } from '../child-program.ts';
import { seededRandom } from '../search/random.ts';
import { type FileStoreCase, openFileStore } from '../store/file-stores.ts';
import { embedderOf, silent } from './works.ts';

const CHILD = new URL('./kill-program.ts', import.meta.url).pathname;
/** A file that lives on grows, and each look at it takes longer. */
const KILLS_PER_FILE = 50;
/** After the file is open, by when several works have been done. */
const LONGEST_MILLISECONDS = 2_000;

export interface KillsOptions {
  readonly count: number;
  readonly seed: number;
  readonly folder: string;
  readonly ending: FileStoreCase['ending'];
  readonly log?: (line: string) => void;
}

export interface KillsReport {
  readonly kills: number;
  /** Kills by the work that was under way; `between` two of them, `open` before the first. */
  readonly during: Readonly<Record<string, number>>;
  /** Turns that were acknowledged and are not forgotten, and so were looked for. */
  readonly acknowledged: number;
  readonly forgotten: number;
  readonly slowestOpenMilliseconds: number;
}

/** What one file must hold. */
interface Expected {
  /** By number: turns that were acknowledged, or seen after a kill. */
  readonly turns: Set<number>;
  readonly forgotten: Set<number>;
  next: number;
}

/** What the lines of a killed process say. */
interface Said {
  readonly during: string;
  /** Turns whose acknowledgement was cut off. */
  readonly adding: readonly number[];
  /** Turns whose forgetting was: all of them go, or none. */
  readonly forgetting: readonly number[];
}

/**
 * Kills a process at random moments of its work on a memory, again and again, and holds the file against what was
 * acknowledged after each: it opens, no turn is lost or doubled, and `verify` finds nothing.
 *
 * @throws Error with the seed and the number of the kill.
 */
export async function runKills({ count, seed, folder, ending, log }: KillsOptions): Promise<KillsReport> {
  const random = seededRandom(seed);
  const during: Record<string, number> = {};
  const totals = { acknowledged: 0, forgotten: 0, slowestOpenMilliseconds: 0 };
  let path = '';
  let expected: Expected = { turns: new Set(), forgotten: new Set(), next: 0 };
  for (let kill = 0; kill < count; kill += 1) {
    if (kill % KILLS_PER_FILE === 0) {
      path = join(folder, `kills-${seed}-${kill}${ending}`);
      expected = { turns: new Set(), forgotten: new Set(), next: 0 };
    }
    const programSeed = Math.floor(random() * 1e6);
    const milliseconds = random() * LONGEST_MILLISECONDS;
    try {
      const embedders = await embeddersOf(path, kill % KILLS_PER_FILE === 0);
      const argv = [path, programSeed, embedders.now, embedders.next, expected.next].map(String);
      const { lines, errors, signal } = await killProgram(
        CHILD,
        [...argv, JSON.stringify(sessionsOf(expected))],
        (printed) => printed.includes('open'),
        milliseconds,
      );
      if (signal !== 'SIGKILL' || errors !== '') throw new Error(`the process ended by itself: ${errors}`);
      const said = heard(lines, expected);
      during[said.during] = (during[said.during] ?? 0) + 1;
      const opened = await checkAfter(path, expected, said);
      totals.slowestOpenMilliseconds = Math.max(totals.slowestOpenMilliseconds, opened);
      totals.acknowledged = Math.max(totals.acknowledged, expected.turns.size);
      totals.forgotten = Math.max(totals.forgotten, expected.forgotten.size);
      log?.(
        `kill ${kill + 1} of ${count} during ${said.during}: ${expected.turns.size} turns, opened in ${Math.round(opened)} ms`,
      );
    } catch (error) {
      throw new Error(`Seed ${seed}, kill ${kill + 1} (${path}): ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
  return { kills: count, during, ...totals };
}

async function embeddersOf(path: string, isNew: boolean): Promise<{ now: number; next: number }> {
  if (isNew) return { now: 32, next: 0 };
  const store = await openFileStore(path);
  const { fingerprint, nextFingerprint } = store.describe();
  await store.close();
  return { now: fingerprint?.dimension ?? 32, next: nextFingerprint?.dimension ?? 0 };
}

const sessionOf = (turn: number) => `session ${Math.floor(turn / 8)}`;
const sessionsOf = ({ turns }: Expected) => [...new Set([...turns].map(sessionOf))];
const inSession = ({ turns }: Expected, session: string) =>
  [...turns].filter((turn) => sessionOf(turn) === session);

/** Takes what was acknowledged into what is expected. */
function heard(lines: readonly string[], expected: Expected): Said {
  let during = 'between';
  let adding: number[] = [];
  let forgetting: number[] = [];
  for (const line of lines) {
    const [what, ...rest] = line.split(' ');
    const [from = 0, length = 0] = rest.map(Number);
    if (what === 'begins') during = rest[0] ?? '';
    if (what === 'ends') during = 'between';
    if (what === 'adding') {
      adding = Array.from({ length }, (_, at) => from + at);
      expected.next = from + length;
    }
    if (what === 'added') {
      for (const turn of adding) expected.turns.add(turn);
      adding = [];
    }
    if (what === 'forgetting') forgetting = inSession(expected, rest.join(' '));
    if (what === 'forgot') {
      forget(expected, forgetting);
      forgetting = [];
    }
  }
  return { during, adding, forgetting };
}

function forget(expected: Expected, turns: readonly number[]): void {
  for (const turn of turns) {
    expected.turns.delete(turn);
    expected.forgotten.add(turn);
  }
}

/** @returns how long the first open took. */
async function checkAfter(path: string, expected: Expected, said: Said): Promise<number> {
  const folder = dirname(path);
  for (const name of readdirSync(folder).filter((each) => each.startsWith(`${basename(path)}.backup-`)))
    rmSync(join(folder, name), { recursive: true, force: true });
  const started = performance.now();
  const store = await openFileStore(path);
  const opened = performance.now() - started;
  const { fingerprint } = store.describe();
  expectSound(AS_LEFT, await checked(store));
  await store.close();
  const embedder = embedderOf(fingerprint?.dimension ?? 32);
  const mnemis = await Mnemis.open({ path, automatic: false, embedder, logger: silent });
  try {
    await mnemis.scope('a').settle(); // ends a forgetting, as whatever comes next does
    await mnemis.scope('a').search('fern'); // loads the index, or the snapshot that the process had written
  } finally {
    await mnemis.close();
  }
  const again = await openFileStore(path);
  try {
    expectSound('after it was opened', await checked(again));
    await expectTurns(again, expected, said);
  } finally {
    await again.close();
  }
  return opened;
}

const AS_LEFT = 'as the kill left it';
const checked = (store: GraphStore) =>
  checkMemory({ store, snapshotFolder: `${store.describe().path}.indexes` });

/** Work that was under way may wait to be ended: a move until somebody goes on with it, a forgetting until the next use. */
function expectSound(when: string, { sound, findings }: CheckReport): void {
  const isUsed = when !== AS_LEFT;
  if (!sound || (isUsed && findings.some(({ code }) => code === 'unfinished-forgetting')))
    throw new Error(`verify ${when}: ${findings.map(({ what }) => what).join('; ')}`);
}

async function expectTurns(
  store: GraphStore,
  expected: Expected,
  { adding, forgetting }: Said,
): Promise<void> {
  const numbers: number[] = [];
  for await (const rows of store.scan('a' as Scope, 'episode', ['sourceId', 'expiredAt']))
    for (const { sourceId, expiredAt } of rows) if (expiredAt === null) numbers.push(Number(sourceId));
  const found = new Set(numbers);
  if (found.size < numbers.length) throw new Error(`${numbers.length - found.size} turns are there twice`);
  const gone = forgetting.filter((turn) => !found.has(turn));
  if (gone.length > 0 && gone.length < forgetting.length)
    throw new Error(`a forgetting took ${gone.length} of ${forgetting.length} turns`);
  forget(expected, gone);
  const lost = [...expected.turns].filter((turn) => !found.has(turn));
  if (lost.length > 0) throw new Error(`${lost.length} acknowledged turns are lost`);
  const back = [...expected.forgotten].filter((turn) => found.has(turn));
  if (back.length > 0) throw new Error(`${back.length} forgotten turns are back`);
  for (const turn of adding) if (found.has(turn)) expected.turns.add(turn);
  const strange = numbers.filter((turn) => !expected.turns.has(turn));
  if (strange.length > 0) throw new Error(`${strange.length} turns are there that nobody added`);
}
