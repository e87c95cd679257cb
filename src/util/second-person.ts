import { wordSet } from './collections.ts';
import { escaped } from './escaped.ts';

const ADVERBS =
  'also|still|just|finally|really|actually|already|currently|recently|always|usually|often|sometimes|now|never|even|only|definitely|both';
/** Before these, a name is no subject: "with Ann". */
const BEFORE_OBJECT =
  /\b(?:about|after|against|at|before|behind|beside|between|by|for|from|in|into|near|of|on|to|towards?|upon|with|without|and|let|lets|made|makes|reminds?|invited|met|asked|told|helps?|helped)\s*$/i;
/** Verbs that follow "and" with the same subject; other words in "s" may be plural nouns ("cats and dogs"). */
const VERBS = wordSet([
  'is was has does lives works likes loves enjoys hates dislikes wants needs plans hopes thinks feels plays goes runs',
  'makes takes gets keeps uses owns drives teaches speaks reads writes cooks bakes prefers volunteers tries',
  'watches finds says knows believes spends collects paints sings dances practises practices misses remembers considers',
]);
const BASE: Readonly<Record<string, string>> = {
  is: 'are',
  was: 'were',
  has: 'have',
  does: 'do',
  goes: 'go',
};

/**
 * A statement about somebody, said to that person: "Ann lives in Oslo with Ann's son" is "You live in Oslo with your
 * son". English.
 *
 * @param names Name and aliases of the person.
 */
export function inSecondPerson(statement: string, names: readonly string[]): string {
  const known = names.filter((name) => name !== '').sort((a, b) => b.length - a.length);
  if (known.length === 0) return statement;
  const named = known.map(escaped).join('|');
  const person = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${named})(?<own>['’]s?(?!\\p{L}))?(?![\\p{L}\\p{N}])`,
    'gu',
  );
  let said = '';
  let rest = 0;
  for (const { 0: name, index, groups } of statement.matchAll(person)) {
    const before = statement.slice(rest, index);
    said += rest === 0 ? before : afterSubject(said, before);
    rest = index + name.length;
    const word = groups?.own === undefined ? 'you' : 'your';
    said += /(?:^|[.!?]\s+)$/.test(said) ? `Y${word.slice(1)}` : word;
  }
  if (rest === 0) return statement;
  said += afterSubject(said, statement.slice(rest));
  return said.startsWith('You ') ? said.replaceAll(/\bthemselves\b/g, 'yourself') : said;
}

const NEXT_VERB = new RegExp(`^((?: (?:${ADVERBS}))* )([\\p{Ll}]+s)(?!\\p{L})`, 'u');
const JOINED_VERB = new RegExp(
  `(?<=(?:,|and|but|or) (?:(?:${ADVERBS}) )*)(\\p{Ll}+s)(?!\\p{L}| of\\b)`,
  'gu',
);

/** What follows "you", with the verb, and verbs joined to it by "and", in agreement. */
function afterSubject(said: string, after: string): string {
  const subject = /(?:^|\P{L})you$/iu.exec(said);
  const [all, lead, verb] = NEXT_VERB.exec(after) ?? [];
  if (subject === null || all === undefined || BEFORE_OBJECT.test(said.slice(0, subject.index + 1)))
    return after;
  const more = after.slice(all.length);
  const isFull = BASE[verb!] === undefined;
  return `${lead}${secondPerson(verb!)}${isFull ? more.replace(JOINED_VERB, (word) => (VERBS.has(word) ? secondPerson(word) : word)) : more}`;
}

function secondPerson(verb: string): string {
  if (BASE[verb] !== undefined) return BASE[verb];
  if (/(?:ss|us|is)$/.test(verb) || verb.length < 4) return verb;
  if (/[^aeiou]ies$/.test(verb)) return `${verb.slice(0, -3)}y`;
  return /(?:ch|sh|ss|x|zz|o)es$/.test(verb) ? verb.slice(0, -2) : verb.slice(0, -1);
}
