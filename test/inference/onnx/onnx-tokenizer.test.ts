import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OnnxTokenizer } from '../../../src/inference/onnx/onnx-tokenizer.ts';
import { programArguments } from '../../child-program.ts';
import { writeModelFolder } from '../../fakes/onnx/model-folder.ts';
import {
  BERT,
  byteLevelTokenizer,
  type TokenizerJson,
  wordPieceTokenizer,
} from '../../fakes/onnx/tiny-tokenizers.ts';

interface Settings {
  readonly maxTokens?: number;
  readonly endToken?: string;
}

async function read(files: Pick<TokenizerJson, 'tokenizer' | 'config'>, settings: Settings = {}) {
  const folder = writeModelFolder(Buffer.alloc(0), files);
  try {
    return await OnnxTokenizer.read({
      model: 'tiny',
      tokenizer: join(folder.path, 'tokenizer.json'),
      config: join(folder.path, 'tokenizer_config.json'),
      maxTokens: 64,
      ...settings,
    });
  } finally {
    folder.remove();
  }
}

describe('OnnxTokenizer: WordPiece', () => {
  const { vocab } = (wordPieceTokenizer().tokenizer as { model: { vocab: Record<string, number> } }).model;

  it('adds special tokens to a text', async () => {
    const tokenizer = await read(wordPieceTokenizer());
    expect(tokenizer.encode('Paris, xy!')).toEqual({
      ids: [BERT.start, vocab.paris, vocab[','], vocab.x, vocab['##y'], vocab['!'], BERT.end],
      types: [0, 0, 0, 0, 0, 0, 0],
    });
    expect(tokenizer.encode('')).toEqual({ ids: [BERT.start, BERT.end], types: [0, 0] });
    expect(tokenizer.encode('ж').ids).toEqual([BERT.start, BERT.unknown, BERT.end]);
    expect(tokenizer.padId).toBe(BERT.pad);
  });

  it('gives the second of a pair its own type', async () => {
    const tokenizer = await read(wordPieceTokenizer());
    expect(tokenizer.encodePairs('who', ['paris', ''])).toEqual([
      { ids: [BERT.start, vocab.who, BERT.end, vocab.paris, BERT.end], types: [0, 0, 0, 1, 1] },
      { ids: [BERT.start, vocab.who, BERT.end, BERT.end], types: [0, 0, 0, 1] },
    ]);
  });

  it.each([2, 3, 7])('returns at most %i tokens, and always all special ones', async (maxTokens) => {
    const tokenizer = await read(wordPieceTokenizer(), { maxTokens });
    const { ids } = tokenizer.encode('one '.repeat(100));
    expect(ids).toHaveLength(maxTokens);
    expect([ids[0], ids.at(-1)]).toEqual([BERT.start, BERT.end]);
    for (const pair of tokenizer.encodePairs('who '.repeat(50), ['', 'one '.repeat(50)])) {
      expect(pair.ids.length).toBeLessThanOrEqual(Math.max(3, maxTokens));
      expect(pair.ids.filter((id) => id === BERT.end)).toHaveLength(2);
      expect(pair.types).toHaveLength(pair.ids.length);
    }
  });

  it('does not split a surrogate pair', async () => {
    const tokenizer = await read(wordPieceTokenizer(), { maxTokens: 3 });
    expect(tokenizer.encode('🧠'.repeat(200)).ids).toHaveLength(3);
  });
});

describe('OnnxTokenizer: templates of other families', () => {
  const roberta = () => {
    const { tokenizer, config } = wordPieceTokenizer();
    const post_processor = {
      type: 'RobertaProcessing',
      sep: ['[SEP]', BERT.end],
      cls: ['[CLS]', BERT.start],
      trim_offsets: true,
      add_prefix_space: false,
    };
    return { tokenizer: { ...tokenizer, post_processor }, config };
  };

  it('XLM-RoBERTa puts two separators between a pair, and has one type', async () => {
    const [pair] = (await read(roberta())).encodePairs('who', ['paris']);
    expect(pair!.ids.filter((id) => id === BERT.end)).toHaveLength(3);
    expect(pair!.ids[0]).toBe(BERT.start);
  });

  it('an end token is added if the tokenizer adds none, and not twice', async () => {
    const endToken = '<|endoftext|>';
    const { vocabulary } = byteLevelTokenizer();
    const end = vocabulary - 3;
    const plain = await read(byteLevelTokenizer());
    expect(plain.encode('no').ids).toHaveLength(1);
    for (const files of [byteLevelTokenizer(), byteLevelTokenizer({ endsWith: endToken })]) {
      const tokenizer = await read(files, { endToken, maxTokens: 4 });
      expect(tokenizer.encode('no').ids).toEqual([...plain.encode('no').ids, end]);
      expect(tokenizer.encode('a long text').ids).toHaveLength(4);
      expect(tokenizer.encode('a long text').ids.at(-1)).toBe(end);
    }
  });

  it('a language model’s tokenizer rejects pairs', async () => {
    const tokenizer = await read(byteLevelTokenizer());
    expect(() => tokenizer.encodePairs('who', ['paris'])).toThrow(
      expect.objectContaining({ code: 'model-fault' }),
    );
  });

  it('a prompt has the tokens of the whole text between its fixed ends', async () => {
    const tokenizer = await read(byteLevelTokenizer());
    const [encoding] = tokenizer.encodeTemplate(
      { before: '<|im_start|>', query: 'Q: ', document: '\nD: ', after: '<|im_end|>' },
      'who',
      ['yes'],
    );
    const inner = tokenizer.encode('Q: who\nD: yes').ids;
    expect(encoding!.ids).toEqual([tokenizer.idOf('<|im_start|>'), ...inner, tokenizer.idOf('<|im_end|>')]);
  });
});

describe('OnnxTokenizer: files', () => {
  it('without a tokenizer the error names the file, and quotes nothing from it', async () => {
    const folder = writeModelFolder(Buffer.alloc(0), wordPieceTokenizer());
    const path = join(folder.path, 'tokenizer.json');
    writeFileSync(path, '{"model":"secret"}');
    const reading = OnnxTokenizer.read({
      model: 'tiny',
      tokenizer: path,
      config: join(folder.path, 'tokenizer_config.json'),
      maxTokens: 8,
    });
    await expect(reading).rejects.toMatchObject({
      code: 'model-fault',
      message: expect.stringContaining(path),
    });
    await expect(reading).rejects.not.toThrow(/secret/);
    folder.remove();
  });
});

it('without onnxruntime-node everything except loading works, and the error says what to install', () => {
  const script = join(import.meta.dirname, 'without-runtime.ts');
  const { stdout } = spawnSync(process.execPath, programArguments(script), { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toMatchObject({
    code: 'runtime-missing',
    message: expect.stringContaining('npm install onnxruntime-node'),
    known: 'bge-m3',
  });
});
