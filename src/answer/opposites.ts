import { analyze } from '../search/analyzer.ts';

/** Words of a question that a yes or no answers, and how people say the opposite. */
const OPPOSITES: readonly (readonly [asked: string, said: string])[] = [
  [
    'like love enjoy adore fond fan prefer',
    "hat(?:e|es|ed|ing)|dislik\\w+|can(?:no|['’])?t (?:stand|bear)|cannot (?:stand|bear)|could(?:n['’]t| not) stand|detest\\w*|loath\\w+|despis\\w+|avoid\\w*|not (?:a fan|fond|keen)|allergic to|sick of|fed up with|disgust\\w*",
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
