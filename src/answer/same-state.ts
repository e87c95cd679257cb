import { analyze } from '../search/analyzer.ts';

/** Events after which a state holds: whoever moved somewhere lives there. */
const EVENTS: readonly (readonly [state: string, events: RegExp])[] = [
  [
    'live reside home',
    /\b(?:mov(?:e|es|ed|ing) (?:back )?(?:in )?to|relocat\w+ to|settl(?:e|es|ed|ing) (?:down )?in|resid(?:e|es|ed|ing) in|based in)\b/i,
  ],
  [
    'work job employ',
    /\b(?:hired (?:by|as|at)|(?:joined|joining) the (?:company|firm|team|staff)|employed (?:by|as|at)|(?:got|took|started) (?:a|the|my|her|his|their) (?:new )?(?:job|position))\b/i,
  ],
  ['own have possess', /\b(?:bought|adopted|purchased|inherited|acquired)\b/i],
  ['spouse wife husband married', /\b(?:(?:got|get|getting) married|married|wed(?:ded)?)\b/i],
  [
    'study attend',
    /\b(?:enrol(?:l|s|ls|led|ling)? (?:in|at)|major(?:s|ed|ing)? in|(?:started|starting) (?:college|university|school))\b/i,
  ],
];

const EVENTS_OF: ReadonlyMap<string, RegExp> = new Map(
  EVENTS.flatMap(([states, events]) => analyze(states).map((term): [string, RegExp] => [term, events])),
);

/** Whether a sentence tells of an event that a question's term is the outcome of: "moved to" tells where one lives. */
export function bringsAbout(term: string, sentence: string): boolean {
  return EVENTS_OF.get(term)?.test(sentence) ?? false;
}
