import type { Sentence } from './clean-text.ts';

/** Whether a sentence is meant as it stands. "Doubtful" is still read, with little confidence. */
export type Sincerity = 'sincere' | 'doubtful' | 'ironic';

const MARKED =
  /(?:^|\s)\/(?:s|sarcasm|sarc|j)\s*$|\bsaid (?:no ?one|nobody) ever\b|#(?:sarcasm|irony|not)\b/i;
const OPENS_IRONY =
  /^(?:(?:oh|well|ha|haha|sure),? )?(?:yeah,? right|as if\b|(?:sure|right|yeah),? (?:and|because) (?:I am|I'm|we are|we're|the|pigs)\b|lucky me\b)/i;
/** "Just kidding": what was said before it was a joke. */
const TAKEN_BACK =
  /^(?:(?:haha|lol|ha|nah|no),? ?)*(?:(?:just|only|totally) (?:kidding|joking)|kidding|jk|j\/k|not|psych|I(?:'m| am) (?:(?:just|only|totally) )?(?:kidding|joking|messing|pulling your leg))(?=\s{0,2}(?:$|[,;:-]))/i;
const AFFECT =
  /\b(?:lov(?:e|es|ed|ing)|ador(?:e|es|ed)|enjoy(?:s|ed|ing)?|thrilled|delighted|overjoyed|ecstatic|can(?:'t|not| not) wait|favou?rite|living the dream|what an? (?:treat|joy|dream|pleasure|delight)|nothing (?:says|beats|like|better than)|so (?:glad|happy|excited|grateful|lucky|thankful|fun)|always wanted|always dream(?:ed|t)|made my day|how (?:lovely|wonderful|delightful|charming))\b/i;
const LIKING = new RegExp(`${AFFECT.source}|\\b(?:likes?|liked|great|nice|fun)\\b`, 'i');
const SITUATION =
  /\b(?:stuck (?:in|on|at|behind)|traffic(?: jams?)?|broken|broke down|breaks? down|breakdown|crash(?:es|ed|ing)?|cancell?ed|delay(?:s|ed)?|stolen|leak(?:s|ed|ing|y)?|flooded|unpaid|ignored|yelled at|shouted at|screamed at|rejected|fired|laid off|queu(?:e|es|ing)|wait(?:ing)? (?:in line|on hold|for hours|forever)|on hold|parking (?:ticket|fine)s?|speeding ticket|tax(?:es| returns?| audit)|paperwork|root canal|food poisoning|the flu|fever|migraines?|hangovers?|mosquito(?:es)?|spam|power (?:cut|outage)s?|soaked|drenched|pouring rain|flat tyres?|flat tires?|woken up|jackhammers?|drill(?:ing|s) at|alarm at|overtime|working (?:all|on) (?:weekends?|sundays?|saturdays?|night)|lost (?:luggage|my|our)|losing (?:my|our)|spilled|spilling|stepp(?:ed|ing) in|late fees?|bills?|rip-?offs?|scammed|dumped|puke|vomit|mould|mold|cockroach(?:es)?|bed ?bugs|blackouts?)\b/i;
/** Between a feeling and its cause these say that the bad thing is over, or is not the cause. */
const NOT_ITS_CAUSE =
  /\b(?:but|after|although|though|despite|because|instead|without|even|when|while|no|not|never|finally|until|before|and|to (?:fix|repair|avoid|help)|than)\b/i;
const FEIGNED_OPENING =
  /^(?:(?:oh|wow|well|ah|ugh|and),? )*(?:great|wonderful|fantastic|lovely|perfect|brilliant|awesome|amazing|super|fabulous|terrific|joy|yay|goody|nice|marvell?ous|splendid|thanks|fun|how (?:lovely|wonderful|nice|charming|delightful))\b(?=[,!.]| ?-|$)/i;
const INTENSE =
  /\b(?:just|simply|absolutely|really|totally|truly|positively|so much) (?:lov|ador|enjoy|thrilled|delighted|can)|\b(?:LOVE|LOVES|LOVED|ADORE|ENJOY|SO|THRILLED|ALWAYS)\b|\bhow I (?:love|adore|enjoy)\b|\b(?:exactly|just) what (?:I|we) (?:need|want)/;
const EYE_ROLL = /\u{1F644}|\u{1F643}/u;
/** How far after the feeling its cause stands. */
const CAUSE_WITHIN = 60;

/** Of a turn's own sentences, in order, how each is meant; only cues in the words themselves count. */
export function sinceritiesOf(content: string, sentences: readonly Sentence[]): Sincerity[] {
  const marked = EYE_ROLL.test(content);
  let feigned = false;
  const found = sentences.map(({ text }) => {
    feigned ||= FEIGNED_OPENING.test(text);
    return sincerityOf(text, { feigned, marked });
  });
  for (const [at, { text }] of sentences.entries()) {
    if (!TAKEN_BACK.test(text)) continue;
    found[at] = 'ironic';
    if (at > 0) found[at - 1] = 'ironic';
  }
  return found;
}

function sincerityOf(text: string, { feigned, marked }: { feigned: boolean; marked: boolean }): Sincerity {
  if ((/[/#]|\bever\b/i.test(text) && MARKED.test(text)) || OPENS_IRONY.test(text)) return 'ironic';
  if (!praisesMisery(text, marked ? LIKING : AFFECT)) return 'sincere';
  return marked || feigned || INTENSE.test(text) ? 'ironic' : 'doubtful';
}

/** "I love being stuck in traffic". */
function praisesMisery(text: string, feeling: RegExp): boolean {
  const affect = feeling.exec(text);
  if (affect === null) return false;
  const rest = text.slice(affect.index + affect[0].length, affect.index + affect[0].length + CAUSE_WITHIN);
  const situation = SITUATION.exec(rest);
  return situation !== null && !NOT_ITS_CAUSE.test(rest.slice(0, situation.index));
}
