import { type ClaimPart, type FamilyRules, part } from '../claim.ts';
import { objectOf, wholeObjectOf, wordsOf } from '../predicate.ts';

const IS =
  /^(is|became|has become|turned|went) (?!not\b|no\b|been\b)(?:back to being )?(?:an? |the )?((?:strict )?[\p{L}-]+(?: [\p{L}\p{M}'’-]+){0,5})$/u;
const IS_NOT =
  /^(?:is (?:not|no longer)|stopped being|quit being) (?:an? |the )?([\p{L}-]+(?: [\p{L}\p{M}'’-]+){0,5})$/u;
const EATS =
  /^(?:eats|is eating|started eating|has started eating|(?:has )?(?:went|gone) back to eating) (?:again )?(meat|beef|chicken|pork|fish|seafood|everything)\b/;
const COMPLEMENT =
  /^(?:\S+ ){1,5}?(?:to|of|for|with|about|from|against|than|as|in|at|on|by|that|who|which|where|what|how|when|if) /;
const DIETS: ReadonlySet<string> = new Set([
  'vegetarian',
  'vegan',
  'pescatarian',
  'omnivore',
  'flexitarian',
  'meat-eater',
]);
/** "A vegan", not "a vegan chef" or "fond of vegan food". */
const DIET_SAID =
  /^(?:(?:strict|committed|lifelong|proud) )?([\p{L}-]+)(?:$| (?:now|again|since|for|at|on|by|in)\b)/u;
/** Passing, or said with many meanings. */
const PASSING =
  /^(?:[\p{L}-]+ing\b|into|really|very|super|too|sure|done|back|here|there|ready|late|early|busy|happy|glad|sorry|excited|proud|thankful|grateful|tired|able|kidding|okay|ok|fine|good|great|home|right|wrong|nervous|alone|afraid|amused|surprised|easy|perfect|hard|worth|much|so|like|at|in|on|about|all|always|never|from|to|up|down|out|off|of|more|that|it)\b/u;

/** What somebody is: "a vegetarian", and no longer is. One diet at a time. */
export const state: FamilyRules = {
  cues: 'become vegetarian vegan meat fish student member',
  read({ text }) {
    const eats = EATS.exec(text)?.[1];
    if (eats !== undefined) return endedBy(eats);
    const plain = complementOf(text);
    const not = IS_NOT.exec(plain)?.[1];
    if (not !== undefined) return of('denies', not);
    const is = IS.exec(plain);
    return is === null || (is[1] !== 'is' && !isDiet(is[2]!) && is[1] === 'went')
      ? []
      : of(is[1] === 'is' ? 'holds' : 'begins', is[2]!);
  },
};

/** With what it is about: one who is allergic to nuts may well not be allergic to cats. */
function complementOf(text: string): string {
  const whole = wholeObjectOf(text);
  return COMPLEMENT.test(whole) ? whole : objectOf(text);
}

function of(phase: 'holds' | 'begins' | 'denies', said: string): ClaimPart[] {
  if (PASSING.test(said)) return [];
  const diet = dietIn(said);
  const value = diet === undefined ? wordsOf(said) : wordsOf(diet);
  if (value.size === 0) return [];
  const slot = diet === undefined ? '' : 'diet';
  return [part({ family: 'state', phase, value, slot, isOnly: slot !== '' })];
}

function endedBy(food: string): ClaimPart[] {
  const diets = /fish|seafood/.test(food) ? ['vegetarian', 'vegan'] : ['vegetarian', 'vegan', 'pescatarian'];
  return diets.map((diet) => part({ family: 'state', phase: 'denies', slot: 'diet', value: wordsOf(diet) }));
}

function isDiet(said: string): boolean {
  return dietIn(said) !== undefined;
}

function dietIn(said: string): string | undefined {
  const [, word] = DIET_SAID.exec(said.toLowerCase()) ?? [];
  return word !== undefined && DIETS.has(word) ? word : undefined;
}
