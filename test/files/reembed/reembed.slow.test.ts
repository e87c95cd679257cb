import { describe, expect, it } from 'vitest';
import type { Mnemis } from '../../../src/engine.ts';
import type { Episode } from '../../../src/model/nodes.ts';
import { contents, freshPath, graphOf, open, turn, withoutTime } from '../../engine/memory-fixture.ts';
import {
  allAnswers,
  answersOfFresh,
  MANY,
  made,
  manyTurns,
  moveAll,
  one,
  repeatable,
  tell,
  three,
  two,
  vectorsIn,
} from './reembed-fixture.ts';

/** Every text has its vector, and there is no other one. */
async function expectWhole(mnemis: Mnemis, model: string): Promise<void> {
  for (const name of await mnemis.scopes()) {
    const { episode, segment, description, fact, profile, embedding } = (await graphOf(mnemis.scope(name)))
      .nodes;
    const wanted = [
      ...episode.map(({ id }) => `${id} content`),
      ...segment.map(({ id }) => `${id} summary`),
      ...description.map(({ id }) => `${id} text`),
      ...fact.map(({ id }) => `${id} statement`),
      ...profile.flatMap(({ id }) => [`${id} name`, `${id} summary`]),
    ];
    expect(embedding.map(({ owner, field }) => `${owner} ${field}`).sort()).toEqual(wanted.sort());
    expect(new Set(embedding.map((row) => row.model))).toEqual(new Set([model]));
  }
}

describe('a memory that was moved', () => {
  it.each(['a file', ':memory:'])('answers exactly as one made with that embedder: %s', async (where) => {
    const path = where === ':memory:' ? where : freshPath();
    const mnemis = await made(path);
    const old = await allAnswers(mnemis);
    const embedder = two();
    const { events, result } = await moveAll(mnemis, { embedder });
    const wanted = await answersOfFresh(two(), MANY);
    expect(wanted).not.toEqual(old);
    expect(await allAnswers(mnemis)).toEqual(wanted);
    expect(result).toMatchObject({ from: one().fingerprint, to: two().fingerprint });
    expect([result.texts, result.embedded]).toEqual([embedder.passages.length, embedder.passages.length]);
    expect(result.removed).toBeGreaterThan(0);
    const progress = events.filter((event) => event.type === 'progress');
    expect(progress.length).toBeGreaterThan(3);
    expect(progress.at(-1)).toMatchObject({ done: result.texts, total: result.texts });
    expect(mnemis.describe()).toMatchObject({ fingerprint: two().fingerprint, nextFingerprint: null });
    await expectWhole(mnemis, 'two@64');
    await mnemis.close();
    if (path === ':memory:') return;
    for (let round = 0; round < 2; round++) {
      await using again = await open(path, { embedder: two() }); // from the graph, or from its snapshot
      expect(await allAnswers(again)).toEqual(wanted);
    }
    await expect(open(path, { embedder: one() })).rejects.toMatchObject({ code: 'embedding-mismatch' });
    expect(await vectorsIn(path)).toEqual({ 'two@64': result.texts });
  });

  it('does so too if it was never searched before, and accepts new turns', async () => {
    const path = freshPath();
    await (await made(path, [])).close();
    await using mnemis = await open(path, { embedder: one() });
    await moveAll(mnemis, { embedder: three() });
    expect(await allAnswers(mnemis)).toEqual(await answersOfFresh(three()));
    await mnemis.scope('b').add(turn('Zoe sold the honey.', { speaker: 'Zoe' }));
    expect(contents(await mnemis.scope('b').search('honey'))[0]).toBe('Zoe sold the honey.');
    await expectWhole(mnemis, 'three@48');
  });

  it('may be empty', async () => {
    const mnemis = await open(freshPath(), { embedder: one() });
    const { result } = await moveAll(mnemis, { embedder: two() });
    expect(result).toMatchObject({ texts: 0, embedded: 0, removed: 0 });
    await mnemis.scope('a').add(turn('kiwi'));
    await mnemis.close();
    expect(Object.keys(await vectorsIn(mnemis.describe().path))).toEqual(['two@64']);
  });

  it('needs no second move', async () => {
    const mnemis = await made(':memory:', []);
    const embedder = two();
    await moveAll(mnemis, { embedder });
    const asked = embedder.passages.length;
    const before = await allAnswers(mnemis);
    for (const options of [{}, { embedder }]) {
      const { events, result } = await moveAll(mnemis, options);
      expect(result).toMatchObject({ embedded: 0, removed: 0, from: two().fingerprint });
      expect(events).toHaveLength(1);
    }
    expect(embedder.passages).toHaveLength(asked);
    expect(await allAnswers(mnemis)).toEqual(before);
  });
});

describe('while a memory is moved', () => {
  it('searches answer exactly as before, until they switch at once', async () => {
    await using mnemis = await made(freshPath());
    const before = await allAnswers(mnemis);
    const after = await answersOfFresh(two(), MANY);
    let events = 0;
    let isSwitched = false;
    for await (const { type } of mnemis.reembed({ embedder: two() })) {
      isSwitched ||= type === 'switched';
      expect(await allAnswers(mnemis)).toEqual(isSwitched ? after : before);
      events++;
    }
    expect(isSwitched && events > 4).toBe(true);
  });

  it('a search that began before the switch ends with its old result', async () => {
    const embedder = one();
    await using mnemis = await open(':memory:', { embedder, ...repeatable() });
    await tell(mnemis);
    const wanted = withoutTime(await mnemis.scope('a').search('Rex the puppy'));
    let goOn = () => {};
    embedder.before = (_, { as }) =>
      as === 'query' ? new Promise<void>((resolve) => (goOn = resolve)) : undefined;
    const search = mnemis.scope('a').search('Rex the puppy');
    await moveAll(mnemis, { embedder: three() });
    await mnemis.scope('a').add(turn('Rex, the puppy, is a puppy named Rex.', { speaker: 'Ann' }));
    goOn();
    expect(withoutTime(await search)).toEqual(wanted);
    expect(contents(await mnemis.scope('a').search('Rex the puppy'))[0]).toContain('named Rex');
  });

  it('new turns are kept, found at once, and moved too', async () => {
    const path = freshPath();
    const mnemis = await made(path);
    const added: Promise<unknown>[] = [];
    let number = 0;
    for await (const { type } of mnemis.reembed({ embedder: two() })) {
      // Some are awaited, some run into what comes next; a new scope begins meanwhile.
      const scope = mnemis.scope(['a', 'b', 'new'][number % 3]!);
      const add = scope.add(turn(`meanwhile${number} we went to Rome`, { speaker: 'Ann' }));
      added.push(add);
      if (number % 2 === 0) await add;
      if (number % 2 === 0)
        expect(contents(await scope.search(`meanwhile${number}`))[0]).toContain(`meanwhile${number}`);
      number++;
      if (type === 'done') break;
    }
    await Promise.all(added);
    for (let each = 0; each < number; each++) {
      const found = await mnemis.scope(['a', 'b', 'new'][each % 3]!).search(`meanwhile${each}`);
      expect(contents(found)[0]).toContain(`meanwhile${each}`);
    }
    for (const name of await mnemis.scopes()) await mnemis.scope(name).flush(); // else close does
    await expectWhole(mnemis, 'two@64');
    const answers = await allAnswers(mnemis);
    await mnemis.close();
    await using again = await open(path, { embedder: two() });
    expect(await allAnswers(again)).toEqual(answers);
  });

  it('a stream of turns never blocks it, and none is lost', async () => {
    await using mnemis = await made(':memory:', manyTurns(100));
    let isMoving = true;
    const stream = (async () => {
      let number = 0;
      for (; isMoving; number++) await mnemis.scope('a').add(turn(`stream${number} of turns`));
      return number;
    })();
    const { result } = await moveAll(mnemis, { embedder: two() });
    isMoving = false;
    const added = await stream;
    expect(added).toBeGreaterThan(0);
    expect(result.to).toEqual(two().fingerprint);
    expect((await mnemis.scope('a').search(`stream${added - 1}`)).episodes).not.toHaveLength(0);
    await expectWhole(mnemis, 'two@64');
  });

  it('an export holds the vectors in use, and can be restored', async () => {
    await using mnemis = await made(freshPath());
    for await (const event of mnemis.reembed({ embedder: three() })) {
      if (event.type !== 'progress' || event.done < 300) continue;
      await mnemis.scope('a').exportTo(freshPath('-half.jsonl'));
      const file = freshPath('.jsonl');
      await mnemis.scope('a').exportTo(file);
      const copy = await open(':memory:', { embedder: one() });
      await copy.scope('a').importFrom(file);
      await expectWhole(copy, 'one@64');
      await copy.close();
      break;
    }
  });

  it('a second move is rejected, and the first one continues', async () => {
    const mnemis = await made(':memory:');
    const move = mnemis.reembed({ embedder: two() });
    expect((await move.next()).value).toMatchObject({ type: 'progress' });
    await expect(moveAll(mnemis, { embedder: three() })).rejects.toMatchObject({ code: 'invalid-input' });
    let last: string | undefined;
    for await (const { type } of move) last = type;
    expect(last).toBe('done');
    await expectWhole(mnemis, 'two@64');
    await mnemis.close();
    await expect(moveAll(mnemis)).rejects.toMatchObject({ code: 'store-closed' });
  });

  it('the engine may be closed', async () => {
    const path = freshPath();
    const mnemis = await made(path);
    const before = await allAnswers(mnemis);
    const move = mnemis.reembed({ embedder: two() });
    await move.next();
    await mnemis.close();
    await expect(move.next()).rejects.toMatchObject({ code: 'store-closed' });
    await using again = await open(path, { embedder: one(), logger: { warn: () => undefined } });
    expect(await allAnswers(again)).toEqual(before);
  });
});

it('embeds the superseded turns too', async () => {
  await using mnemis = await made(':memory:', []);
  const embedder = two();
  await moveAll(mnemis, { embedder });
  const { episode } = (await graphOf(mnemis.scope('a'))).nodes;
  const expired = (episode as readonly Episode[]).filter(({ expiredAt }) => expiredAt !== null);
  expect(expired).not.toHaveLength(0);
  for (const { content } of expired) expect(embedder.passages).toContain(content);
});
