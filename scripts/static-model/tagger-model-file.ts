import { TAGGER_MODEL_MAGIC, type TaggerModelHeader } from '../../src/ingest/extract/local/tagger-model.ts';

/** What `core()` of `wink-eng-lite-web-model` returns, as far as it needs care. */
export interface WinkCore {
  readonly lexicon: Uint32Array;
  readonly xpansions: Uint32Array;
  readonly features: Readonly<
    Record<string, { readonly list: readonly unknown[]; readonly hash?: unknown }>
  > & {
    readonly lexeme: { readonly list: readonly string[] };
    readonly posClusters: { readonly list: readonly ReadonlySet<number>[] };
  };
}

/** The file that `readTaggerModel` reads. */
export function encodeTaggerModel({ lexicon, xpansions, features, ...others }: WinkCore): Buffer {
  const { lexeme, posClusters, ...lists } = features;
  const words = lexeme.list;
  if (new Set(words).size < words.length) throw new RangeError('A word is there twice');
  const core = {
    ...others,
    features: {
      ...Object.fromEntries(Object.entries(lists).map(([name, { hash: _, ...list }]) => [name, list])),
      posClusters: { list: posClusters.list.map((cluster) => [...cluster]) },
    },
  } as unknown as TaggerModelHeader['core'];
  const [format, sizes] = [1 as const, { lexicon: lexicon.length, expansions: xpansions.length }];
  const header: TaggerModelHeader = { format, words: words.length, ...sizes, core };
  const json = Buffer.from(JSON.stringify(header), 'utf8');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  const head = Buffer.concat([Buffer.from(TAGGER_MODEL_MAGIC, 'latin1'), length, json]);
  const lengths = Buffer.alloc(words.length);
  for (const [at, word] of words.entries()) lengths.writeUInt8(word.length, at);
  return Buffer.concat([
    head,
    Buffer.alloc((4 - (head.length % 4)) % 4),
    Buffer.from(lexicon.buffer),
    Buffer.from(xpansions.buffer),
    lengths,
    Buffer.from(words.join(''), 'utf8'),
  ]);
}
