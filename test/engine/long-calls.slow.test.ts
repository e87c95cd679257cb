import { statSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { Run } from '../../src/engine/run.ts';
import type { Mnemis } from '../../src/engine.ts';
import type { TurnRecord } from '../../src/importers/importer.ts';
import { CountingEmbedder } from './counting-embedder.ts';
import { freshPath, open, turn } from './memory-fixture.ts';

const TURNS = 60;
const records = (): TurnRecord[] =>
  Array.from({ length: TURNS }, (_, number) => ({
    kind: 'turn',
    where: `line ${number}`,
    turn: turn(`I bought item${number} in Oslo.`, { session: `s${number % 4}`, sourceId: String(number) }),
  }));

interface LongCall {
  readonly name: string;
  readonly ending?: string;
  /** Where its work can be seen afterwards. */
  readonly isDone: (engine: Mnemis) => Promise<boolean>;
  readonly start: (engine: Mnemis, signal?: AbortSignal) => Run<{ readonly type: string }, unknown>;
  readonly prepare?: (engine: Mnemis) => Promise<unknown>;
}

const next = new CountingEmbedder('next', 64);
const stored = (engine: Mnemis) => engine.scope('a').add(records().map((record) => record.turn));
const readIn = async (engine: Mnemis) => {
  await stored(engine);
  await engine.scope('a').flush();
};
/** Entities that wait for categories. */
const named = async (engine: Mnemis) => {
  await stored(engine);
  await engine.scope('a').addFacts(
    Array.from({ length: 12 }, (_, number) => ({
      statement: `City${number} is a city in Norway.`,
      participants: [`City${number}`],
      evidence: [{ session: 's0', index: 0 }],
    })),
  );
};
const fileOf = (engine: Mnemis) => statSync(engine.describe().path, { throwIfNoEntry: false })?.ino ?? file;
const pending = async (engine: Mnemis) => (await engine.scope('a').stats()).enrichment.pending;
const layers = async (engine: Mnemis) => (await engine.scope('a').hierarchy.status()).layers.length;

/** The inode of a memory before it is compacted: another file takes its place. */
let file = 0;

const CALLS: readonly LongCall[] = [
  {
    name: 'import',
    start: (engine, signal) => engine.scope('a').import(records(), { signal }),
    isDone: async (engine) =>
      (await engine.scope('a').stats()).episode === TURNS && (await pending(engine)) === 0,
  },
  {
    name: 'resume',
    prepare: stored,
    start: (engine, signal) => engine.scope('a').resume({ signal }),
    isDone: async (engine) => (await pending(engine)) === 0,
  },
  {
    name: 'hierarchy.update',
    prepare: named,
    start: (engine, signal) => engine.scope('a').hierarchy.update({ signal }),
    isDone: async (engine) => (await layers(engine)) > 0,
  },
  {
    name: 'hierarchy.rebuild',
    prepare: named,
    start: (engine, signal) => engine.scope('a').hierarchy.rebuild({ signal }),
    isDone: async (engine) => (await layers(engine)) > 0,
  },
  {
    name: 'reembed',
    prepare: readIn,
    start: (engine, signal) => engine.reembed({ embedder: next, signal }),
    isDone: async (engine) => engine.describe().fingerprint?.model === next.fingerprint.model,
  },
  {
    name: 'compact',
    ending: '.db',
    prepare: async (engine) => {
      await readIn(engine);
      file = fileOf(engine);
    },
    start: (engine, signal) => engine.compact({ signal }),
    isDone: async (engine) => fileOf(engine) !== file,
  },
  {
    name: 'forget',
    prepare: readIn,
    start: (engine, signal) => engine.scope('a').forget({ all: true }, { signal }),
    isDone: async (engine) => (await engine.scope('a').stats()).episode === 0,
  },
];

describe.each(CALLS)('$name', ({ start, prepare, isDone, ending = '.sqlite' }) => {
  let engine: Mnemis;
  afterEach(() => engine.close());

  async function begun(): Promise<Mnemis> {
    engine = await open(freshPath(ending), {
      automatic: false,
      embedder: new CountingEmbedder('first', 64),
    });
    await prepare?.(engine);
    expect(await isDone(engine)).toBe(false);
    return engine;
  }

  it('has happened when it was awaited, and its report is its last event', async () => {
    const run = start(await begun());
    const report = await run;
    expect(report).not.toHaveProperty('type');
    expect(await isDone(engine)).toBe(true);
    let last: unknown;
    for await (const event of start(engine)) last = event;
    expect(last).toMatchObject({ type: 'done' });
    expect(Object.keys(last as object).sort()).toEqual(['type', ...Object.keys(report as object)].sort());
  });

  it('happens although nobody awaits it', async () => {
    void start(await begun());
    while (!(await isDone(engine))) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it('stops by a signal that has fired, with what was kept', async () => {
    await begun();
    await expect(start(engine, AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
    expect(await isDone(engine)).toBe(false);
  });

  it('stops by return, and can be called again', async () => {
    const run = start(await begun());
    await run.return();
    await expect(run).rejects.toMatchObject({ code: 'cancelled' });
    await start(engine);
    expect(await isDone(engine)).toBe(true);
  });
});
