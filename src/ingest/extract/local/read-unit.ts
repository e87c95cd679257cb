import { CancelledError } from '../../../errors/index.ts';
import { type Standing, standingOf } from '../../../model/standing.ts';
import { Breather, gradually } from '../../../util/breathe.ts';
import { MOST_SENTENCES_READ } from '../defaults.ts';
import type { ExtractOptions, TurnToRead } from '../extractor.ts';
import { toSentences } from './clean-text.ts';
import { expandContractions } from './contractions.ts';
import { applyCorrections } from './corrections.ts';
import { languagesOf } from './language.ts';
import type { NounLexicon } from './noun-lexicon.ts';
import { plainForm, REQUEST, relativeIn, splitQuestion, withoutAsides } from './plain-form.ts';
import type { ReadSentence, ReadTurn, SpokenSentence } from './read-turn.ts';
import { readUpTo } from './reading-limit.ts';
import { readSpeakers, type Speakers, speakerName } from './speakers.ts';
import { spelt } from './spelling.ts';
import { isBase, isPartOfObject, isPast, isVerb, joinTokens, type Tagger, type Token } from './tagger.ts';
import { withOmittedUser, withUser } from './the-user.ts';
import { TypedNames } from './typed-names.ts';
import { sinceritiesOf, splitVoices, withoutInstructions, withoutPasted } from './voices.ts';
import { WholeSentences } from './whole-sentences.ts';
import {
  ANIMATE_STATES,
  FIRM_VERBS,
  FIRST_NAMES,
  KIN,
  OPENERS,
  ORGANISATION_ENDINGS,
  PERSON_VERBS,
  PLACE_ENDINGS,
  UNNAMED_AGENTS,
} from './words.ts';

/** A whole turn such as "*Thursday" corrects a word of the turn before. */
const STARRED = /^\s*(?:\*([^\s*][^*\n]{0,40})\*?|([^\s*][^*\n]{0,40})\*)\s*$/u;

/**
 * The sentences of each turn without pasted machine text, quotes of known turns and commands to the reader, and with
 * the speakers' own corrections applied.
 *
 * @param speakerOf The speaker's name as it is shown.
 */
async function readVoices(
  unit: readonly TurnToRead[],
  speakers: Speakers,
  speakerOf: (turn: TurnToRead) => string,
): Promise<SpokenSentence[][]> {
  const names = unit.map(speakerOf);
  const isTalk = unit.some(({ role }) => role === 'user');
  const breather = new Breather();
  const spoken: SpokenSentence[][] = [];
  for (const [at, turn] of unit.entries()) {
    const standing = standingOf(turn, isTalk);
    spoken.push(await spokenIn(turn.content, { speaker: names[at]!, standing, speakers, breather }));
  }
  await breather.breathe();
  const correctable = spoken.map((each) => each.map(toCorrectable));
  const corrected = await gradually(applyCorrections(correctable, names), breather);
  return spoken.map((sentences, turn) =>
    sentences.map((sentence, at) => {
      const { text, also } = corrected[turn]![at]!;
      if (text === sentence.text && also === null) return sentence;
      return { ...sentence, text: text ?? sentence.text, isWithdrawn: text === null, also };
    }),
  );
}

function toCorrectable({ text, isQuestion, voice, standing, sincerity, language }: SpokenSentence) {
  const isOthers = voice !== null || standing === 'document';
  return { text, isQuestion, isFixed: isOthers || sincerity === 'ironic' || language !== null };
}

interface Speaking {
  readonly speaker: string;
  readonly standing: Standing;
  readonly speakers: Speakers;
  readonly breather: Breather;
}

async function spokenIn(
  content: string,
  { speaker, standing, speakers, breather }: Speaking,
): Promise<SpokenSentence[]> {
  const starred = content.includes('*') ? STARRED.exec(content) : null;
  const text = starred === null ? content.slice(0, readUpTo(content)) : `I meant ${starred[1] ?? starred[2]}`;
  const typed = withoutPasted(text);
  await breather.breathe();
  const stated = withoutInstructions(typed);
  await breather.breathe();
  const read: SpokenSentence[] = [];
  for (const part of splitVoices(stated, speaker, speakers)) {
    await breather.breathe();
    const sentences = toSentences(part.text);
    await breather.breathe();
    const languages = languagesOf(sentences.map(({ text }) => text));
    const sincerities = part.voice === null && !part.isDocument ? sinceritiesOf(text, sentences) : [];
    const spoken = sentences.map((sentence, at) => ({
      text: sentence.text,
      isQuestion: sentence.isQuestion,
      voice: part.voice,
      // An answer that quotes is an answer.
      standing: part.isDocument && standing !== 'answer' ? 'document' : standing,
      sincerity: sincerities[at] ?? 'sincere',
      language: languages[at] ?? null,
      isWithdrawn: false,
      also: null,
    }));
    read.push(...spoken);
  }
  return read.slice(0, MOST_SENTENCES_READ);
}

export interface ReadUnit {
  readonly speakers: Speakers;
  readonly turns: readonly ReadTurn[];
}

const FIRST_WORD = /^['(]*(\p{L}[\p{L}\p{N}'-]*)/u;
const CAPITAL_INSIDE = /(?<=[\p{Ll}\p{N},;][,;]? )\p{Lu}[\p{L}\p{N}'-]*/gu;
const ACRONYM = /^[A-Z][A-Z0-9&]+s?$/;

/** Splits and tags every turn. Checks for cancellation between turns. */
export async function readUnit(
  unit: readonly TurnToRead[],
  options: ExtractOptions,
  { tag, lexicon }: { readonly tag: Tagger; readonly lexicon: NounLexicon },
): Promise<ReadUnit> {
  const speakers = readSpeakers(unit);
  const split = await readVoices(unit, speakers, speakerName);
  const seen = new Set(split.flat().flatMap(({ text }) => text.match(CAPITAL_INSIDE) ?? []));
  const isName = (word: string): boolean =>
    speakers.called(word) !== null ||
    (seen.has(word) && !OPENERS.has(word.toLowerCase())) ||
    (isOnlyName(word.toLowerCase(), lexicon) && options.known(word));
  const doesAsAgent = agentIn(lexicon, options.known);
  const isAgent = (word: string, rest: string): boolean =>
    (DOES_NOW.test(rest) && isOnlyName(word.toLowerCase(), lexicon)) || doesAsAgent(word, rest);
  const turns: ReadTurn[] = [];
  const breather = new Breather();
  const names = new TypedNames(speakers, { tag, lexicon, known: options.known });
  const wholes = new WholeSentences(speakers, lexicon);
  for (const [at, turn] of unit.entries()) {
    await breather.breathe();
    if (options.signal?.aborted)
      throw new CancelledError('nothing of this unit was extracted', options.signal.reason);
    const sentences: ReadSentence[] = [];
    let isNote = mayBeNote(unit, at);
    wholes.beginTurn(speakerName(turn), turns.at(-1));
    for (const typed of split[at]!.flatMap((each) => toldIn(each, names))) {
      const read = readSentence(typed, { isName, isAgent, speakers, tag });
      const noted = isNote && !read.isQuestion ? withOmittedUser(read.tokens, turn.role === 'user') : null;
      isNote = noted !== null;
      const whole = noted === null ? wholes.whole(read) : null;
      const joined = whole === null && noted === null ? wholes.joined(read, sentences.at(-1)) : null;
      if (joined !== null) {
        const last = sentences.pop()!;
        sentences.push(readSentence({ ...last, text: joined }, { isName, isAgent, speakers, tag }));
        wholes.note(sentences.at(-1)!);
        continue;
      }
      const told =
        whole === null
          ? read
          : readSentence(
              { ...typed, text: whole.text, also: typed.also ?? whole.also },
              { isName, isAgent, speakers, tag },
            );
      wholes.note(told);
      sentences.push({ ...told, tokens: noted ?? withUser(told.tokens) });
      await breather.breathe();
    }
    const isAnswerOfOther = asksOfOther(unit[at - 1], turn);
    turns.push({ turn, at, speaker: speakerName(turn), sentences, isAnswerOfOther });
  }
  return { speakers, turns };
}

/** A question about a third person or an animal at the end of a turn. */
const OF_OTHER =
  /\b(?:[Hh]ow|[Ww]here)(?:['’]?s| is| are| was| were) (?:he|she|they|(?:his|her|their|the|my|our) (?:\p{L}+ )?(?:cats?|dogs?|kids?|baby|puppy|kitten|horse|hair|wife|husband|mum|mom|dad|brother|sister|son|daughter|boss)|\p{Lu}\p{Ll}+(?:['’]s \p{L}+)?)\b[^.!?\n]*[?？]\W*$/u;

function asksOfOther(before: TurnToRead | undefined, { speaker }: TurnToRead): boolean {
  if (before === undefined || before.speaker === speaker) return false;
  return OF_OTHER.test(before.content);
}

/** What a sentence tells, in the letters that its writer left out. */
function toldIn(sentence: SpokenSentence, names: TypedNames): SpokenSentence[] {
  const isOwn = sentence.standing === 'own' && sentence.voice === null && sentence.language === null;
  if (!isOwn) return [sentence];
  const text = names.written(spelt(sentence.text));
  const { asked, told } = sentence.isQuestion ? splitQuestion(text) : { asked: null, told: text };
  const question = asked === null ? [] : [{ ...sentence, text: asked }];
  const relative = asked === null && !REQUEST.test(text) ? null : relativeIn(text);
  const statements = [
    ...(told === null ? [] : withoutAsides(told)),
    ...(relative === null ? [] : [relative]),
  ];
  return [...question, ...statements.map((each) => ({ ...sentence, text: each, isQuestion: false }))];
}

/** Whether a turn may be a note about the user; the reply to a question is about whom that asks. */
function mayBeNote(unit: readonly TurnToRead[], at: number): boolean {
  const [turn, before] = [unit[at]!, unit[at - 1]];
  if (turn.role !== 'user' && turn.role !== 'assistant') return false;
  return before === undefined || before.speaker === turn.speaker || !/[?？]/.test(before.content);
}

/**
 * Whether a capital at the beginning of a sentence is the one of a known name: memory may know the apple rather than
 * Apple.
 */
function isOnlyName(lower: string, { isCommon, isPlaceName }: NounLexicon): boolean {
  return !isCommon(lower) || isPlaceName(lower) || FIRST_NAMES.has(lower);
}

interface Reading {
  readonly isName: (word: string) => boolean;
  /** Whether a word does what the rest of the sentence tells, and so is a name. */
  readonly isAgent: (word: string, rest: string) => boolean;
  readonly speakers: Speakers;
  readonly tag: Tagger;
}

function readSentence(sentence: SpokenSentence, { isName, isAgent, speakers, tag }: Reading): ReadSentence {
  if (sentence.language !== null) return { ...sentence, tokens: [] };
  const text = sentence.isQuestion ? sentence.text : plainForm(sentence.text, speakers);
  const tokens = tag(expandContractions(withoutDeedAsName(lowerFirst(text, { isName, isAgent }), tag)));
  return { ...sentence, tokens: instructionIn(tokens, speakers, tag) ?? tokens };
}

/** The tokens of a line such as "Explore Lisbon" or "Add more salt", whose first word was taken for a name. */
function instructionIn(tokens: readonly Token[], speakers: Speakers, tag: Tagger): readonly Token[] | null {
  const [first, next] = tokens;
  if (first === undefined || !/^\p{Lu}\p{Ll}+$/u.test(first.text) || !isPartOfObject(next)) return null;
  if (!next!.space || tokens.slice(1).some(isVerb) || speakers.called(first.text) !== null) return null;
  // "Sue Miller" is nobody to sue.
  if (FIRST_NAMES.has(first.lower) && /^\p{Lu}/u.test(next!.text)) return null;
  const read = tag(joinTokens([{ ...first, text: first.lower }, ...tokens.slice(1)]));
  return isBase(read[0]!) ? read : null;
}

/** Lowers the capital at the start of a sentence, unless the word is known to be a name. */
function lowerFirst(text: string, words: Pick<Reading, 'isName' | 'isAgent'>): string {
  const match = FIRST_WORD.exec(text);
  const word = match?.[1];
  if (match === null || word === undefined || /^I(?:'|$)/.test(word)) return text;
  if (keepsCapital(word, text.slice(match[0].length), words)) return text;
  const start = match[0].length - word.length;
  return text.slice(0, start) + word.charAt(0).toLowerCase() + text.slice(start + 1);
}

const BEFORE_NAME = /^(\p{Lu}\p{Ll}+)(?= \p{Lu}\p{Ll})/u;

/** "Told Ann", "Moved Ottilie to Ghent": what the writer did, and no first name. */
function withoutDeedAsName(text: string, tag: Tagger): string {
  const [word] = BEFORE_NAME.exec(text) ?? [];
  const lower = word?.toLowerCase();
  if (lower === undefined || FIRST_NAMES.has(lower)) return text;
  const [deed] = tag(`${lower} her`);
  const isDeed = deed?.pos === 'VERB' && isPast(deed) && deed.lower !== deed.lemma;
  return isDeed ? `${lower}${text.slice(lower.length)}` : text;
}

function keepsCapital(
  word: string,
  rest: string,
  { isName, isAgent }: Pick<Reading, 'isName' | 'isAgent'>,
): boolean {
  const bare = word.replace(/'s$/, '');
  if (word === "Let's") return /^ \p{Lu}\p{Ll}/u.test(rest);
  const common = OPENERS.has(bare.toLowerCase()) || OPENERS.has(word.toLowerCase());
  if (ACRONYM.test(bare) && bare.length > 1) return !common;
  // "George Best", "George R. Best", "Dr. Best", "Mr. T".
  if (common) return false;
  if (isName(bare) || /^(?: \p{Lu}[\p{Ll}.]|\. \p{Lu})/u.test(rest) || isSaidToBeKin(rest)) return true;
  return isAgent(bare, rest);
}

/** "Tilly is allergic to nuts": no adverb and no common noun without an article stands before a verb. */
const DOES_NOW =
  /^(?:'s)? (?:is|was|has|had|will|can|isn't|wasn't|hasn't|can't|won't|does|doesn't|didn't|wants|likes|loves|hates|works|lives|needs|says|thinks|passed|died|got|rang|called|moved|starts|started|came)(?:[ ,]|$)/;
const DOES = /^ (?:(?:just|also|has|finally) )?(\p{Ll}+)(?= (?!of\b))/u;

/**
 * "Amazon delivered my parcel", "Rose called me", "Mocha slept on the sofa": a thing without an article that does what
 * firms, persons or animals do has a name.
 */
function agentIn(lexicon: NounLexicon, known: (name: string) => boolean): Reading['isAgent'] {
  return (word, rest) => {
    const [lower, verb] = [word.toLowerCase(), DOES.exec(rest)?.[1] ?? ''];
    if (!lexicon.isCommon(lower) || isUnnamedAgent(lower, lexicon) || lower.endsWith('s')) return false;
    if (FIRM_VERBS.has(verb)) return true;
    const isAnimate = PERSON_VERBS.has(verb) || ANIMATE_STATES.has(FEELS.exec(rest)?.[1] ?? '');
    return isAnimate && (FIRST_NAMES.has(lower) || known(word));
  };
}

/** "Biscuit is so afraid of the tram". */
const FEELS =
  /^ (?:is|was|isn't|wasn't|feels|felt|gets|got|became|looks|seems|seemed) (?:(?:not|so|very|really|too|always|still|a bit|quite|also|often|never) ){0,2}(\p{Ll}+)/u;

function isUnnamedAgent(lower: string, { isOccupation }: NounLexicon): boolean {
  const others = [UNNAMED_AGENTS, KIN, ORGANISATION_ENDINGS, PLACE_ENDINGS];
  return others.some((words) => words.has(lower)) || isOccupation(lower);
}

/** "Paris is my niece": whoever is somebody's relative has a name. */
function isSaidToBeKin(rest: string): boolean {
  const kin = IS_OWN.exec(rest)?.[1];
  return kin !== undefined && KIN.has(kin.toLowerCase());
}

const IS_OWN =
  /^ (?:is|was) (?:my|our|his|her|their|\p{Lu}[\p{L}-]+['’]s?) (?:(?:\p{Ll}+ )?)(\p{L}[\p{L}-]+)/u;
