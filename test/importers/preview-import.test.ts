import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';
import { CancelledError, InvalidInputError } from '../../src/errors/index.ts';
import { chatGptImporter } from '../../src/importers/chatgpt/chatgpt.ts';
import { previewImport } from '../../src/importers/preview-import.ts';
import { HashingEmbedder } from '../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../src/search/analyzer.ts';
import { FIXTURES, temporaryFolder } from './temporary-file.ts';

const FILE = join(FIXTURES, 'chatgpt.json');

describe('previewImport', () => {
  it('counts what an import would add', async () => {
    expect(await previewImport(chatGptImporter, FILE, { settings: { me: 'Mara' } })).toEqual({
      format: 'chatgpt',
      bytes: statSync(FILE).size,
      conversations: 2,
      turns: 5,
      characters: 154,
      from: 1_704_100_010_250,
      to: 1_704_200_000_000,
      speakers: [
        { name: 'Mara', role: 'user', turns: 3 },
        { name: 'browser', role: 'tool', turns: 1 },
        { name: 'ChatGPT', role: 'assistant', turns: 1 },
      ],
      largest: [
        { id: 'chatgpt/conv-kiln', title: 'Firing a kiln', turns: 4 },
        { id: 'chatgpt/conv-short', title: null, turns: 1 },
      ],
      leftOut: [
        { where: 'conversation 1, message 2', reason: 'a hidden message', count: 1 },
        { where: 'conversation 1, message 5', reason: 'the call of a tool', count: 1 },
        { where: 'conversation 1, message 7', reason: 'reasoning of a model', count: 1 },
        {
          ...{ where: 'conversation 1, message 4', count: 1 },
          reason: 'on a branch that is not the one shown last',
        },
      ],
      rejected: [{ where: 'conversation 2', reason: 'mapping: is missing or not an object', count: 1 }],
      notes: [],
    });
  });

  it('reports nothing for an empty file, and respects settings and the signal', async () => {
    using folder = temporaryFolder();
    expect(await previewImport(chatGptImporter, folder.json([]))).toMatchObject({
      turns: 0,
      from: null,
      to: null,
    });
    const aborted = previewImport(chatGptImporter, FILE, { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toSatisfy(CancelledError.isInstance);
    const settings = { branches: 'both' } as unknown as { branches: 'all' };
    const wrong = previewImport(chatGptImporter, FILE, { settings });
    await expect(wrong).rejects.toSatisfy(InvalidInputError.isInstance);
    await expect(wrong).rejects.toThrow('branches: is none of active, all');
  });
});

it('a repeated export adds new turns, a version for edited ones, and no duplicates', async () => {
  using folder = temporaryFolder();
  const message = (text: string, at: number) => ({
    ...{ author: { role: 'user' }, create_time: 1_704_000_000 + at },
    content: { content_type: 'text', parts: [text] },
  });
  const chat = (...texts: string[]) =>
    folder.json([
      {
        ...{ id: 'c', title: 'T', current_node: `n${texts.length - 1}` },
        mapping: Object.fromEntries(
          texts.map((text, at) => [
            `n${at}`,
            { parent: at === 0 ? null : `n${at - 1}`, message: message(text, at) },
          ]),
        ),
      },
    ]);
  await using engine = await Mnemis.open({
    ...{ path: ':memory:', automatic: false },
    embedder: new HashingEmbedder({ analyze }),
  });
  const memory = engine.scope('a');
  const bring = async (path: string) => {
    for await (const event of memory.import(chatGptImporter.read(path), { enrich: false }))
      if (event.type === 'done') return event.counts;
    throw new Error('it did not end');
  };
  expect(await bring(chat('one', 'two'))).toMatchObject({ added: 2 });
  expect(await bring(chat('one', 'two'))).toMatchObject({ added: 0, known: 2 });
  expect(await bring(chat('one', 'zwei', 'three'))).toMatchObject({ added: 1, known: 1, superseding: 1 });
  expect((await engine.scope('b').stats()).episode).toBe(0);
});
