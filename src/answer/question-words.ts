import { analyze } from '../search/analyzer.ts';
import data from './question-words.json' with { type: 'json' };

const WORD = /[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*/gu;
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const ENGLISH =
  /(?<![\p{L}'’])(?:what|where|who|whom|whose|which|when|why|how|does|did|do|is|are|was|were|the|my|your|his|her|has|have|you|they|she|with|of)(?![\p{L}])/iu;

const LANGUAGES: readonly ReadonlySet<string>[] = Object.values(data.words).map(
  (words) => new Set(words.split(' ')),
);
const CHARACTERS = new Set(Object.values(data.characters).join(''));

/**
 * The index terms of a question in another language than English that only ask: "où", "est-ce", "gdzie", "哪里". An answer
 * does not contain them. Empty for an English question, whose words the analyzer knows.
 */
export function askingTerms(question: string): ReadonlySet<string> {
  if (ENGLISH.test(question)) return new Set();
  const words = Array.from(question.toLowerCase().matchAll(WORD), ([word]) => word);
  const hits = LANGUAGES.map((known) => words.filter((word) => known.has(word)));
  const best = hits.reduce((most, each) => (each.length > most.length ? each : most), []);
  const asking = new Set(best.flatMap((word) => analyze(word)));
  if (SPACELESS.test(question))
    for (const term of analyze(question))
      if (SPACELESS.test(term) && [...term].every((character) => CHARACTERS.has(character))) asking.add(term);
  return asking;
}
