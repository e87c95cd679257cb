import { isBase, isVerb, type Token } from './tagger.ts';
import { OF_THE_USER, THE_USER } from './the-user.ts';
import { KIN, MODALS } from './words.ts';

export interface Persons {
  readonly speaker: string;
  /** The person that "you" refers to, if known. */
  readonly other: string | null;
  /** The person whom "the user" names. */
  readonly user: string;
  /** Who is with the speaker in "we", if the turn names one person: "Anthony and I went …; we won". */
  readonly companion: string | null;
  /** Whether three or more persons talk, so that "we" is rarely one of them alone. */
  readonly isGroup: boolean;
}

export interface Resolved {
  readonly tokens: readonly Token[];
  /** The inserted names in order, each once. */
  readonly names: readonly string[];
  readonly usesWe: boolean;
  readonly usesYou: boolean;
  /** Whether a "you" or "we both" could not be resolved, so that the clause is not certain. */
  readonly isOpen: boolean;
}

type Person = 'speaker' | 'other' | 'both' | 'user';
interface Form {
  readonly person: Person;
  readonly role: 'subject' | 'object' | 'possessive';
}

const FORMS: Readonly<Record<string, Form>> = {
  i: { person: 'speaker', role: 'subject' },
  me: { person: 'speaker', role: 'object' },
  my: { person: 'speaker', role: 'possessive' },
  mine: { person: 'speaker', role: 'possessive' },
  we: { person: 'both', role: 'subject' },
  us: { person: 'both', role: 'object' },
  our: { person: 'both', role: 'possessive' },
  ours: { person: 'both', role: 'possessive' },
  you: { person: 'other', role: 'object' },
  your: { person: 'other', role: 'possessive' },
  yours: { person: 'other', role: 'possessive' },
  [THE_USER]: { person: 'user', role: 'object' },
  [OF_THE_USER]: { person: 'user', role: 'possessive' },
};
const REFLEXIVE = /^(?:myself|ourselves|yourself|yourselves)$/;
/** "We" means both speakers only if one of these occurs; else only the speaker, who certainly belongs to it. */
const JOINT =
  /\b(?:you and (?:I|me)|(?:I|me) and you|(?:since|when|last time|before|after) we (?:last )?(?:chatted|talked|spoke|met|caught up|saw))\b/i;
/** With one of these, "we" needs more than one person: the speaker and others, who are rarely the listener. */
const BE_OR_MODAL =
  '(?: (?:are|were|have|had|do|did|will|would|can|could|should|must|may|might|need|got|get|gets))?';
const MUTUAL = new RegExp(
  `\\b(?:together|each other|one another|two of us|(?:we|us)${BE_OR_MODAL} (?:all|each)(?! (?:kinds|sorts|of|the|my|our|his|her|their|that|this|these|those|day|night|week|year|in|over)\\b)|(?:we|us) (?:two|three|four|five|six)(?! (?:years|months|weeks|days|times|hours)))\\b`,
  'i',
);
/** "We are a family of five". */
const COLLECTIVE = /^(?:family|team|band|couple|pair|group|crew|duo|trio|company|household|club|community)$/;
const MANY = /^(?:people|folk|men|women|children)$/;
/** After these verbs "you" is an object even if a verb follows: "help you find". */
const CAUSES: ReadonlySet<string> = new Set([
  'help',
  'let',
  'make',
  'see',
  'watch',
  'hear',
  'have',
  'thank',
  'tell',
  'give',
  'wish',
]);
/** The listener or a third person, or some of a group: nothing says who. */
const BOTH =
  /\b(?:(?:we|us)(?: (?:have|had|do|did|will|would|can|could|should|must|may|might|get|gets))? both|(?:both|one|some|none|neither|either|half|each|most|any|all|part) of us)\b/i;
/** Some of those who listen: nothing says who. */
const YOU_SOME =
  /\byou(?: are| have| do| can| will)? (?:both|two|three)\b|\byou (?:are|have|can|will) all\b|\b(?:both|some|one|each) of you\b/i;
const PAST_PLURAL: Readonly<Record<string, string>> = { were: 'was' };
const PRESENT: Readonly<Record<string, string>> = {
  am: 'is',
  are: 'is',
  have: 'has',
  do: 'does',
  go: 'goes',
  "'m": 'is',
  "'re": 'is',
  "'ve": 'has',
};

/**
 * Replaces first and second person by names, with the verbs in agreement: "I'm swamped with my kids" becomes "Melanie
 * is swamped with Melanie's kids". "We" means both speakers if the clause says so ("you and I"), or the speaker and whom
 * the turn named beside them; "Melanie and others" if it needs several persons ("together") or several talk; else the
 * speaker, of whom the statement is true in any case. "I … so that we …" is "they" the second time. A speaker's gender
 * is unknown, so "myself" becomes "themselves", and "I wish I had" becomes "Melanie wishes they had".
 */
export function resolvePersons(said: readonly Token[], persons: Persons): Resolved {
  const tokens = withOthers(said, persons);
  const text = tokens.map(({ text }) => text).join(' ');
  const isOnlyListener = JOINT.test(text) && persons.other !== null;
  const partner = isOnlyListener ? persons.other : persons.companion;
  const isMutual = persons.isGroup || needsOthers(tokens, text);
  const state = new Resolution(persons, partner, isMutual);
  const resolved = [...tokens];
  const isQuoted = quotedIn(tokens);
  let last: { readonly at: number; readonly person: Person } | null = null;
  for (const [at, token] of tokens.entries()) {
    const form = isQuoted(at) ? null : formAt(tokens, at);
    const isAgain =
      form !== null &&
      form.person !== 'other' &&
      (last?.person === form.person || (last?.person === 'speaker' && form.person === 'both')) &&
      mayBeThey(tokens, last.at, at);
    if (form?.person === 'other' && isAnybody(tokens, at)) {
      resolved[at] = { ...token, text: 'one' };
      agree(resolved, at);
      continue;
    }
    if (form !== null) {
      resolved[at] = { ...token, pos: 'PROPN', text: state.nameFor(form, isAgain) };
      last = { at, person: form.person };
    }
    if (form?.role === 'subject' && !state.isPlural(form) && !isSecondSubject(tokens, at)) {
      if (isAgain) agreeWithThey(resolved, at);
      else agree(resolved, at);
    }
    if (REFLEXIVE.test(token.lower) && !isQuoted(at))
      resolved[at] = { ...token, text: state.reflexive(token.lower) };
  }
  const lead = state.attribution();
  if (lead.length > 0 && resolved[0] !== undefined) resolved[0] = { ...resolved[0], space: true };
  const { names, usesWe, usesYou } = state;
  const isOpen =
    state.isOpen || (partner === null && BOTH.test(text)) || YOU_SOME.test(text) || isOpenMine(tokens);
  return { tokens: [...lead, ...resolved], names: [...names], usesWe, usesYou, isOpen };
}

/**
 * Whether a token is within quotation marks, where it is of a title or of somebody's words; a clause that is quoted as a
 * whole is not.
 */
function quotedIn(tokens: readonly Token[]): (at: number) => boolean {
  const pairs: { readonly open: number; readonly close: number }[] = [];
  for (let open = 0; open < tokens.length; open++) {
    const { text, space } = tokens[open]!;
    // A single mark begins a quotation after a space only: "the dogs' food" has none.
    if (text !== '"' && !(text === "'" && (space || open === 0))) continue;
    const close = tokens.findIndex((each, at) => at > open && each.text === text);
    if (close === -1) continue;
    pairs.push({ open, close });
    open = close;
  }
  const isWhole = pairs[0]?.open === 0 && pairs[0].close >= tokens.length - 2;
  return (at) => !isWhole && pairs.some(({ open, close }) => open < at && at < close);
}

/** "You all owe me 20" as "the others owe me 20"; "we are both on a diet" as what is true of each. */
function withOthers(tokens: readonly Token[], { other, companion }: Persons): readonly Token[] {
  const at = tokens.findIndex(({ lower }, each) => lower === 'you' && isSeveral(tokens, each));
  if (at >= 0) {
    const start = tokens[at - 1]?.lower === 'of' ? at - 2 : at;
    const others = toWord(other === null ? 'the others' : `${other} and others`, 'PROPN');
    const end = start < at ? at + 1 : at + 2;
    return [...tokens.slice(0, start), { ...others, space: tokens[start]!.space }, ...tokens.slice(end)];
  }
  const both = tokens.findIndex(({ lower, pos }, each) => {
    const before = tokens[each - 1];
    return lower === 'both' && pos !== 'CCONJ' && before?.lemma === 'be' && tokens[each - 2]?.lower === 'we';
  });
  return both < 0 || companion !== null ? tokens : tokens.filter((_, each) => each !== both);
}

/** "You all", "you guys", "all of you"; not "you all day". */
function isSeveral(tokens: readonly Token[], you: number): boolean {
  const [before, of, next, second] = [tokens[you - 2], tokens[you - 1], tokens[you + 1], tokens[you + 2]];
  if (of?.lower === 'of' && before?.lower === 'all') return true;
  if (/^(?:guys|lot|folks)$/.test(next?.lower ?? '')) return true;
  return (
    next?.lower === 'all' &&
    !/^(?:day|night|week|the|my|your|of|kinds|sorts|that|this)$/.test(second?.lower ?? '')
  );
}

/** "Mine says it is flu": the noun is in an earlier sentence. */
function isOpenMine(tokens: readonly Token[]): boolean {
  const verb = tokens.findIndex(isVerb);
  return tokens.slice(0, Math.max(0, verb)).some(({ lower }) => /^(?:mine|ours|yours)$/.test(lower));
}

/** What "we" do as a firm. */
const AS_FIRM =
  /\bwe (?:(?:have|had|will|also|just|now) )?(?:hired?|employ(?:ed)?|charged?|invoiced?|suppl(?:y|ied)|manufactured?|launched|lose money|lost money|recruit(?:ed)?)\b/i;

/** "We were teammates" is said of several. */
function needsOthers(tokens: readonly Token[], text: string): boolean {
  if (MUTUAL.test(text) || AS_FIRM.test(text)) return true;
  return tokens.some(({ lower }, at) => {
    if (lower !== 'we') return false;
    const be = afterAdverbs(tokens, at + 1);
    if (tokens[be]?.lemma !== 'be') return false;
    const next = tokens[be + 1];
    // "We are called the Sardines".
    if (/^(?:called|named)$/.test(next?.lower ?? '')) return true;
    // "We are four in the team", not "We are 2 km away".
    if (next?.pos === 'NUM')
      return /^(?:in|of|at|on|here|now|people|persons|,|\.)?$/.test(tokens[be + 2]?.lower ?? '');
    let end = be + 1;
    while (['ADV', 'ADJ', 'NOUN'].includes(tokens[end]?.pos ?? '')) end += 1;
    while (tokens[end - 1]!.pos === 'ADV') end -= 1;
    const head = tokens[end - 1]!;
    if (next?.pos === 'DET') return tokens.slice(be + 2, be + 5).some(({ lower }) => COLLECTIVE.test(lower));
    return head.pos === 'NOUN' && (head.lower === `${head.lemma}s` || MANY.test(head.lower));
  });
}

const SAYS = /^(?:say|think|tell|know|believe|claim|insist|hope|want|agree|suggest|ask|suspect)$/;

/** Whether a second mention of a person reads as "they": nobody else is named since the first. */
function mayBeThey(tokens: readonly Token[], from: number, to: number): boolean {
  const between = tokens.slice(from + 1, to);
  const names = between.some(
    ({ pos, lower, lemma }) =>
      pos === 'PROPN' || KIN.has(lemma) || /^(?:he|she|they|who|people)$/.test(lower),
  );
  // "My doctor says I …": "they" would be the doctor.
  const isOwner = FORMS[tokens[from]!.lower]?.role === 'possessive';
  if (isOwner && between.some(({ lemma }) => SAYS.test(lemma))) return false;
  return !names && between.some(isVerb);
}

class Resolution {
  readonly names = new Set<string>();
  usesWe = false;
  usesYou = false;
  isOpen = false;
  readonly #persons: Persons;
  readonly #we: 'joint' | 'mutual' | 'single';
  readonly #partner: string | null;
  /** Whose later mentions are pronouns. */
  #isThey: Person | null = null;
  #isAttributed = false;

  /** @param partner With whom the speaker is "we", if it is known. */
  constructor(persons: Persons, partner: string | null, isMutual: boolean) {
    this.#persons = persons;
    this.#we = partner !== null ? 'joint' : isMutual ? 'mutual' : 'single';
    this.#partner = partner;
  }

  /** Without a person in the clause, "yourself" refers to anyone and "myself" needs an antecedent. */
  reflexive(word: string): string {
    if (this.names.size > 0) return 'themselves';
    if (word.startsWith('your')) return 'oneself';
    this.#isAttributed = true;
    return 'themselves';
  }

  /** "Painting is great for expressing myself" becomes "Caroline says painting is …". */
  attribution(): readonly Token[] {
    if (!this.#isAttributed) return [];
    const { speaker } = this.#persons;
    this.names.add(speaker);
    return [toWord(speaker, 'PROPN'), toWord('says', 'VERB')];
  }

  isPlural({ person }: Form): boolean {
    return person === 'both' && this.#we !== 'single';
  }

  /** @param isAgain Whether the name was used before and a pronoun can only mean it. */
  nameFor({ person, role }: Form, isAgain: boolean): string {
    const isFirst = this.names.size === 0;
    const names = this.#namesOf(person);
    for (const name of names) this.names.add(name);
    if (isAgain && role === 'subject') {
      this.#isThey = person;
      return 'they';
    }
    const isMutual = person === 'both' && this.#we === 'mutual';
    if (role === 'possessive' && ((isAgain && this.#isThey === person) || (isMutual && !isFirst)))
      return 'their';
    const shown = names.join(' and ');
    if (role === 'possessive') return `${shown}'s`;
    return isMutual ? `${shown} and others` : shown;
  }

  #namesOf(person: Person): readonly string[] {
    const { speaker, other, user } = this.#persons;
    if (person === 'speaker') return [speaker];
    if (person === 'user') return [user];
    if (person === 'both') {
      this.usesWe = true;
      return this.#partner === null ? [speaker] : [speaker, this.#partner];
    }
    this.usesYou = true;
    this.isOpen ||= other === null;
    return [other ?? 'you'];
  }
}

function toWord(text: string, pos: Token['pos']): Token {
  return { text, lower: text.toLowerCase(), pos, lemma: text.toLowerCase(), space: true };
}

function formAt(tokens: readonly Token[], at: number): Form | null {
  const token = tokens[at]!;
  const form = token.lower === 'i' && token.text !== 'I' ? undefined : FORMS[token.lower];
  if (form === undefined || token.text === 'US') return null;
  return token.lower === 'you' && isSubjectYou(tokens, at) ? { person: 'other', role: 'subject' } : form;
}

function isSubjectYou(tokens: readonly Token[], at: number): boolean {
  const next = tokens[afterAdverbs(tokens, at + 1)];
  const before = tokens[at - 1];
  if (next === undefined || !isVerb(next) || next.lower.endsWith('ing')) return false;
  if (before === undefined) return true;
  return before.pos !== 'ADP' && !(CAUSES.has(before.lemma) && isBase(next));
}

/** "A game where you build settlements"; "the house where you live" is the listener's. */
function isAnybody(tokens: readonly Token[], at: number): boolean {
  const [noun, where, verb] = [tokens[at - 2], tokens[at - 1], tokens[at + 1]];
  if (where?.lower !== 'where' || noun?.pos !== 'NOUN' || verb === undefined) return false;
  return (
    (isBase(verb) || MODALS.has(verb.lower)) && !/^(?:live|work|stay|sit|study|teach|park)$/.test(verb.lemma)
  );
}

/** In "My sister and I" the verb is plural already. */
function isSecondSubject(tokens: readonly Token[], at: number): boolean {
  return tokens[at - 1]?.lower === 'and' && ['NOUN', 'PROPN'].includes(tokens[at - 2]?.pos ?? '');
}

function afterAdverbs(tokens: readonly Token[], from: number): number {
  let at = from;
  while (tokens[at]?.pos === 'ADV' || tokens[at]?.lower === 'all' || tokens[at]?.lower === 'both') at += 1;
  return at;
}

/** "They are", "they were"; other verbs are as after "I". */
function agreeWithThey(tokens: Token[], subject: number): void {
  const at = afterAdverbs(tokens, subject + 1);
  const verb = tokens[at];
  const plural = { am: 'are', "'m": 'are', was: 'were' }[verb?.lower ?? ''];
  if (verb !== undefined && plural !== undefined) tokens[at] = { ...verb, text: plural };
}

/** Puts the finite verb after a subject, and verbs joined to it by "and", in the third person. */
function agree(tokens: Token[], subject: number): void {
  const first = afterAdverbs(tokens, subject + 1);
  const verb = tokens[first];
  if (verb === undefined || !isVerb(verb)) return;
  const agreed = thirdPerson(verb);
  tokens[first] = { ...verb, text: agreed };
  const isPresent = verb.pos === 'VERB' && agreed !== verb.text;
  const isMain = !tokens.slice(0, subject).some(isVerb);
  if (isPresent && isMain) agreeJoined(tokens, first + 1);
}

/** In "I love hiking and go every week", "go" has the same subject, unless a "to" or another subject comes between. */
function agreeJoined(tokens: Token[], from: number): void {
  for (let at = from; at < tokens.length - 1; at += 1) {
    const token = tokens[at]!;
    if (token.lower === 'to' || FORMS[token.lower]?.role === 'subject' || token.pos === 'SCONJ') return;
    if (token.pos === 'AUX' || token.text === ';') return;
    const next = afterAdverbs(tokens, at + 1);
    const joined = tokens[next];
    if (token.pos === 'CCONJ' && joined !== undefined && isBase(joined) && !MODALS.has(joined.lower)) {
      tokens[next] = { ...joined, text: thirdPerson(joined) };
    }
  }
}

function thirdPerson(verb: Token): string {
  const fixed = PRESENT[verb.lower] ?? PAST_PLURAL[verb.lower];
  if (fixed !== undefined) return fixed;
  if (verb.pos === 'AUX' || MODALS.has(verb.lower) || !isBase(verb) || isSamePast(verb)) return verb.text;
  if (/[^aeiou]y$/.test(verb.lower)) return `${verb.text.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh|o)$/.test(verb.lower) ? `${verb.text}es` : `${verb.text}s`;
}

/** Verbs whose past equals their base are unchanged: "I read it", "I put it there" are mostly past in chat. */
export function isSamePast({ lower }: Token): boolean {
  return /^(?:put|read|learnt|dreamt|burnt|spelt|let|hit|cut|set|hurt|quit|cost|shut|bet|spread|beat)$/.test(
    lower,
  );
}
