/** A tokenizer as it lies in a model's repository. */
export interface TokenizerJson {
  readonly tokenizer: object;
  readonly config: object;
  /** Numbers from 0 up to, not including, this. */
  readonly vocabulary: number;
}

const WORDS =
  'i you we who what where when how a an the in on at to of is was my adopted puppy dog cat oslo bergen ann moved train leaves nine morning june capital paris france bananas grow one long yes no , . ? ! :'.split(
    ' ',
  );
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789'];
export const BERT = { pad: 0, unknown: 1, start: 2, end: 3 } as const;

/** WordPiece as BERT has it: some words whole, all others letter by letter, what has other letters unknown. */
export function wordPieceTokenizer(): TokenizerJson {
  const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];
  const tokens = [...new Set([...special, ...WORDS, ...LETTERS, ...LETTERS.map((letter) => `##${letter}`)])];
  const places = (...parts: readonly (readonly [string, number])[]) =>
    parts.map(([id, type_id]) =>
      id.length === 1 ? { Sequence: { id, type_id } } : { SpecialToken: { id, type_id } },
    );
  return {
    tokenizer: {
      version: '1.0',
      // Real files have such a section; the package does not heed it.
      truncation: { direction: 'Right', max_length: 8, strategy: 'LongestFirst', stride: 0 },
      padding: null,
      added_tokens: special.map((content, id) => addedToken(id, content)),
      normalizer: {
        type: 'BertNormalizer',
        clean_text: true,
        handle_chinese_chars: true,
        strip_accents: null,
        lowercase: true,
      },
      pre_tokenizer: { type: 'BertPreTokenizer' },
      post_processor: {
        type: 'TemplateProcessing',
        single: places(['[CLS]', 0], ['A', 0], ['[SEP]', 0]),
        pair: places(['[CLS]', 0], ['A', 0], ['[SEP]', 0], ['B', 1], ['[SEP]', 1]),
        special_tokens: {
          '[CLS]': { id: '[CLS]', ids: [BERT.start], tokens: ['[CLS]'] },
          '[SEP]': { id: '[SEP]', ids: [BERT.end], tokens: ['[SEP]'] },
        },
      },
      decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
      model: {
        type: 'WordPiece',
        unk_token: '[UNK]',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: 100,
        vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      },
    },
    config: {
      tokenizer_class: 'BertTokenizer',
      pad_token: '[PAD]',
      unk_token: '[UNK]',
      model_max_length: 512,
    },
    vocabulary: tokens.length,
  };
}

/** Byte by byte, as GPT-2 and its descendants have it, with two words that are one token each. */
export function byteLevelTokenizer({ endsWith }: { readonly endsWith?: string } = {}): TokenizerJson {
  const merges = [
    ['y', 'e'],
    ['ye', 's'],
    ['n', 'o'],
  ] as const;
  const special = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'];
  const tokens = [...byteLetters(), ...merges.map((pair) => pair.join(''))];
  const endId = tokens.length;
  return {
    tokenizer: {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: special.map((content, at) => addedToken(endId + at, content)),
      normalizer: { type: 'NFC' },
      pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true },
      post_processor:
        endsWith === undefined
          ? { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false }
          : {
              type: 'TemplateProcessing',
              single: [{ Sequence: { id: 'A', type_id: 0 } }, { SpecialToken: { id: endsWith, type_id: 0 } }],
              pair: [
                { Sequence: { id: 'A', type_id: 0 } },
                { Sequence: { id: 'B', type_id: 1 } },
                { SpecialToken: { id: endsWith, type_id: 1 } },
              ],
              special_tokens: { [endsWith]: { id: endsWith, ids: [endId], tokens: [endsWith] } },
            },
      decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
      model: {
        type: 'BPE',
        dropout: null,
        unk_token: null,
        continuing_subword_prefix: '',
        end_of_word_suffix: '',
        fuse_unk: false,
        byte_fallback: false,
        vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
        merges,
      },
    },
    config: { tokenizer_class: 'Qwen2Tokenizer', pad_token: '<|endoftext|>', model_max_length: 512 },
    vocabulary: tokens.length + special.length,
  };
}

/** The 256 letters that byte-level BPE writes bytes as: printable ones as they are, the others from 256 on. */
function byteLetters(): string[] {
  const printable = (byte: number) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  let moved = 0;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode(printable(byte) ? byte : 256 + moved++),
  );
}

function addedToken(id: number, content: string): object {
  return { id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
}
