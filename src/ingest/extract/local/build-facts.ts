import type { Milliseconds } from '../../../model/ids.ts';
import type { TimeInterval } from '../../../model/nodes.ts';
import { inferTense, type Tense } from '../../../time/calendar.ts';
import { readTimes, type TimeMention } from '../../../time/read-times.ts';
import type { Breather } from '../../../util/breathe.ts';
import { clockTime, type Spoken } from '../../../util/speaker-clock.ts';
import { PERSONAL } from '../../../util/unstated.ts';
import { LEAST_WORTH_UNWHOLE, MOST_LOCAL_FACTS_PER_TURN } from '../defaults.ts';
import { type ExtractedFact, MAX_STATEMENT_LENGTH } from '../extractor.ts';
import type { Antecedents } from './antecedents.ts';
import { isCapital, type Mention } from './find-mentions.ts';
import { bitsOf } from './noun-kinds.ts';
import type { NounLexicon } from './noun-lexicon.ts';
import {
  type Clause,
  type ClauseParts,
  isInjury,
  isPerfect,
  readClause,
  splitClauses,
  trimClause,
} from './read-clause.ts';
import type { ReadSentence, ReadTurn } from './read-turn.ts';
import { isSamePast, type Resolved, resolvePersons } from './resolve-persons.ts';
import {
  hasContent,
  hasOpenPronoun,
  isGeneralYou,
  isInstruction,
  isOfMankind,
  isPointing,
} from './small-talk.ts';
import type { Speakers } from './speakers.ts';
import { isGerund, joinTokens, type Token } from './tagger.ts';
import { OF_THE_USER, THE_USER, userOf } from './the-user.ts';
import type { Voice } from './voices.ts';
import { lackOf, withoutOpenEnd } from './wholeness.ts';
import { INTENTION, OPINION, POINTING, UNCERTAIN } from './words.ts';
import { worthOf } from './worth.ts';

/**
 * Confidence of a statement: 0.9, minus 0.6 if it may be irony, 0.3 if it is conditional or only possible ("if",
 * "might"), 0.2 if somebody else is quoted, 0.2 for an "it" or "her" without antecedent, 0.2 if it is about no
 * speaker and nothing with a name, and 0.1 each for a plan, an opinion, an omitted "I", a resolved "we" and a
 * resolved "you". At least 0.2.
 */
function confidenceOf(
  tokens: readonly Token[],
  {
    parts,
    resolved,
    sentence,
  }: { parts: ClauseParts; resolved: Resolved; sentence: Pick<ReadSentence, 'sincerity' | 'voice'> },
): number {
  const has = (words: ReadonlySet<string>): boolean => tokens.some(({ lower }) => words.has(lower));
  const tenths = [
    sentence.sincerity === 'doubtful' ? 6 : 0,
    sentence.voice !== null ? 2 : 0,
    has(UNCERTAIN) ? 3 : 0,
    hasOpenPronoun(tokens, { start: 0, end: tokens.length }) ? 2 : 0,
    resolved.names.length === 0 && !tokens.some(isCapital) ? 2 : 0,
    has(INTENTION) ? 1 : 0,
    tokens.some(({ lemma, pos }) => pos === 'VERB' && OPINION.has(lemma)) ? 1 : 0,
    parts.subject === null ? 1 : 0,
    resolved.usesWe ? 1 : 0,
    resolved.usesYou ? 1 : 0,
  ];
  const lost = tenths.reduce((sum, each) => sum + each, 0);
  return Math.max(2, 9 - lost) / 10;
}

interface Statement {
  readonly text: string;
  readonly times: readonly TimeMention[];
}
interface StatementContext {
  /** By the clock of the speaker. */
  readonly saidAt: Milliseconds;
  /** Absent for a verb that is not past. */
  readonly tense: Tense | undefined;
  /** Names that must not be read as dates. */
  readonly names: readonly string[];
}

/** Reserves room for the absolute dates that are inserted. */
const LONGEST_SOURCE = MAX_STATEMENT_LENGTH - 40;

/** Writes a readable sentence and adds absolute dates after relative times: "yesterday (7 May 2023)". */
function writeStatement(tokens: readonly Token[], context: StatementContext): Statement {
  const plain = shortened(capitalised(withoutResidue(tidied(joinTokens(tokens)))));
  const times = YEARLY.test(plain) ? [] : timesIn(plain, context);
  const relative = times.filter((time) => time.relative);
  const text = relative.reduceRight(withAbsolute, plain);
  return { text: text.length > MAX_STATEMENT_LENGTH ? plain : text, times };
}

/** "Every year on 1 May" is no day of one year. */
const YEARLY = /\b(?:every|each) (?:year|spring|summer|autumn|fall|winter)\b|\bannually\b/i;
/** What is arranged is mostly ahead: "invited for an interview on 2 April", "promised to come on Friday". */
const ARRANGED =
  /\b(?:(?:invited|registered|enrolled|scheduled|signed|booked|reserved|entered)\b(?=[^,;.]{0,40}\b(?:for|to) (?:an?|the|my|our|\p{Lu}\S{0,30}'s) \p{L}+)|(?:tickets|seats|places?)\b(?=[^,;.]{0,20}\bfor (?:an?|the) \p{L}+)|(?:promised|agreed|decided|offered|arranged|planned)\b(?=[^,;.]{0,30}\bto \p{L}+))/u;
/** What is arranged for a later day than this was arranged for the one before. */
const LONGEST_AHEAD = 200 * 86_400_000;

function timesIn(text: string, { saidAt, tense, names }: StatementContext): readonly TimeMention[] {
  const options = {
    reference: saidAt,
    tense: tense ?? notPast(text),
    ignore: [...names, ...(text.match(QUOTED_NAME) ?? [])],
  };
  if (tense === 'past' && ARRANGED.test(text)) {
    // The verb as one of the future, as long as before.
    const asAhead = text.replace(ARRANGED, (verb) => 'will'.padEnd(verb.length, '-'));
    const ahead = readTimes(asAhead, options);
    if (ahead.every(({ interval }) => interval.start - saidAt < LONGEST_AHEAD)) return ahead;
  }
  return readTimes(text, options);
}

/** "Wants a "vegetarian Thursday"" tells no day. */
const QUOTED_NAME = /"[^"]{1,40}"/g;

/** The tense of a statement that is not past: in "We open on Sunday" ("Ivo opens on Sunday"), Sunday is ahead. */
function notPast(text: string): Tense {
  const tense = inferTense(text);
  return tense === 'unknown' ? 'present' : tense;
}

function withAbsolute(text: string, { index, length, shown, begins }: TimeMention): string {
  const end = index + length;
  const isTold = /\bsince (?:the )?$|^since\b/i;
  const since =
    begins && !isTold.test(text.slice(0, index)) && !isTold.test(text.slice(index, end)) ? 'since ' : '';
  return `${text.slice(0, end)}${added(text.slice(index, end), `${since}${shown}`, text)}${text.slice(end)}`;
}

/** What the words of a time lack: "on 5 April" the year alone, which a birthday does not need. */
function added(said: string, shown: string, text: string): string {
  const words = wordsOf(said);
  const [year] = shown.match(/\b\d{4}$/) ?? [];
  if (year === undefined || !wordsOf(shown).every((word) => words.includes(word) || word === year))
    return ` (${shown})`;
  return words.includes(year) || /\b(?:birthday|anniversary)\b/i.test(text) ? '' : ` (${year})`;
}

function wordsOf(day: string): string[] {
  return (day.toLowerCase().match(/\p{L}+|\d+/gu) ?? []).filter(
    (word) => !/^(?:st|nd|rd|th|of|the|to|and)$/.test(word),
  );
}

/** What a statement opens and ends with for the listener only: "Since we last talked,", "lol", "but thankfully". */
const OPENING_RESIDUE =
  /^(?:(?:since|after|when) [^,]{0,40}\b(?:last (?:chat|talk|conversation)|last (?:chatted|talked|spoke|met|caught up))(?: (?:to|with) [^,]{1,20})?,|speaking of [^,]{1,40},|as for [^,]{1,30},|on (?:a|another) (?:different |other )?note,|that being said,|(?:any ?time|no problem|none|same|besides|then again|in the meantime|meanwhile|goodnight(?: all)?|good morning|however|also|unfortunately|luckily|fortunately|thankfully|anyways?|guess what|by the way|to be honest|good(?: news)?|seriously|plus|hey|sorry|hmm,? so),|(?:also|guys|folks|yeah|okay?|reminder|update|news|fyi)[,:!]?(?= \S+ \S)|(?:ohh?|hmm+|ah+|haha|lol|btw|so|then|especially after)(?:,|(?= \p{L})))\s+/iu;
const CLOSING_RESIDUE =
  /(?:,? (?:lol|haha(?:ha)*|btw|by the way|bless (?:him|her|them)|(?:but|and) (?:thankfully|luckily|unfortunately|sadly|fine|yeah)|you know|I guess|and all|though|anyway|then|speaking of|do not laugh|do not let \S+ forget|(?:please )?remember(?: that)?|and|but|or|because)|, (?:so|right|too bad|thank god|of course|obviously|please)|[,;:])$/iu;

function withoutResidue(text: string): string {
  const [opened, closed] = [
    text.replace(OPENING_RESIDUE, ''),
    (rest: string) => rest.replace(CLOSING_RESIDUE, ''),
  ];
  const rest = closed(closed(opened.replace(/,? btw\b,?/i, ''))).replace(/^(\S+) also (?=\S+ )/, '$1 ');
  return rest.includes(' ') ? rest : text;
}

function tidied(text: string): string {
  return text
    .replace(/\b(can) not\b/gi, '$1not')
    .replace(/\b([Aa]) (?=[AEFHILMNORSX][A-Z]+\b)/g, '$1n ')
    .replace(/ {2,}/g, ' ')
    .replace(/ ([,;:!?]|\.(?!\p{L}))/gu, '$1')
    .trim();
}

function capitalised(text: string): string {
  return text.replace(/^["'(]*\p{Ll}/u, (first) => first.toUpperCase());
}

/** Cuts at a clause mark if possible, else after a word. */
function shortened(text: string): string {
  if (text.length <= LONGEST_SOURCE) return text;
  const head = text.slice(0, LONGEST_SOURCE);
  const pause = Math.max(head.lastIndexOf(', '), head.lastIndexOf('; '), head.lastIndexOf(' - '));
  return pause > LONGEST_SOURCE / 2 ? head.slice(0, pause) : `${head.slice(0, head.lastIndexOf(' '))} …`;
}
const SENTENCES_OF_SECTION = 150;
/** A longer statement is not extended by a following "It was …". */
const LONGEST_EXTENDED = 220;

export interface SentenceMentions {
  readonly sentence: ReadSentence;
  /** The kept mentions, named as the extraction names them. */
  readonly mentions: readonly Mention[];
}

interface Scene {
  readonly turn: ReadTurn;
  readonly sentence: ReadSentence;
  /** The person who says it. */
  readonly speaker: string;
  /** The person that "you" refers to, if known. */
  readonly other: string | null;
  /** The person whom "the user" names. */
  readonly user: string;
  readonly companion: string | null;
  readonly isGroup: boolean;
  /** Whether "sleeping on the sofa" may be about whom the question before names. */
  readonly answersOfOther: boolean;
  readonly speakers: Speakers;
  readonly tokens: readonly Token[];
  readonly mentions: readonly Mention[];
  readonly lexicon: NounLexicon;
}

interface Building {
  readonly sentences: readonly SentenceMentions[];
  /** Of the unit. */
  readonly antecedents: Antecedents;
  readonly lexicon: NounLexicon;
  readonly breather: Breather;
}

/** A statement of a turn, and how much it is worth remembering (`worthOf`). */
export interface WeighedFact extends ExtractedFact {
  readonly worth: number;
}

/** The statements of a turn, with persons and times resolved. */
export async function buildFacts(
  turn: ReadTurn,
  speakers: Speakers,
  { sentences, antecedents, lexicon, breather }: Building,
): Promise<WeighedFact[]> {
  const facts: WeighedFact[] = [];
  let extends_ = false;
  for (const [at, each] of sentences.entries()) {
    const { speaker, at: position } = turn;
    const speaking = { turn: position, speaker, other: speakers.other(speaker), lexicon };
    const { sentence, mentions } = mayMend(each.sentence)
      ? antecedents.mend(each.sentence, each.mentions, speaking)
      : each;
    antecedents.note({ sentence, mentions }, speaking);
    if (facts.length >= MOST_LOCAL_FACTS_PER_TURN * (1 + Math.floor(at / SENTENCES_OF_SECTION))) continue;
    const before = facts.length;
    if (isStated(sentence))
      addSentence(facts, sceneOf(turn, speakers, { sentence, mentions, lexicon }), extends_);
    extends_ = facts.length > before;
    await breather.breathe();
  }
  return facts;
}

function mayMend({ voice, standing }: ReadSentence): boolean {
  return voice === null && standing === 'own';
}

/** "One bite and I am ill" is a condition. */
const IF_ONE =
  /^(?:just |only )?(?:another|an?|one|two|three|four|five|ten|\d{1,4}) (?:more )?\p{L}+(?: of \p{L}+)? and (?:I|we|you|my|our|he|she|they|it|everybody|everyone)\b/iu;

function isStated({ text, standing, isQuestion, isWithdrawn, sincerity, language }: ReadSentence): boolean {
  if (standing === 'document' && PERSONAL.test(text)) return false;
  if (IF_ONE.test(text)) return false;
  return !isQuestion && !isWithdrawn && sincerity !== 'ironic' && language === null;
}

function sceneOf(
  turn: ReadTurn,
  speakers: Speakers,
  { sentence, mentions, lexicon }: SentenceMentions & Pick<Scene, 'lexicon'>,
): Scene {
  const { voice, tokens } = sentence;
  const speaker = voice === null ? turn.speaker : voice.shown;
  const addressee = voice?.toSpeaker === true ? turn.speaker : null;
  const other = voice === null ? speakers.other(speaker) : addressee;
  const user = userOf(turn.turn, { speaker: turn.speaker, users: speakers.users });
  const companion = voice === null ? companionIn(turn.sentences, sentence) : null;
  const { isGroup } = speakers;
  const answersOfOther = turn.isAnswerOfOther && sentence === turn.sentences[0];
  return {
    ...{ turn, sentence, speakers, tokens, mentions, speaker, other, user },
    ...{ companion, isGroup, answersOfOther, lexicon },
  };
}

const COMPANION = /\b(?:(\p{Lu}[\p{L}'-]+) and I|(?:[Mm]e|[Mm]yself) and (\p{Lu}[\p{L}'-]+))\b(?! \p{Lu})/u;
/** Sentences that a named companion is kept for. */
const COMPANION_REACH = 2;

/** Who "we" are beside the speaker, if this sentence or one shortly before names one person. */
function companionIn(sentences: readonly ReadSentence[], sentence: ReadSentence): string | null {
  const at = sentences.indexOf(sentence);
  for (let from = at; from >= Math.max(0, at - COMPANION_REACH); from -= 1) {
    const found = COMPANION.exec(sentences[from]!.text);
    if (found !== null) return found[1] ?? found[2]!;
  }
  return null;
}

function addSentence(facts: WeighedFact[], scene: Scene, mayExtend: boolean): void {
  const { tokens, speakers } = scene;
  const isVocative = (at: number): boolean =>
    tokens[at]!.pos !== 'PUNCT' && speakers.called(tokens[at]!.text) !== null;
  for (const whole of splitClauses(tokens)) {
    const clause = withoutTurnOut(tokens, trimClause(tokens, whole, isVocative));
    const parts = readClause(tokens, clause);
    if (parts === null || !mayState(scene, clause, parts)) continue;
    if (isFigurative(scene, clause, parts) || isOfAnotherAge(scene, clause, parts)) continue;
    if (scene.answersOfOther && parts.subject === null && isGerund(tokens[parts.verb]!)) continue;
    if (isPointing(tokens, parts) || isOutcome(tokens, parts)) {
      if (mayExtend && whole.start === 0) extendLast(facts, scene, { clause, parts });
      continue;
    }
    if (isGeneralYou(tokens, clause, parts) || isOfMankind(tokens, clause, parts)) continue;
    if (scene.sentence.voice === null && isInstruction(tokens, clause, parts)) continue;
    const fact = toFact(scene, clause, parts);
    if (fact !== null)
      facts.push(Number.isFinite(fact.worth) ? fact : (laterFact(scene, { clause, parts }) ?? fact));
  }
}

/** Of a clause that does not read alone a part that does: "[The run is off,] my physio says no running till May". */
function laterFact(scene: Scene, { clause: { end }, parts }: Read): WeighedFact | null {
  const { tokens } = scene;
  for (let at = parts.verbEnd; at < end - 2; at += 1) {
    if (!/^(?:,|but|so|;|-)$/.test(tokens[at]!.lower)) continue;
    const clause = { start: at + 1, end };
    const read = readClause(tokens, clause);
    const subject = read?.subject ?? null;
    if (read === null || subject === null || isPointing(tokens, read) || !mayState(scene, clause, read))
      continue;
    const isNamed = tokens
      .slice(at + 1, read.verb)
      .every(({ pos }) => /^(?:NOUN|PROPN|ADJ|PRON|DET|PART|ADV)$/.test(pos));
    const fact = isNamed && !isGeneralYou(tokens, clause, read) ? toFact(scene, clause, read) : null;
    if (fact !== null && Number.isFinite(fact.worth)) return fact;
  }
  return null;
}

const ABOUT_USER = /^(?:you|your|yours|we|us|our)$/;
const PROPOSES = /^(?:suggest|recommend|propose|advise)\b/;

/**
 * A document leaves nobody's name out. An answer tells what the assistant did or proposed ("I booked the Aurora"), and
 * nothing else: not of the person whom it addresses, and what it lists may be invented. "The user" is named in notes.
 */
function mayState(
  { tokens, sentence: { standing } }: Scene,
  { start, end }: Clause,
  parts: ClauseParts,
): boolean {
  if (standing === 'own') return true;
  if (parts.subject === null) return false;
  const namesUser = ({ lower }: Token): boolean => lower === THE_USER || lower === OF_THE_USER;
  if (standing === 'document' || tokens.slice(start, parts.verb).some(namesUser)) return true;
  const isDeed = tokens[parts.subject]!.lower === 'i' && (parts.isPast || PROPOSES.test(parts.relation));
  return isDeed && !tokens.slice(start, end).some(({ lower }) => ABOUT_USER.test(lower));
}

/** "I am a mushroom": a speaker is nothing of these kinds. */
const NO_PERSON: number = bitsOf(['animal', 'plant', 'food', 'device', 'vehicle', 'clothing', 'furniture']);
const OF_PERSONS: number = bitsOf(['relative', 'occupation']);

function isFigurative({ tokens, lexicon }: Scene, { end }: Clause, parts: ClauseParts): boolean {
  if (parts.subject === null || tokens[parts.subject]!.lower !== 'i' || !/(?:^| )be$/.test(parts.relation))
    return false;
  const said = tokens.slice(parts.verbEnd, end).filter(({ pos }) => pos !== 'ADV');
  if (!/^(?:an?|the)$/.test(said[0]?.lower ?? '')) return false;
  const noun = said.findIndex(({ pos }, at) => pos === 'NOUN' && said[at + 1]?.pos !== 'NOUN');
  const kinds = noun < 0 || said[noun + 1]?.lower === "'s" ? 0 : lexicon.kindsOf(said[noun]!.lower);
  return (
    said.slice(1, noun).every(({ pos }) => pos === 'ADJ') &&
    (kinds & NO_PERSON) !== 0 &&
    (kinds & OF_PERSONS) === 0
  );
}

/** Years that nobody who writes has lived in: "Planned in 1871" omits no "I". */
function isOfAnotherAge({ tokens, turn }: Scene, { start, end }: Clause, { subject }: ClauseParts): boolean {
  const earliest = new Date(clockTime(turn.turn)).getUTCFullYear() - 110;
  return (
    subject === null &&
    tokens.slice(start, end).some(({ text }) => /^1\d{3}$/.test(text) && Number(text) < earliest)
  );
}

/** "Turned out to be gastritis", "Ended up being fun": the subject is what was told before. */
function isOutcome(tokens: readonly Token[], { subject, verb }: ClauseParts): boolean {
  const words = tokens.slice(verb, verb + 5).map(({ lower }) => lower);
  return subject === null && /^(?:turned out (?:to|not)|ended up being)\b/.test(words.join(' '));
}

/** "Turns out (that) I have gastritis" states what follows. */
function withoutTurnOut(tokens: readonly Token[], { start, end }: Clause): Clause {
  if (!/^turn(?:s|ed)$/.test(tokens[start]?.lower ?? '') || tokens[start + 1]?.lower !== 'out')
    return { start, end };
  const next = tokens[start + 2]?.lower === 'that' ? start + 3 : start + 2;
  return /^(?:i|we|my|our|the|he|she)$/.test(tokens[next]?.lower ?? '')
    ? { start: next, end }
    : { start, end };
}

interface Read {
  readonly clause: Clause;
  readonly parts: ClauseParts;
}

/** Extends the last fact: in "I painted that lake. It is special to me" the second sentence depends on the first. */
function extendLast(facts: WeighedFact[], scene: Scene, { clause, parts }: Read): void {
  const last = facts.at(-1);
  if (last === undefined || last.statement.includes('; ')) return;
  const own = scene.tokens.slice(clause.start, clause.end);
  const more = parts.subject === null ? resolvePersons(own, scene) : resolve(scene, clause, parts);
  if (more.isOpen || more.usesYou || !hasContent(scene.tokens, clause, { parts, mentions: scene.mentions }))
    return;
  const { text } = writeStatement(more.tokens, statementContext(scene, parts));
  const statement = `${last.statement}; ${parts.subject === null ? 'it ' : ''}${text.charAt(0).toLowerCase()}${text.slice(1)}`;
  if (last.statement.length > LONGEST_EXTENDED || statement.length > MAX_STATEMENT_LENGTH) return;
  const inside = within(scene.mentions, clause).map(({ name }) => name);
  facts[facts.length - 1] = {
    ...last,
    statement,
    participants: unique([...last.participants, ...more.names, ...inside]),
  };
}

function toFact(scene: Scene, whole: Clause, parts: ClauseParts): WeighedFact | null {
  const clause = withoutOpenEnd({ ...scene, clause: whole, parts });
  if (!hasContent(scene.tokens, clause, { parts, mentions: scene.mentions })) return null;
  const resolved = resolve(scene, clause, parts);
  const told = asToldBy(scene.sentence.voice, resolved.tokens);
  const { text, times } = writeStatement(told, statementContext(scene, parts));
  const ends = endsOf(scene, clause, parts);
  const mentioned = within(scene.mentions, clause).map(({ name }) => name);
  const dates = times.filter(isNamedDate).map(({ shown }) => shown);
  const participants = unique([...ends.names, ...resolved.names, ...mentioned, ...dates]);
  if (resolved.isOpen || participants.length === 0) return null;
  const isOwn = scene.sentence.standing === 'own';
  const worth = worthOf({ ...scene, clause, parts, isDated: times.length > 0, isOwn });
  // What says much is kept with a gap in it.
  const saysMuch = isOwn && worth >= LEAST_WORTH_UNWHOLE;
  const isWhole = saysMuch || lackOf({ ...scene, clause, parts }) === null;
  const isPast = parts.isPast || isSamePast(scene.tokens[parts.verb]!);
  const now = clockTime(scene.turn.turn);
  const datings = times.filter((time) => datesFact(time, text, { isPast, relation: parts.relation, now }));
  const event = narrowest(datings.map(({ interval }) => interval));
  return {
    ...shapeOf(ends),
    statement: text,
    participants,
    validAt: validFrom(event, scene.turn.turn, parts),
    event,
    confidence: confidenceOf(scene.tokens.slice(clause.start, clause.end), {
      parts,
      resolved,
      sentence: scene.sentence,
    }),
    turns: turnsOf(scene),
    // It still names entities.
    worth: isWhole ? worth : Number.NEGATIVE_INFINITY,
  };
}

/** Whose word a quotation is: "Anna says Anna moved to Ghent". The speaker heard it, and vouches for no more. */
function asToldBy(voice: Voice | null, tokens: readonly Token[]): readonly Token[] {
  const [first, ...rest] = tokens;
  if (voice === null || first === undefined) return tokens;
  const name: Token = {
    text: voice.shown,
    lower: voice.shown.toLowerCase(),
    pos: 'PROPN',
    lemma: '',
    space: true,
  };
  const says: Token = { text: 'says', lower: 'says', pos: 'VERB', lemma: 'say', space: true };
  return [name, says, { ...first, space: true }, ...rest];
}

/** The turn that a correction corrects supports it as well. */
function turnsOf({ turn, sentence: { also } }: Scene): number[] {
  return also === null ? [turn.at] : [also, turn.at];
}

function shapeOf({
  subject,
  object,
  relation,
}: Ends): Pick<ExtractedFact, 'kind' | 'subject' | 'relation' | 'object'> {
  const isRelation = subject !== null && object !== null && subject !== object;
  return isRelation
    ? { kind: 'relation', subject, relation, object }
    : { kind: 'proposition', subject: null, relation: '', object: null };
}

/** Verbs whose "from 1911" tells when; "bought a map from 1911" tells how old it is. */
const LASTING = /\b(?:live|work|teach|study|run|serve|stay|be|play|lead|own|rent|attend|train)\b/;

/** Whether a time is the one of the fact, not of a thing in it: "has a map from 1911", "pays for what broke in 2022". */
function datesFact(
  { interval, begins }: TimeMention,
  text: string,
  { isPast, relation, now }: { isPast: boolean; relation: string; now: Milliseconds },
): boolean {
  if (begins) return true;
  if (!isPast) return interval.end > now;
  const isAge = interval.text.startsWith('from ') || text.includes(`from ${interval.text}`);
  return !isAge || interval.end - interval.start < SHORTEST_YEAR || LASTING.test(relation);
}

const SHORTEST_YEAR = 365 * 86_400_000;

/** In "This month I will …" the month has begun, but the event has not. */
function validFrom(event: TimeInterval | null, said: Spoken, { isPast }: ClauseParts): Milliseconds {
  const now = clockTime(said);
  if (event === null || event.start >= now || !(isPast || event.end <= now)) return said.validAt;
  return Math.min(event.start, said.validAt);
}

function resolve(scene: Scene, clause: Clause, parts: ClauseParts): Resolved {
  const { tokens } = scene;
  const clauseTokens = withSubject(tokens.slice(clause.start, clause.end), parts, clause.start);
  const resolved = resolvePersons(clauseTokens, scene);
  if (scene.sentence.voice === null) return resolved;
  return { ...resolved, names: resolved.names.flatMap((name) => entitiesOf(scene, name)) };
}

/** "Priya's mom" names two entities. */
function entitiesOf({ sentence: { voice } }: Scene, name: string): readonly string[] {
  return voice !== null && name === voice.shown ? voice.names : [name];
}

/** Adds the speaker as the subject of "Went to the beach" and "Researching schools". */
function withSubject(
  tokens: readonly Token[],
  { subject, verb }: ClauseParts,
  start: number,
): readonly Token[] {
  const [first, ...rest] = tokens;
  if (subject !== null || first === undefined) return tokens;
  const lead: Token[] = [{ text: 'I', lower: 'i', pos: 'PRON', lemma: 'i', space: true }];
  const main = tokens[verb - start] ?? first;
  if (main.lower === 'been' || isPerfect(tokens, verb - start))
    lead.push({ text: 'have', lower: 'have', pos: 'AUX', lemma: 'have', space: true });
  else if (isInjury(tokens, verb - start))
    lead.push(
      { text: 'have', lower: 'have', pos: 'VERB', lemma: 'have', space: true },
      { text: 'a', lower: 'a', pos: 'DET', lemma: 'a', space: true },
    );
  else if (isGerund(main)) lead.push({ text: 'am', lower: 'am', pos: 'AUX', lemma: 'be', space: true });
  if (['ADV', 'VERB', 'AUX'].includes(first.pos)) {
    // "Told Helen" looks like a name.
    const text = first.text.charAt(0).toLowerCase() + first.text.slice(1);
    return [...lead, { ...first, text, space: true }, ...rest];
  }
  // "Last week got married": the subject stands before the verb.
  const opening = tokens.slice(0, verb - start);
  return [...opening, ...lead, ...tokens.slice(verb - start)];
}

function statementContext(
  { turn, speakers, tokens }: Scene,
  parts: ClauseParts,
): Parameters<typeof writeStatement>[1] {
  const first = tokens[parts.verb]!;
  // "Has got a job from 1 September" and "is booked for May" are ahead.
  const isPresent =
    /^(?:is|are|am)$/.test(first.lower) ||
    /^(?:have|has) got\b/.test(`${first.lower} ${tokens[parts.verb + 1]?.lower}`);
  const tense: Tense | undefined = isPresent ? 'present' : parts.isPast ? 'past' : undefined;
  return { saidAt: clockTime(turn.turn), tense, names: speakers.names };
}

interface Ends {
  readonly subject: string | null;
  readonly object: string | null;
  readonly relation: string;
  readonly names: readonly string[];
}

/** The entities directly before and after the verb phrase. */
function endsOf(scene: Scene, clause: Clause, parts: ClauseParts): Ends {
  const { tokens, mentions } = scene;
  const subject =
    parts.subject === null ? entitiesOf(scene, scene.speaker)[0]! : entityAt(scene, parts.subject);
  let at = parts.verbEnd;
  const links: string[] = [];
  while (at < clause.end && !mentions.some(({ start }) => start === at) && isBetween(tokens[at]!)) {
    if (isLink(tokens[at]!, parts.relation)) links.push(tokens[at]!.lower);
    if (POINTING.has(tokens[at]!.lower) && tokens[at + 1]?.pos === 'ADP') break;
    at += 1;
  }
  const object = at < clause.end ? entityAt(scene, at) : null;
  const relation = [parts.relation, ...links.slice(0, 3)].join(' ');
  return { subject, object, relation, names: [subject, object].filter((name) => name !== null) };
}

/** Whether a token links the verb to its object: "go to", "be keen on". */
function isLink({ pos, lower }: Token, relation: string): boolean {
  if (pos === 'ADP' || lower === 'to') return true;
  return pos === 'ADJ' && lower !== 'such' && /\b(?:be|feel|look|seem|get|become|stay)$/.test(relation);
}

function isBetween({ pos, lower }: Token): boolean {
  if (pos === 'PRON') return ['my', 'your', 'our', 'his', 'her', 'their', 'its'].includes(lower);
  return ['DET', 'ADP', 'ADJ', 'ADV', 'NUM'].includes(pos) || lower === 'to' || lower === '"';
}

function entityAt(scene: Scene, at: number): string | null {
  const { tokens, mentions, other } = scene;
  const { lower } = tokens[at]!;
  if (lower === 'i' || lower === 'we' || lower === 'me' || lower === 'us')
    return entitiesOf(scene, scene.speaker)[0]!;
  if (lower === 'you') return other;
  if (lower === THE_USER) return scene.user;
  return mentions.find(({ start, end }) => start <= at && at < end)?.name ?? null;
}

function within(mentions: readonly Mention[], { start, end }: Clause): Mention[] {
  return mentions.filter((mention) => mention.start >= start && mention.end <= end);
}

/** Whether the date becomes an entity; spans do not, because nobody would search for their names. */
function isNamedDate({ interval, shown }: TimeMention): boolean {
  return !['span', 'week', 'about'].includes(interval.precision) && shown !== '';
}

function narrowest(intervals: readonly TimeInterval[]): TimeInterval | null {
  return intervals.reduce<TimeInterval | null>((best, each) => {
    return best === null || each.end - each.start < best.end - best.start ? each : best;
  }, null);
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
