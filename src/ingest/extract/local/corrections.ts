import type { Steps } from '../../../util/breathe.ts';
import { kindOf, repairFor, type Statement, slotsOf, slotText } from './repair.ts';

/** Openings that state an error. */
const ERROR =
  /^(?:(?:that|this|it)(?:'s| is| was)(?: all)? (?:wrong|not right|incorrect|a (?:mistake|typo))|wrong|my (?:bad|mistake)|correction|edit|scratch that|strike that|I misspoke|I was wrong|I got (?:that|it) wrong|I (?:mixed|messed) (?:that|it|them|those) up|let me (?:correct|rephrase) (?:that|myself|it)|I stand corrected|typo|I (?:made a mistake|said (?:that|it) wrong))\b/i;
/** Openings of a correction or of any other sentence. */
const HESITATION =
  /^(?:oops|whoops|wait(?:,? no)?|hold on|no(?: wait)?|nope|nah|sorry|actually|apologies|hang on|on second thou?ght|I mean)\b/i;
const FILLER = /^(?:oh|ah|hm+|um|uh|er|well|right|ok(?:ay)?|yes|yeah)\b(?=[ ,.!-])/i;
/** First words of all openings of a correction. */
const OPENINGS: ReadonlySet<string> = new Set(
  'that this it wrong my correction edit scratch strike i let typo oops whoops wait hold no nope nah sorry actually apologies hang on make should oh ah hm hmm hmmm um uh er well right ok okay yes yeah'.split(
    ' ',
  ),
);
const GAP = /^(?:[\s,.:;!-]|\bbut\b|\band\b)+/i;
const MEANT = /^I (?:(?:actually|really|just) )?meant\b(?: to (?:say|write|type))?/i;
const MAKE_THAT = /^(?:make (?:that|it)|should (?:be|have been)|it should (?:be|have been))\b/i;

/**
 * The correction that a sentence makes, without the words that announce it; its text is empty if the sentence has no
 * other words. Null if it corrects nothing.
 *
 * @param isAnnounced Whether the sentence before stated an error.
 */
function openedCorrection(text: string, isAnnounced: boolean): Statement | null {
  let [rest, strength, meant] = [text.trim(), isAnnounced ? 2 : 0, false];
  for (let opening = openingOf(rest); opening !== null; opening = openingOf(rest)) {
    strength = Math.max(strength, opening.strength);
    meant ||= opening.meant;
    rest = rest.slice(opening.length).replace(GAP, '');
  }
  if (strength === 0 || (rest === '' && (strength === 1 || meant))) return null;
  const said = { strength: strength === 2 ? 2 : 1, meant } as const;
  const [, right, wrong] = PAIR.exec(rest) ?? [];
  if (right === undefined || wrong === undefined) return { ...said, text: rest, instead: null };
  return { ...said, text: right, instead: wrong };
}

/** "12, not 10": the right value and the wrong one. */
const PAIR =
  /^(.{1,160}?),? (?:and )?not (?:on |in |at |the )?([\p{L}\p{N}$€£'’:.-]+(?: [\p{L}\p{N}$€£'’:.-]+){0,3}?)[.!]?$/iu;

function openingOf(text: string): { length: number; strength: number; meant: boolean } | null {
  if (!OPENINGS.has(/^[a-z]+/i.exec(text)?.[0].toLowerCase() ?? '')) return null;
  const [error, meant] = [ERROR.exec(text), MEANT.exec(text) ?? MAKE_THAT.exec(text)];
  if (error !== null) return { length: error[0].length, strength: 2, meant: false };
  if (meant !== null) return { length: meant[0].length, strength: 2, meant: true };
  const weak = HESITATION.exec(text);
  if (weak !== null) return { length: weak[0].length, strength: 1, meant: false };
  const filler = FILLER.exec(text);
  return filler === null ? null : { length: filler[0].length, strength: 0, meant: false };
}

const REPAIR_INSIDE =
  /^(.{6,300}?)(?:\s?[,;]|\s-|\.{2,}|\s\()\s?(?:no,? wait|wait,? no|no,? sorry|sorry,? no|no,? I mean(?:t)?|sorry,? I mean(?:t)?|I mean(?:t)?|sorry|scratch that|make that|or rather|correction|er|uh|wait)[,:]?\s(?:it(?:'s| is| was) )?(.{1,80}?)\)?$/i;
const MAY_REPAIR = /[,;(.-]\s?(?:no|wait|sorry|I mean|scratch|make that|or rather|correction|er|uh)\b/i;
const OPENS_CLAUSE = /^(?:I|we|he|she|they|it|you|my|our|his|her|their)\b/i;

/** "I paid 40 euros, no wait, 45 euros": one sentence that corrects itself. */
function withRepairsInside(text: string): string {
  if (!MAY_REPAIR.test(text)) return text;
  const match = REPAIR_INSIDE.exec(text);
  if (match === null) return text;
  const [head, tail] = [match[1]!, match[2]!];
  if (OPENS_CLAUSE.test(tail) && tail.split(' ').length > 2) return sameOpening(head, tail) ? tail : text;
  const kind = kindOf(tail);
  const slot = slotsOf(head).findLast((each) => each.kind === kind);
  if (kind === null || slot === undefined) return text;
  return head.slice(0, slot.start) + slotText(tail) + head.slice(slot.end);
}

function sameOpening(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase().split(' '), other.toLowerCase().split(' ')];
  return a[0] === b[0] && a[1] === b[1];
}

/** A sentence with the data that corrections need. */
interface Correctable {
  readonly text: string;
  readonly isQuestion: boolean;
  /** Not to be changed: a quotation, another language, a joke. */
  readonly isFixed: boolean;
}

/** A sentence after corrections. */
interface Corrected {
  /** Null if the sentence was wrong and states nothing any more. */
  readonly text: string | null;
  /** Position of the turn that the sentence corrects and that supports it as well. */
  readonly also: number | null;
}

/** How many turns back a correction may refer. */
const TURNS_BACK = 8;
/** Maximum number of the speaker's sentences that are compared. */
const SENTENCES_BACK = 150;

interface Place {
  readonly turn: number;
  readonly at: number;
}

/**
 * Applies the corrections that speakers make to their own sentences in a unit: "No, I meant Thursday", "Actually it's
 * 12, not 10", "Sorry, wrong - my sister lives in Ghent". The corrected sentence replaces the correction; the wrong
 * sentence, and what others repeated of it, is not read.
 *
 * @param unit The sentences of each turn, in order.
 * @param speakers The speaker of each turn.
 */
export function* applyCorrections(
  unit: readonly (readonly Correctable[])[],
  speakers: readonly string[],
): Steps<Corrected[][]> {
  const result: Corrected[][] = [];
  for (const sentences of unit) {
    const corrected: Corrected[] = [];
    for (const { text, isFixed } of sentences) {
      corrected.push({ text: isFixed ? text : withRepairsInside(text), also: null });
      yield;
    }
    result.push(corrected);
  }
  for (const [turn, sentences] of unit.entries()) {
    let isAnnounced = false;
    for (const [at, sentence] of sentences.entries()) {
      if (sentence.isFixed || sentence.isQuestion) continue;
      yield;
      const opened = openedCorrection(sentence.text, isAnnounced);
      isAnnounced = opened?.text === '';
      if (opened === null || opened.text === '') continue;
      applyCorrection({ unit, speakers, result }, { turn, at }, opened);
    }
  }
  return result;
}

interface CorrectedUnit {
  readonly unit: readonly (readonly Correctable[])[];
  readonly speakers: readonly string[];
  readonly result: Corrected[][];
}

function applyCorrection(corrected: CorrectedUnit, place: Place, correction: Statement): void {
  for (const target of earlierOwn(corrected, place)) {
    const before = corrected.result[target.turn]![target.at]!;
    if (before.text === null) continue;
    const repair = repairFor(before.text, correction);
    if (repair === null) continue;
    if (
      correction.strength < 2 &&
      correction.instead === null &&
      answersQuestion(corrected, place, repair.wrong)
    )
      return;
    corrected.result[place.turn]![place.at] = {
      text: repair.text,
      also: target.turn === place.turn ? before.also : target.turn,
    };
    corrected.result[target.turn]![target.at] = { ...before, text: null };
    withdrawEchoes(corrected, { from: target, to: place }, { wrong: repair.wrong, said: before.text });
    return;
  }
  // No sentence of the unit is corrected, but the text after the announcement still holds.
  if (correction.strength === 2 && !correction.meant && /\s.+\s/.test(correction.text))
    corrected.result[place.turn]![place.at] = { text: correction.text, also: null };
}

/** "Actually, tomorrow" after "And when is the party?" is an answer; after "So Tuesday?" it corrects. */
function answersQuestion({ unit }: CorrectedUnit, { turn, at }: Place, wrong: string): boolean {
  const asked = at > 0 ? undefined : unit[turn - 1]?.findLast(({ isQuestion }) => isQuestion);
  return asked !== undefined && !asked.text.toLowerCase().includes(wrong.toLowerCase() || ' ');
}

function* earlierOwn({ unit, speakers }: CorrectedUnit, { turn, at }: Place): Generator<Place> {
  let left = SENTENCES_BACK;
  for (let back = turn; back >= Math.max(0, turn - TURNS_BACK); back -= 1) {
    if (speakers[back] !== speakers[turn]) continue;
    for (let each = (back === turn ? at : unit[back]!.length) - 1; each >= 0; each -= 1) {
      left -= 1;
      if (left < 0) return;
      const { isFixed, isQuestion } = unit[back]![each]!;
      if (!isFixed && !isQuestion) yield { turn: back, at: each };
    }
  }
}

/** "On Tuesday then, the dentist": a repetition between the error and its correction is wrong too. */
function withdrawEchoes(
  { unit, result }: CorrectedUnit,
  { from, to }: { from: Place; to: Place },
  { wrong, said }: { wrong: string; said: string },
): void {
  if (wrong === '') return;
  const words = new Set(wordsOf(said));
  for (const word of wordsOf(wrong)) words.delete(word);
  for (let turn = from.turn; turn <= to.turn; turn += 1) {
    const sentences = result[turn]!;
    const end = turn === to.turn ? to.at : sentences.length;
    for (let at = turn === from.turn ? from.at + 1 : 0; at < end; at += 1) {
      const each = sentences[at]!;
      if (each.text === null || unit[turn]![at]!.isFixed) continue;
      const echo = ` ${wordsOf(each.text, 1).join(' ')} `;
      const isEcho =
        echo.includes(` ${wordsOf(wrong, 1).join(' ')} `) &&
        wordsOf(each.text).some((word) => words.has(word));
      if (isEcho) sentences[at] = { ...each, text: null };
    }
  }
}

function wordsOf(text: string, shortest = 4): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length >= shortest);
}
