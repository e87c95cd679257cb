import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import { Mnemis } from '../../src/engine.ts';
import { freshPath, remember, turn } from '../engine/memory-fixture.ts';

describe('search for words', () => {
  let mnemis: Mnemis;
  let memory: MemoryScope;
  beforeAll(async () => {
    mnemis = await Mnemis.open({ path: freshPath() });
    memory = mnemis.scope('ana');
    await remember(memory, [
      turn('A lorry ran a red light at the bridge.', { session: 'whatsapp/Nadia', source: 'whatsapp' }),
      turn('The light of the red lamp ran out.', { session: 'whatsapp/Nadia', source: 'whatsapp' }),
      turn('Tell me a long story about a heron.', { session: 's2' }),
      turn('I tried taekwondo in Porto.', { session: 's2' }),
      turn('# Boats\n\nA punt has a flat bottom.', { session: 'markdown/boats.md', source: 'markdown' }),
    ]);
  });
  afterAll(() => mnemis.close());

  const found = async (query: string, kinds?: readonly ('turn' | 'file' | 'session' | 'entity' | 'fact')[]) =>
    (await memory.knowledge.find({ query, kinds })).map(({ fit, text }) => [fit, text]);

  it('ranks what stands word for word first, and leaves out what only has its small words', async () => {
    expect(await found('ran a red light', ['turn'])).toEqual([
      [3, 'A lorry \u0001ran\u0002 a \u0001red\u0002 \u0001light\u0002 at the bridge.'],
      [2, 'The \u0001light\u0002 of the \u0001red\u0002 lamp \u0001ran\u0002 out.'],
    ]);
  });

  it('finds an unfinished word, and other forms of a word', async () => {
    expect(await found('taekw', ['turn'])).toEqual([[3, 'I tried \u0001taekwondo\u0002 in Porto.']]);
    expect(await found('stories', ['turn'])).toEqual([
      [2, 'Tell me a long \u0001story\u0002 about a heron.'],
    ]);
  });

  it('finds the rarer part of the words where nothing has all of them', async () => {
    expect((await found('taekwondo bridge', ['turn'])).map(([fit]) => fit)).toEqual([1, 1]);
    expect(await found('taekwondo xylophone', ['turn'])).toEqual([[1, expect.stringContaining('taekwondo')]]);
  });

  it('finds chats, documents, names and facts', async () => {
    expect(await found('nad', ['session'])).toEqual([[3, '\u0001Nadia\u0002']]);
    expect(await found('boats', ['file'])).toEqual([[3, '\u0001boats\u0002.md']]);
    expect(await found('porto', ['entity'])).toEqual([[3, '\u0001Porto\u0002']]);
    expect((await found('taekwondo', ['fact']))[0]).toEqual([
      3,
      expect.stringContaining('\u0001taekwondo\u0002'),
    ]);
  });

  it('reads the beginning of a query of a hundred thousand characters', async () => {
    for (const word of [
      'a'.repeat(100_000),
      `${'('.repeat(100_000)}x`,
      'é(b'.repeat(30_000),
      '漢'.repeat(100_000),
    ])
      expect(await found(word)).toEqual([]);
    expect(await found(`taekwondo ${'a'.repeat(100_000)}`, ['turn'])).toEqual([
      [1, expect.stringContaining('taekwondo')],
    ]);
  });

  it('takes time that grows with the text, whatever it is', async () => {
    const long = `${'a'.repeat(50_000)} ${'ran a '.repeat(8_000)}`;
    await memory.add(turn(long, { session: 'long' }));
    const started = performance.now();
    await memory.knowledge.find({ query: 'ran a red herring and an end' });
    await memory.knowledge.find({ query: '(('.repeat(400) });
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
