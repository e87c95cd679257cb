import { analyze } from '../search/analyzer.ts';
import { newEmployerIn } from '../util/new-employer.ts';
import askingWords from './question-words.json' with { type: 'json' };
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

/** Words of a question that a yes or no answers, and how people say the opposite. */
const OPPOSITES: readonly (readonly [asked: string, said: string])[] = [
  [
    'like love enjoy adore fond fan prefer',
    "hat(?:e|es|ed|ing)|dislik\\w+|can(?:no|['’])?t (?:stand|bear)|cannot (?:stand|bear)|could(?:n['’]t| not) stand|detest\\w*|loath\\w+|despis\\w+|abhor\\w*|avoid\\w*|not (?:a fan|fond|keen)|allergic to|sick of|fed up with|disgust\\w*",
  ],
  [
    'hate dislike detest loathe',
    'lov(?:e|es|ed)|ador\\w+|enjoy\\w*|lik(?:e|es|ed)|fond of|fan of|prefer\\w*',
  ],
  [
    'eat drink meat',
    "avoid\\w*|never (?:eat|drink|touch)\\w*|(?:gave|given|giving) up|stopped|quit|allergic to|vegan|vegetarian|cut out|(?:do|does)(?:n['’]t| not) (?:eat|drink)",
  ],
  [
    'vegetarian vegan',
    'eat(?:s|ing)? (?:meat|steak|beef|chicken|fish|bacon)|ate (?:a )?(?:steak|meat|beef)|meat[ -]eater',
  ],
  [
    'have own keep possess',
    "sold|lost|gave (?:\\w+ ){0,3}away|got rid of|donated|threw (?:\\w+ ){0,3}(?:out|away)|returned|(?:do|does)(?:n['’]t| not) have|no longer ha(?:s|ve)",
  ],
  [
    'marry married husband wife',
    'divorc\\w+|split up|separated|broke (?:up|off)|single|widow\\w*|never married',
  ],
  ['single', 'married|engaged|dating|boyfriend|girlfriend|husband|wife|fiancée?'],
  [
    'date dating together boyfriend girlfriend partner engaged',
    'broke (?:up|off)|split up|single|dumped|divorc\\w+',
  ],
  [
    'work job employ',
    'quit|resign\\w*|retired?|laid off|fired|unemployed|left|lost (?:my|his|her|their) job|no longer works?|stopped working',
  ],
  ['retire', 'still works?|works? (?:at|as|for|in)'],
  ['live reside', 'moved? (?:away|out|from)|left|emigrated'],
  ['pass', "fail\\w*|flunk\\w*|did(?:n['’]t| not) pass"],
  ['fail', 'pass(?:ed|es)?|aced|succeed\\w*'],
  ['smoke', 'quit|stopped|gave up|given up|non-?smoker|never smok\\w+'],
  ['open', 'clos(?:ed|es|ing)|shut'],
  ['close shut', 're-?open\\w*|open(?:s|ed)?'],
  ['alive', 'died|passed away|dead|killed|deceased'],
  ['dead die', 'alive|recover\\w+|survived'],
  ['start begin', "stopp\\w+|end(?:ed|s)|finish\\w+|cancell?ed|postponed|did(?:n['’]t| not) start"],
  ['stop end finish quit', 'still|continu\\w+|start(?:ed|s)|began|goes on|kept'],
  ['buy', "sold|return\\w+|did(?:n['’]t| not) buy|decided against"],
  ['sell', "bought|kept|keep(?:s|ing)?|did(?:n['’]t| not) sell"],
  ['win', 'lost|los(?:e|es|ing)'],
  ['lose', 'won|found|kept'],
  ['agree accept', 'refus\\w+|declin\\w+|reject\\w+|disagree\\w*|said no|turned (?:\\w+ )?down'],
  ['refuse reject decline', 'accept\\w*|agreed|said yes'],
  ['remember', 'forgot\\w*'],
  ['forget', 'remember\\w*'],
  ['trust believe', "distrust\\w*|doubt\\w*|(?:do|does)(?:n['’]t| not) (?:trust|believe)"],
];

/** By the index term of the question. */
const OPPOSITE_OF: ReadonlyMap<string, readonly RegExp[]> = readOpposites();

function readOpposites(): ReadonlyMap<string, readonly RegExp[]> {
  const opposites = new Map<string, RegExp[]>();
  for (const [asked, said] of OPPOSITES) {
    const pattern = new RegExp(`(?<![\\p{L}])(?:${said})(?![\\p{L}])`, 'iu');
    for (const term of new Set(asked.split(' ').flatMap((word) => analyze(word))))
      opposites.set(term, [...(opposites.get(term) ?? []), pattern]);
  }
  return opposites;
}

/**
 * Whether a sentence says the opposite of a question's term: "hates" for "like". It answers a question for yes or no,
 * and no other: "What does she like?" does not ask for what she hates.
 */
export function isDenied(term: string, sentence: string): boolean {
  return OPPOSITE_OF.get(term)?.some((pattern) => pattern.test(sentence)) ?? false;
}

const OPENING = String.raw`(?:(?:wow|oh|aw+|hey|yay|haha|ah|yeah|yes|well|so|ok|okay)[,!.]*\s+)*(?:\p{L}{2,}[,!]\s+)?`;
const PRAISE = `awesome|great|amazing|cool|wonderful|fantastic|lovely|inspiring|impressive|nice|good|beautiful|exciting|incredible|tough|sweet|rough|terrible|sad|interesting|fun|perfect`;
const REACTIONS = [
  String.raw`congrat\w*`,
  `that['’]?s? (?:is |sounds |must |so |really |very |such |pretty |super |an? )*(?:${PRAISE})`,
  `sounds? (?:like|so|really|great|awesome|amazing|good|fun|cool|nice|delicious)`,
  `i(?:['’]m| am) (?:so |really |very )?(?:glad|happy|proud|sorry|excited) (?:to hear|for you|you|that you|of you)`,
  `(?:so )?(?:glad|happy|proud) (?:to hear|for you|you|of you)`,
  `good (?:luck|job|for you)|way to go|nice (?:job|work|one)|great (?:job|work|idea)|keep (?:up|it up|going)|well done`,
  `thanks|thank you|no (?:problem|worries)|you(?:['’]re| are) (?:welcome|so|doing|right|amazing|awesome)`,
  `can['’]t wait to (?:see|hear)|love (?:that|your)|what an?|hope you|enjoy|take care|let me know`,
];
const REACTION = new RegExp(`^${OPENING}(?:${REACTIONS.join('|')})(?![\\p{L}])`, 'iu');

/** A sentence without its comment on what somebody else said; null if it has none. */
export function afterReaction(sentence: string): string | null {
  const found = REACTION.exec(sentence);
  return found === null ? null : sentence.slice(found[0].length);
}

const WORD = /[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*/gu;
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const ENGLISH =
  /(?<![\p{L}'’])(?:what|where|who|whom|whose|which|when|why|how|does|did|do|is|are|was|were|the|my|your|his|her|has|have|you|they|she|with|of)(?![\p{L}])/iu;

const LANGUAGES: readonly ReadonlySet<string>[] = Object.values(askingWords.words).map(
  (words) => new Set(words.split(' ')),
);
const CHARACTERS = new Set(Object.values(askingWords.characters).join(''));

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
