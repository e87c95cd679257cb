import type { Synset } from './wordnet.ts';

/** Weight of a word in a synset, by its place there. Chosen on the development split (docs/results.md). */
const WEIGHTS = { lemma: 1, partOfLemma: 0.5, definition: 0.6, example: 0.3 };
/** A lemma of a related synset, by the pointer's sign; others get `OTHER`. */
const RELATED: Readonly<Record<string, number>> = {
  '@': 0.4,
  '@i': 0.4,
  '~': 0.2,
  '~i': 0.2,
  '+': 0.6,
  '\\': 0.6,
  '<': 0.6,
  '&': 0.4,
  '^': 0.4,
  $: 0.4,
  '!': 0.1,
};
const OTHER = 0.25;
/** Animals, plants and substances: most of their words are names of species and chemicals. */
const SPECIALISTS: ReadonlySet<number> = new Set([5, 20, 27]);

export interface WordContexts {
  /** By word: synset number → weight. */
  readonly contexts: ReadonlyMap<string, ReadonlyMap<number, number>>;
  readonly usage: ReadonlyMap<string, Usage>;
}

export interface Usage {
  /** Occurrences in definitions and examples. */
  inGlosses: number;
  /** Synsets that it is a lemma of or that mention it. */
  synsets: number;
  /** Times it was tagged in WordNet's texts. */
  tagged: number;
  /** Whether it is a single-word lemma in lower case, outside specialist topics: no name and no species. */
  isOrdinary: boolean;
}

/** @param analyze Splits a text into the terms that the embedder will look up. */
export function wordContexts(
  synsets: readonly Synset[],
  analyze: (text: string) => readonly string[],
): WordContexts {
  const contexts = new Map<string, Map<number, number>>();
  const usage = new Map<string, Usage>();
  const usageOf = (word: string) => {
    const known = usage.get(word) ?? { inGlosses: 0, synsets: 0, tagged: 0, isOrdinary: false };
    usage.set(word, known);
    return known;
  };
  const lemmas = synsets.map((synset) => lemmaWeights(synset, analyze));
  const numbers = new Map(synsets.map(({ id }, number) => [id, number]));
  const add = (word: string, synset: number, weight: number) => {
    const row = contexts.get(word) ?? new Map<number, number>();
    contexts.set(word, row);
    row.set(synset, (row.get(synset) ?? 0) + weight);
  };
  for (const [number, synset] of synsets.entries()) {
    countLemmas(synset, analyze, usageOf);
    const own = new Set(lemmas[number]!.keys());
    for (const [word, weight] of lemmas[number]!) add(word, number, weight);
    for (const [texts, weight] of [
      [synset.definitions, WEIGHTS.definition],
      [synset.examples, WEIGHTS.example],
    ] as const)
      for (const word of texts.flatMap(analyze)) {
        add(word, number, weight);
        own.add(word);
        usageOf(word).inGlosses++;
      }
    for (const word of own) usageOf(word).synsets++;
    for (const { sign, target } of synset.pointers) {
      const related = lemmas[numbers.get(target) ?? -1];
      const share = sign.startsWith('~') ? 1 / Math.sqrt(synset.pointers.length) : 1;
      for (const [word, weight] of related ?? [])
        add(word, number, (RELATED[sign] ?? OTHER) * share * weight);
    }
  }
  return { contexts, usage };
}

function lemmaWeights(
  { lemmas }: Synset,
  analyze: (text: string) => readonly string[],
): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const { text } of lemmas) {
    const words = analyze(text);
    const weight = words.length === 1 ? WEIGHTS.lemma : WEIGHTS.partOfLemma;
    for (const word of words) weights.set(word, Math.max(weights.get(word) ?? 0, weight));
  }
  return weights;
}

function countLemmas(
  { lemmas, topic }: Synset,
  analyze: (text: string) => readonly string[],
  usageOf: (word: string) => Usage,
): void {
  for (const { text, tagged } of lemmas) {
    const words = analyze(text);
    for (const word of words) usageOf(word).tagged += tagged;
    if (words.length === 1 && /^[a-z]+$/.test(text) && !SPECIALISTS.has(topic))
      usageOf(words[0]!).isOrdinary = true;
  }
}
