import { analyze } from '../search/analyzer.ts';
import { newEmployerIn } from '../util/new-employer.ts';
import data from './wordings.json' with { type: 'json' };

/** How people say what is asked: in other words, or with a name, of which the capitals count. */
interface Wording {
  readonly asked: string;
  readonly said?: string;
  readonly named?: string;
}

/** Index terms of questions, with other wordings of the same. */
const SAID: ReadonlyMap<string, readonly RegExp[]> = readWordings();

const OF_WORK: ReadonlySet<string> = new Set(analyze('work job employer employed company'));

function readWordings(): ReadonlyMap<string, readonly RegExp[]> {
  const said = new Map<string, RegExp[]>();
  const wordings: readonly Wording[] = data.wordings;
  for (const wording of wordings) {
    const alternatives = wording.named ?? wording.said;
    const flags = wording.named === undefined ? 'iu' : 'u';
    const pattern = new RegExp(`(?<![\\p{L}])(?:${alternatives})(?![\\p{L}])`, flags);
    for (const term of new Set(wording.asked.split(' ').flatMap((word) => analyze(word))))
      said.set(term, [...(said.get(term) ?? []), pattern]);
  }
  return said;
}

/**
 * Whether a sentence says in other words what a question's term asks for: "moved to" for "live", "can’t stand" for
 * "dislike".
 */
export function isSaid(term: string, sentence: string): boolean {
  if (OF_WORK.has(term) && newEmployerIn(sentence) !== null) return true;
  return SAID.get(term)?.some((pattern) => pattern.test(sentence)) ?? false;
}
