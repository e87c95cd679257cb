import { NOUN_BUCKETS, NOUN_TAXONOMY_MAGIC, nounBucket } from '../../src/inference/taxonomy/noun-taxonomy.ts';
import type { Lemma, Synset } from './wordnet.ts';

const KIND_OF = new Set(['@', '@i']);

/** The file that `readNounTaxonomy` reads: every parent precedes its children. */
export function encodeNounTaxonomy(synsets: readonly Synset[]): Buffer {
  const nouns = parentsFirst(synsets.filter(({ partOfSpeech }) => partOfSpeech === 'noun'));
  const numbers = new Map(nouns.map(({ id }, number) => [id, number]));
  const names = nouns.flatMap(({ lemmas }) => lemmas);
  const parents = nouns.map((synset) => parentIds(synset).map((id) => numbers.get(id)!));
  const buckets = bucketsOf(names);
  const text = names.map((name) => name.text).join('');
  if (/[^\x20-\x7e]/.test(text)) throw new RangeError('A name is not in ASCII');
  return Buffer.concat([
    Buffer.from(NOUN_TAXONOMY_MAGIC, 'latin1'),
    words([nouns.length, names.length, parents.flat().length, text.length]),
    words(buckets.flat()),
    words(parents.flat()),
    bytes(names.map(({ sense }) => sense)),
    bytes(names.map((name) => name.text.length)),
    bytes(buckets.map((bucket) => bucket.length)),
    bytes(nouns.map(({ lemmas }) => lemmas.length)),
    bytes(parents.map((of) => of.length)),
    Buffer.from(text, 'latin1'),
  ]);
}

function bucketsOf(names: readonly Lemma[]): readonly (readonly number[])[] {
  const buckets: number[][] = Array.from({ length: NOUN_BUCKETS }, () => []);
  for (const [number, { text }] of names.entries()) buckets[nounBucket(text.toLowerCase())]!.push(number);
  return buckets;
}

function words(numbers: readonly number[]): Buffer {
  const buffer = Buffer.alloc(4 * numbers.length);
  for (const [at, number] of numbers.entries()) buffer.writeUInt32LE(number, 4 * at);
  return buffer;
}

/** Throws if one is more than 255. */
function bytes(numbers: readonly number[]): Buffer {
  const buffer = Buffer.alloc(numbers.length);
  for (const [at, number] of numbers.entries()) buffer.writeUInt8(number, at);
  return buffer;
}

function parentIds({ pointers }: Synset): readonly string[] {
  return pointers.filter(({ sign }) => KIND_OF.has(sign)).map(({ target }) => target);
}

function parentsFirst(nouns: readonly Synset[]): readonly Synset[] {
  const byId = new Map(nouns.map((synset) => [synset.id, synset]));
  const placed = new Set<Synset>();
  const place = (synset: Synset) => {
    if (placed.has(synset)) return;
    for (const id of parentIds(synset)) place(byId.get(id)!);
    placed.add(synset);
  };
  for (const synset of nouns) place(synset);
  return [...placed];
}
