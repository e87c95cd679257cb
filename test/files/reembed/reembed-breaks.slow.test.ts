import { describe, expect, it } from 'vitest';
import type { Mnemis } from '../../../src/engine.ts';
import type { ReembedResult } from '../../../src/files/reembed/reembed.ts';
import { contents, freshPath, graphOf, open, turn } from '../../engine/memory-fixture.ts';
import {
  allAnswers,
  answersOfFresh,
  MANY,
  made,
  moveAll,
  one,
  repeatable,
  tell,
  three,
  two,
  vectorsIn,
} from './reembed-fixture.ts';

const quiet = { logger: { warn: () => undefined } };

/** Moves until so many texts are moved, and gives up; returns how many passages the embedder has seen. */
async function moveSome(mnemis: Mnemis, embedder = two(), done = 300): Promise<number> {
  for await (const event of mnemis.reembed({ embedder }))
    if (event.type === 'progress' && event.done >= done) break;
  return embedder.passages.length;
}

describe('an interrupted move', () => {
  it('resumes where it stopped: nothing is embedded twice', async () => {
    const path = freshPath();
    const mnemis = await made(path);
    const before = await allAnswers(mnemis);
    const texts = (await everyVector(mnemis)).length;
    const controller = new AbortController();
    const first = two();
    let done = 0;
    const move = (async () => {
      for await (const event of mnemis.reembed({ embedder: first, signal: controller.signal })) {
        if (event.type === 'progress') done = event.done;
        if (done >= 300) controller.abort();
      }
    })();
    await expect(move).rejects.toMatchObject({
      code: 'cancelled',
      message: expect.stringMatching(
        /^Cancelled; \d+ of \d+ texts are moved and kept.*one@64.*mnemis reembed/,
      ),
    });
    expect(done).toBeGreaterThanOrEqual(300);
    expect(await allAnswers(mnemis)).toEqual(before);
    await mnemis.close();
    expect(await vectorsIn(path)).toEqual({ 'one@64': texts, 'two@64': done });

    await expect(open(path, { embedder: two() })).rejects.toMatchObject({
      code: 'embedding-mismatch',
      message: expect.stringMatching(
        new RegExp(`one@64.*two@64; nothing was changed.*mnemis reembed \\(.*${done} of ${texts} texts`),
      ),
    });
    await expect(open(path, { embedder: three() })).rejects.toMatchObject({
      message: expect.stringMatching(/one@64.*three@48.*mnemis reembed$/),
    });
    const warnings: string[] = [];
    await using again = await open(path, {
      embedder: one(),
      logger: { warn: (text) => warnings.push(text) },
    });
    expect(warnings).toEqual([expect.stringMatching(/move to two@64 was started.*mnemis reembed/)]);
    expect(await allAnswers(again)).toEqual(before);
    const second = two();
    const { result } = await moveAll(again, { embedder: second });
    expect(result).toMatchObject({ texts, embedded: texts - done });
    expect(second.passages).toHaveLength(texts - done);
    expect(await allAnswers(again)).toEqual(await answersOfFresh(two(), MANY));
  });

  it('before it began, of a memory that lacks nothing: says so', async () => {
    await using mnemis = await made(':memory:', []);
    const signal = AbortSignal.abort();
    const failure = await moveAll(mnemis, { signal }).catch((error: Error) => error);
    expect(failure).toMatchObject({
      code: 'cancelled',
      message: expect.stringMatching(/uses one@64, and all its texts have a vector/),
    });
    expect((failure as Error).message).not.toContain('again');
    await expect(moveAll(mnemis, { embedder: two(), signal })).rejects.toMatchObject({
      message: expect.stringMatching(/^Cancelled; 0 of \d+ texts are moved.*still uses one@64.*again/),
    });
  });

  it('to a third embedder: removes the vectors of the second one', async () => {
    const path = freshPath();
    const mnemis = await made(path);
    await moveSome(mnemis);
    const { result } = await moveAll(mnemis, { embedder: three() });
    expect(await allAnswers(mnemis)).toEqual(await answersOfFresh(three(), MANY));
    await mnemis.close();
    expect(await vectorsIn(path)).toEqual({ 'three@48': result.texts });
  });

  it('is undone by a move back', async () => {
    const path = freshPath();
    const mnemis = await made(path);
    const before = await allAnswers(mnemis);
    await moveSome(mnemis);
    const { result } = await moveAll(mnemis); // to the embedder in use
    expect(result).toMatchObject({ embedded: 0, from: one().fingerprint, to: one().fingerprint });
    expect(result.removed).toBeGreaterThanOrEqual(300);
    expect(await allAnswers(mnemis)).toEqual(before);
    await mnemis.close();
    expect(await vectorsIn(path)).toEqual({ 'one@64': result.texts });
    await (await open(path, { embedder: one(), logger: { warn: unexpected } })).close();
  });

  it('when only old vectors have to be removed, keeps them hidden', async () => {
    const path = freshPath();
    const mnemis = await made(path);
    for await (const { type } of mnemis.reembed({ embedder: two() })) if (type === 'switched') break;
    const wanted = await answersOfFresh(two(), MANY);
    expect(await allAnswers(mnemis)).toEqual(wanted);
    await mnemis.close();
    expect(Object.keys(await vectorsIn(path)).sort()).toEqual(['one@64', 'two@64']);
    const warnings: string[] = [];
    const again = await open(path, { embedder: two(), logger: { warn: (text) => warnings.push(text) } });
    expect(warnings).toEqual([expect.stringMatching(/former embedder.*mnemis reembed/)]);
    expect(await allAnswers(again)).toEqual(wanted);
    const { result } = await moveAll(again);
    expect(result.embedded).toBe(0);
    expect(await allAnswers(again)).toEqual(wanted);
    await again.close();
    expect(await vectorsIn(path)).toEqual({ 'two@64': result.removed });
  });

  it('by an exception right before the switch continues, and its half-built index is not used', async () => {
    const path = freshPath();
    await (await made(path)).close();
    const wanted = await answersOfFresh(two(), MANY);
    for (const stopAt of [300, Number.POSITIVE_INFINITY]) {
      await using half = await open(path, { embedder: two(), whenEmbedderDiffers: 'words-only', ...quiet });
      await allAnswers(half); // loads an index, that the close saves
      for await (const event of half.reembed())
        if (event.type === 'progress' && event.done >= Math.min(stopAt, event.total)) break;
    }
    const last = await open(path, { embedder: two(), whenEmbedderDiffers: 'words-only', ...quiet });
    const { result } = await moveAll(last);
    expect(result.embedded).toBe(0);
    await last.close();
    await using again = await open(path, { embedder: two() });
    expect(await allAnswers(again)).toEqual(wanted);
  });
});

describe('without the old embedder', () => {
  it('searches use words, turns are accepted, and the move gives the same as a new memory', async () => {
    const path = freshPath();
    await (await made(path)).close();
    const warnings: string[] = [];
    await using mnemis = await open(path, {
      embedder: three(),
      whenEmbedderDiffers: 'words-only',
      logger: { warn: (text) => warnings.push(text) },
    });
    expect(warnings).toEqual([expect.stringMatching(/one@64.*three@48.*words/)]);
    const found = await mnemis.scope('a').search('Which breed is Rex, the poodle?');
    expect(contents(found)).toContain('He is a poodle from Bergen.');
    const lists = found.episodes.flatMap(({ why }) => why.map(({ list }) => list));
    expect(new Set(lists)).toEqual(new Set(['lexical']));
    await mnemis.scope('b').add(turn('Zoe sold the honey.', { speaker: 'Zoe' }));
    expect(contents(await mnemis.scope('b').search('honey'))[0]).toBe('Zoe sold the honey.');
    await moveAll(mnemis);
    await using fresh = await open(':memory:', { embedder: three(), ...repeatable() });
    await tell(fresh, MANY);
    await fresh.scope('b').add(turn('Zoe sold the honey.', { speaker: 'Zoe' }));
    const scores = async (memory: Mnemis) =>
      (await allAnswers(memory)).flat().map(({ ranked }) => ranked.episodes.map(({ score }) => score));
    expect(await scores(mnemis)).toEqual(await scores(fresh));
    const counts = [await mnemis.scope('b').stats(), await fresh.scope('b').stats()];
    expect(counts[0]!.embedding).toBe(counts[1]!.embedding);
  });

  it('turns added meanwhile are embedded when the old one is opened again', async () => {
    const path = freshPath();
    await (await made(path, [])).close();
    const mnemis = await open(path, { embedder: two(), whenEmbedderDiffers: 'words-only', ...quiet });
    await mnemis.scope('b').add(turn('Zoe sold the honey.', { speaker: 'Zoe' }));
    await mnemis.close();
    const warnings: string[] = [];
    const back = await open(path, { embedder: one(), logger: { warn: (text) => warnings.push(text) } });
    expect(warnings).toHaveLength(1);
    await back.scope('b').search('honey');
    const { result } = await moveAll(back);
    expect(result.embedded).toBeGreaterThan(0);
    const { episodes } = await back.scope('b').search('honey');
    expect(episodes[0]!.why.map(({ list }) => list)).toContain('lexical+vector');
    await back.close();
    expect(await vectorsIn(path)).toEqual({ 'one@64': result.texts });
  });

  it('turns that are added during the move are embedded once', async () => {
    const path = freshPath();
    await (await made(path)).close();
    await using mnemis = await open(path, { embedder: two(), whenEmbedderDiffers: 'words-only', ...quiet });
    const adds: Promise<unknown>[] = [];
    let number = 0;
    let result: ReembedResult | undefined;
    for await (const event of mnemis.reembed()) {
      if (event.type === 'done') result = event;
      else adds.push(mnemis.scope(event.type === 'switched' ? 'b' : 'a').add(turn(`meanwhile${number++}`)));
      await adds.at(-1);
    }
    const { embedding } = (await graphOf(mnemis.scope('a'))).nodes;
    const others = (await mnemis.scope('b').stats()).embedding;
    expect(result!.texts).toBe(embedding.length + others);
    expect(result!.embedded).toBeLessThan(result!.texts);
    expect(number).toBeGreaterThan(3);
    const owned = embedding.map(({ owner, field }) => `${owner} ${field}`);
    expect(new Set(owned).size).toBe(owned.length);
  });
});

describe('an embedder that fails', () => {
  const faults = {
    'gives vectors of another length': (calls: number) => (calls > 4 ? 47 : 48),
    'throws something of its own': (calls: number) => {
      if (calls > 4) throw new TypeError('cannot embed "I bought item7"');
      return 48;
    },
  };
  it.each(Object.keys(faults) as (keyof typeof faults)[])(
    '%s: everything is kept, and the move can continue',
    async (fault) => {
      const path = freshPath();
      await using mnemis = await made(path);
      const before = await allAnswers(mnemis);
      const broken = three();
      let calls = 0;
      const embed = broken.embed.bind(broken);
      broken.embed = async (texts, options) => {
        const length = faults[fault](++calls);
        return (await embed(texts, options)).map((vector) => vector.subarray(0, length));
      };
      const failure = await moveAll(mnemis, { embedder: broken }).catch((error: Error) => error);
      expect(failure).toMatchObject({
        code: 'reembed-stopped',
        message: expect.stringMatching(/\d+ of \d+ texts are moved and kept.*one@64.*mnemis reembed/),
      });
      expect((failure as Error).message).not.toContain('item7');
      expect(await allAnswers(mnemis)).toEqual(before);
      const sound = three();
      const { result } = await moveAll(mnemis, { embedder: sound });
      expect(result.embedded).toBeLessThan(result.texts);
      expect(await allAnswers(mnemis)).toEqual(await answersOfFresh(three(), MANY));
    },
  );
});

it('an empty memory takes any embedder', async () => {
  const path = freshPath();
  await (await open(path, { embedder: one() })).close();
  await using mnemis = await open(path, { embedder: three(), logger: { warn: unexpected } });
  expect(mnemis.describe().fingerprint).toEqual(three().fingerprint);
});

function unexpected(): never {
  throw new Error('there is nothing to warn of');
}

async function everyVector(mnemis: Mnemis) {
  const rows = [];
  for (const name of await mnemis.scopes()) rows.push(...(await graphOf(mnemis.scope(name))).nodes.embedding);
  return rows;
}
