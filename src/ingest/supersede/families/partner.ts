import { type ClaimPart, type FamilyRules, part } from '../claim.ts';
import { nameWords, wordsOf } from '../predicate.ts';

const STAGES: readonly (readonly [string, RegExp])[] = [
  [
    'dating',
    /^(?:is (?:dating|seeing|going out with|in a relationship with|together with)|(?:has )?(?:started|begun|been) (?:dating|seeing)|got (?:back )?together with|(?:is|got) back together with)\b(.*)$/,
  ],
  ['engaged', /^(?:(?:is|got|became|has been) engaged)\b(?! in)(.*)$/],
  ['married', /^(?:(?:is|got|has been) (?:happily )?married|married)\b(.*)$/],
];
const PARTNER_IS = /^'s (?:new )?(?:boyfriend|girlfriend|partner|fianc[eé]e?) is (.+)$/;
const SPOUSE_IS = /^'s (?:husband|wife|spouse) is (.+)$/;
const OVER =
  /^(?:(?:has |have )?(?:broke|broken|split) up|(?:has |have )?separated|(?:got |is getting )?divorced|called off (?:the|\S+'s) (?:engagement|wedding)|(?:is|are) no longer (?:together|dating|engaged|married)|(?:is|are) not (?:together|dating|engaged|married))\b(.*)$/;
const SINGLE =
  /^is (?:single|a widow|a widower|not (?:seeing|dating) (?:anyone|anybody))(?:$|,| (?:again|now|these|since|at))/;

/** With whom somebody is together: one person at a time, on one stage. */
export const partner: FamilyRules = {
  cues: 'date marry married engage engaged boyfriend girlfriend husband wife break split divorce single relationship together',
  read({ text, holderNames }) {
    if (SINGLE.test(text)) return [part({ family: 'partner', phase: 'denies' })];
    const over = OVER.exec(text);
    if (over !== null)
      return [part({ family: 'partner', phase: 'ends', value: whom(over[1]!, holderNames) })];
    for (const [kind, pattern] of STAGES) {
      const found = pattern.exec(text);
      if (found !== null) return [together(kind, whom(found[1]!, holderNames))];
    }
    const [partnerIs, spouseIs] = [PARTNER_IS.exec(text)?.[1], SPOUSE_IS.exec(text)?.[1]];
    const named = partnerIs ?? spouseIs;
    if (named === undefined || nameWords(named).size === 0) return [];
    return [together(spouseIs === undefined ? 'dating' : 'married', whom(named, holderNames))];
  },
};

function together(kind: string, value: ReadonlySet<string>): ClaimPart {
  return part({ family: 'partner', phase: 'holds', value, kind, isOnly: true, isChange: true });
}

/** The name of the other. */
function whom(said: string, holderNames: readonly string[]): ReadonlySet<string> {
  const own = wordsOf(holderNames.join(' '));
  return new Set([...nameWords(said.split(',')[0]!)].filter((word) => !own.has(word)));
}
