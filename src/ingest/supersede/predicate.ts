import type { EntityId } from '../../model/ids.ts';
import { analyze } from '../../search/analyzer.ts';
import { firstSentence } from '../../util/sentences.ts';
import { signedWords } from '../../util/signed-words.ts';
import { entityNameKey } from '../../util/tidy.ts';
import type { JudgedFact } from './superseder.ts';

/** The verb phrase of a statement and what follows, without hedges and adverbs. */
export interface Predicate {
  /** Without dates in parentheses and without the text after the first pause. */
  readonly text: string;
  /** The whole statement. */
  readonly statement: string;
  /** The holder: the id of an entity, or words such as "ann's sister". */
  readonly holder: string;
  readonly holderName: string;
  /** Names of the holder, as in "sold Hugo's Volvo". */
  readonly holderNames: readonly string[];
}

const LONGEST_HOLDER = 6;
const DATES = /\s*\([^()]*\)/g;
const PAUSE =
  /;|, not | - | – | — |,? (?:but|because|although|though|so that|so)\b|, (?:and|so|which|who|since|as) /u;
/** "Actually", "as of today" before the holder. */
const OPENING =
  /^(?:(?:actually|now|nowadays|currently|today|these days|officially|finally|correction|update|as of (?:now|today)|from now on)[,:]? )+/i;
const ADVERB =
  /\b(?:also|still|just|finally|really|actually|already|currently|recently|always|usually|often|definitely|totally|absolutely|even|officially|now|truly|simply|sadly|honestly|both|happily) /gi;

/**
 * The ways to split a statement into a holder and a predicate: the holder of "Mara's cousin Ida lives in Bergen" is
 * the entity Ida. In "Hugo's car is a Tesla" the predicate keeps the possessive: "'s car is a Tesla".
 */
export function readPredicates({ statement, event, names }: JudgedFact): Predicate[] {
  const text = withoutTime(statement, event?.text ?? '')
    .replace(DATES, '')
    .replace(OPENING, '')
    .replace(/[.!]+$/, '');
  const known = new Map(
    Array.from(names, ([id, all]) => all.map((name) => [entityNameKey(name), id] as const)).flat(),
  );
  const found: Predicate[] = [];
  const words = text.split(' ');
  const owned = inverted(text, known);
  if (owned !== null) found.push({ statement, ...named(owned.owner, names), text: owned.text });
  if (/^the /i.test(text))
    found.push({ statement, ...named(THE, names), text: `'s ${plainly(headOf(text.slice(4)))}` });
  for (let count = Math.min(LONGEST_HOLDER, words.length - 1); count > 0; count--) {
    const said = words.slice(0, count).join(' ');
    const rest = headOf(words.slice(count).join(' '));
    const whose = /^(.+)['’]s?$/.exec(said)?.[1];
    for (const owner of whose === undefined ? [] : holdersOf(whose, known))
      found.push({ statement, ...named(owner, names), text: `'s ${plainly(rest)}` });
    for (const holder of holdersOf(said, known))
      for (const each of [rest, ...joinedTo(rest)])
        found.push({ statement, ...named(holder, names), text: plainly(each) });
  }
  return found;
}

const AND_THEN =
  / and (?:then |so |later |have |has |just |finally )*(?=(?:sold|bought|purchased|got|adopted|gave away|donated|scrapped|traded|swapped|replaced|joined|started|took|accepted|quit|left|moved|relocated|married|lives|works|drives|owns) )/;

/** "Bought a Volvo" in "sold the Fiat and bought a Volvo": the second deed of the holder. */
function joinedTo(text: string): string[] {
  return text.split(AND_THEN).slice(1);
}

/** The holder of what a definite noun names: "The deadline is Friday" says of nobody whose it is. */
export const THE = 'the';

const OWNED_BY = /^(.{1,60}?) (?:is|are) (?:now |still |currently )?(.{1,40}?)['’]s (\p{Ll}[^,;.]{1,60})$/u;
const THE_OF = /^(.{1,60}?) (?:is|are) (?:now |currently )?the ((?:\p{L}+ ){1,3}of .{1,40})$/u;

/** "Cricket is Ann's favourite sport" with its parts in the usual order. */
function inverted(
  text: string,
  known: ReadonlyMap<string, string>,
): { readonly owner: string; readonly text: string } | null {
  const [, value, whose, noun] = OWNED_BY.exec(headOf(text)) ?? [];
  const [owner] = whose === undefined ? [] : holdersOf(whose, known);
  if (owner !== undefined) return { owner, text: `'s ${plainly(plainEnd(noun!))} is ${value!}` };
  const [, one, office] = THE_OF.exec(headOf(text)) ?? [];
  return office === undefined ? null : { owner: THE, text: `'s ${plainly(plainEnd(office))} is ${one!}` };
}

const VAGUE_OPENING =
  /^(?:recently|lately|since then|meanwhile|the other day|(?:just |only )?(?:a (?:little |short |long )?while|some time|not (?:so |too |very )?long|ages) ago),? /i;

/** "At the end" of March. */
const PART_OF_TIME =
  /(?:^| )(?:within|during|over|around|in|(?:at|in|by|around|towards?|near) the (?:very )?(?:end|beginning|start|middle|course))$/i;

/** "The deadline is 5 May": the time is what is stated. */
const VALUE_FOLLOWS =
  / (?:is|are|was|were|be|been|['’]s)(?: now| still| currently)?(?: (?:on|at|in|for|from|by|until|due|set|scheduled|planned|moved|postponed|extended|to))*$/i;

/** The statement without the words for its time: "This year (2026) Ann moved to Oslo" is "Ann moved to Oslo". */
function withoutTime(statement: string, time: string): string {
  const at = time === '' ? -1 : statement.indexOf(time);
  if (at < 0) return statement.replace(VAGUE_OPENING, '');
  const after = statement
    .slice(at + time.length)
    .replace(/^ \([^()]*\)/, '')
    .replace(/^ (?:early |late )?(?:morning|afternoon|evening|night|now)\b/, '');
  const before = statement.slice(0, at).trimEnd().replace(PART_OF_TIME, '');
  if (VALUE_FOLLOWS.test(before)) return statement;
  return before === '' ? after.replace(/^[, ]+/, '') : `${before}${after}`;
}

const VERB_END =
  / (?:is|was|are|were|be|been|has|have|had|does|do|did|will|would|can|could|may|might|and|or|of|in|to|not|that|who)$/;

function named(holder: string, names: JudgedFact['names']) {
  const holderNames = names.get(holder as EntityId) ?? [holder];
  return { holder, holderNames, holderName: entityNameKey(holderNames[0]!) };
}

/** Ids of the entities that the words name; the words themselves for "Noah's sister". */
function holdersOf(said: string, known: ReadonlyMap<string, string>): string[] {
  const key = entityNameKey(said);
  const id = known.get(key) ?? known.get(key.replace(/^the /, ''));
  if (id !== undefined) return [id];
  const pair = /^(.+?) and (.+)$/.exec(key);
  if (pair !== null) {
    const group = pair[2] === 'others' ? known.get(pair[1]!) : undefined;
    if (group !== undefined) return [`${group} and others`];
    const both = [known.get(pair[1]!), known.get(pair[2]!)];
    return both.every((each) => each !== undefined) ? (both as string[]) : [];
  }
  // One of several: "Device A", "Room 12".
  const numbered = /^(.+) (?:\p{Lu}|#?\p{Lu}?\d[\p{L}\d.-]*)$/u.exec(said)?.[1];
  if (numbered !== undefined && known.has(entityNameKey(numbered).replace(/^the /, ''))) return [key];
  const kin = /^(.+?)'s? ((?:[\p{Ll}-]+ ?){1,3})(.*)$/u.exec(said);
  if (kin === null || !known.has(entityNameKey(kin[1]!))) return [];
  if (VERB_END.test(key)) return [];
  if (kin[3] === '') return [key];
  const named = known.get(entityNameKey(kin[3]!));
  return named === undefined ? [] : [named];
}

function headOf(text: string): string {
  const sentence = firstSentence(text);
  const said = sentence.length < text.length ? sentence.replace(/[.!?…]+$/u, '') : text;
  const pause = said.search(PAUSE);
  return pause < 0 ? said : said.slice(0, pause);
}

function plainly(text: string): string {
  return text.replace(ADVERB, '').trim();
}

const OBJECT_END =
  /,(?!\d)| (?:because|since|after|before|when|while|during|until|who|which|that|where|so|than|as|if|to be) .*$| (?:to|and) (?=\p{Ll}+(?: |$)).*$/u;
const TIME_TAIL =
  /\b(?:again|now|nowadays|these days|any ?more|any longer|too|as well|instead|(?:last|this|next|every|each|late|early) \p{L}+(?: ago)?|(?:\p{L}+|\d+) (?:days?|weeks?|months?|years?) ago|(?:just |only )?(?:a (?:little |short |long )?while|some time|not (?:so |too |very )?long|ages) ago|\p{L}+ times (?:a|per) \p{L}+|yesterday|today|tomorrow|recently|lately|(?:on|by) \p{L}+day|(?:in|since|until|by) (?:\d{4}|January|February|March|April|May|June|July|August|September|October|November|December)|for (?:good|now|a while|years)|(?:at|over|around|during|before|after|since) (?:Easter|Christmas|Xmas|Thanksgiving|New Year(?:['’]s)?(?: Eve| Day)?|the (?:holidays|summer|winter|spring|autumn|fall))|after all|altogether|completely|at the moment|right now|soon|so much|a lot|very much)\b/giu;

/** The object of a verb without adverbials of time, reason and frequency. */
export function objectOf(text: string): string {
  const cut = text.replace(TIME_TAIL, ' ').search(OBJECT_END);
  const whole = text.replace(TIME_TAIL, ' ');
  return (cut < 0 ? whole : whole.slice(0, cut)).replace(/\s+/g, ' ').trim();
}

const REASON = /,| (?:because|since|so that|to be) .*$/u;

/** The object of a verb with its conditions: a claim about another whole object is a different claim. */
export function wholeObjectOf(text: string): string {
  const whole = text.replace(TIME_TAIL, ' ');
  const cut = whole.search(REASON);
  return (cut < 0 ? whole : whole.slice(0, cut)).replace(/\s+/g, ' ').trim();
}

const QUALIFIED =
  /\b(?:(?:when|while|whenever|if|unless|except|without|alone|only|much|often|enough|daily)\b|(?:after|before) (?:noon|midnight|bed|dark|work|school|lunch|dinner|breakfast|sunset|sunrise|exercise|\d|\p{L}+ing\b)|(?:every|each) \p{L}+|on (?:weekdays|weekends|(?:\p{L}+day|holiday)s?)\b|at (?:night|work|home|school|lunch|dinner|breakfast|parties|weekends)\b|in (?:the )?(?:mornings?|evenings?|afternoons?|winter|summer|spring|autumn|public|bed|restaurants?|company)\b|during\b)/iu;

/** Whether the statement is limited to some times or places: "does not drink coffee after noon" ends nothing. */
export function isQualified(text: string): boolean {
  return QUALIFIED.test(text);
}

const AFTERWARDS =
  /,? (?:again|now|nowadays|these days|any ?more|instead|currently|at the moment|right now|from now on|after all|as of (?:now|today)|since .+)$/i;

/** Without "now" and the like at the end; places and days stay. */
export function plainEnd(text: string): string {
  return text.replace(AFTERWARDS, '').replace(OBJECT_CLAUSE, '').trim();
}

const OBJECT_CLAUSE =
  /,(?!\d).*$| (?:because|since|after|before|when|while|during|until|who|which|that|where|so|than|if) .*$/u;

const NUMBER_WORDS: readonly string[] =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
    ' ',
  );

/** The number that a word such as "two", "no" or "1,200" gives, as digits; null for other words. */
export function numberIn(word: string): string | null {
  const lower = word.toLowerCase();
  if (lower === 'no') return '0';
  const named = NUMBER_WORDS.indexOf(lower);
  if (named >= 0) return String(named);
  return /\d/.test(lower) ? lower.replace(/(?<=\d),(?=\d{3})/g, '') : null;
}

/** The words that two values are compared by: stems, and whole words where a sign or a digit tells them apart. */
export function comparedWords(text: string): ReadonlySet<string> {
  const words = text
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}$€£@#+]+|[^\p{L}\p{N}%+#]+$/gu, '').replace(/['’]s$/, ''))
    .filter((word) => word !== '' && !/^(?:an?|[Tt]he)$/.test(word));
  const signed = signedWords(text);
  const stems = words.flatMap((word) => {
    if (
      signed.some((each) => each.replace(/^[-.]|[-*]$/g, '') === word.toLowerCase().replace(/[.,;:]+$/, ''))
    )
      return [];
    if (/[\d@$€£%]/.test(word)) return [numberIn(word) ?? word.toLowerCase()];
    return numberIn(word) ?? analyze(word);
  });
  if (signed.length > 0) return new Set([...stems, ...signed]);
  return new Set(stems.length > 0 ? stems : words.map((word) => word.toLowerCase()));
}

export function wordsOf(text: string): ReadonlySet<string> {
  return new Set(analyze(text));
}

const NO_NAME =
  /^(?:I|January|February|March|April|May|June|July|August|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?)$/;

/** Stems of the capitalised words. */
export function nameWords(text: string): ReadonlySet<string> {
  const capital = text.match(/\p{Lu}[\p{L}\p{M}\d'’&-]*/gu) ?? [];
  return wordsOf(capital.filter((word) => !NO_NAME.test(word)).join(' '));
}

export function isChange({ statement }: Predicate): boolean {
  return /\b(?:now|nowadays|these days|any ?more|no longer|again|new|instead|currently|back)\b/i.test(
    statement,
  );
}

/** "Bruges" in "lives in Ghent, not in Bruges": the value that the statement denies. */
export function rejectedIn({ statement }: Pick<Predicate, 'statement'>): ReadonlySet<string> {
  const bare = statement.replace(DATES, '');
  const after =
    /,? (?:and )?not (?:in |at |on |to |for |as |with |the |an? )*([\p{L}\p{N}'@$€£%+_.:/ -]{1,60}?)[.!]?$/u.exec(
      bare,
    )?.[1];
  return after === undefined || !/, not\b| and not\b/.test(bare) ? new Set() : comparedWords(after);
}
