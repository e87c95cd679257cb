import { gzipSync } from 'node:zlib';
import { NOUN_TAXONOMY_HEADER } from '../../src/inference/taxonomy/noun-taxonomy.ts';
import type { Synset } from './wordnet.ts';

const KIND_OF = new Set(['@', '@i']);

/** The file that `readNounTaxonomy` reads: every parent precedes its children. */
export function encodeNounTaxonomy(synsets: readonly Synset[]): Buffer {
  const nouns = parentsFirst(synsets.filter(({ partOfSpeech }) => partOfSpeech === 'noun'));
  const numbers = new Map(nouns.map(({ id }, number) => [id, number]));
  const lines = nouns.map((synset, number) => {
    const names = synset.lemmas.map(({ text, sense }) => (sense === 1 ? text : `${text}:${sense}`));
    const parents = parentIds(synset).map((id) => number - numbers.get(id)!);
    return `${names.join('|')}\t${parents.join(',')}`;
  });
  return gzipSync(`${[NOUN_TAXONOMY_HEADER, ...lines].join('\n')}\n`, { level: 9 });
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
