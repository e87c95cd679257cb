import type { Steps } from '../../util/breathe.ts';
import { openedCorrection, withRepairsInside } from './correction-forms.ts';
import { repairFor, type Statement } from './repair.ts';

/** A sentence as corrections see it. */
export interface Correctable {
  readonly text: string;
  readonly isQuestion: boolean;
  /** Left alone: another's words, another language, a joke. */
  readonly isFixed: boolean;
}

/** What a sentence has become. */
export interface Corrected {
  /** Null when it said what was put right later: it states nothing any more. */
  readonly text: string | null;
  /** Position of the turn that it puts right, which it rests on as well. */
  readonly also: number | null;
}

/** How many turns back a speaker puts something right. */
const TURNS_BACK = 8;
/** How many of their sentences are looked at. */
const SENTENCES_BACK = 150;

interface Place {
  readonly turn: number;
  readonly at: number;
}

/**
 * Puts a unit's sentences right where their own speakers do: "No, I meant Thursday", "Actually it's 12, not 10",
 * "Sorry, wrong - my sister lives in Ghent". The corrected sentence is read in the place of the correction, the
 * wrong one and what others repeated of it not at all.
 *
 * @param unit The sentences of each turn, in order.
 * @param speakers Who said each turn.
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
      putRight({ unit, speakers, result }, { turn, at }, opened);
    }
  }
  return result;
}

interface Board {
  readonly unit: readonly (readonly Correctable[])[];
  readonly speakers: readonly string[];
  readonly result: Corrected[][];
}

function putRight(board: Board, place: Place, correction: Statement): void {
  for (const target of earlierOwn(board, place)) {
    const before = board.result[target.turn]![target.at]!;
    if (before.text === null) continue;
    const repair = repairFor(before.text, correction);
    if (repair === null) continue;
    if (correction.strength < 2 && correction.instead === null && answersQuestion(board, place, repair.wrong))
      return;
    board.result[place.turn]![place.at] = {
      text: repair.text,
      also: target.turn === place.turn ? before.also : target.turn,
    };
    board.result[target.turn]![target.at] = { ...before, text: null };
    silenceEchoes(board, { from: target, to: place }, { wrong: repair.wrong, said: before.text });
    return;
  }
  // Nothing here is what it corrects; what it says still holds.
  if (correction.strength === 2 && !correction.meant && /\s.+\s/.test(correction.text))
    board.result[place.turn]![place.at] = { text: correction.text, also: null };
}

/** "Actually, tomorrow" after "And when is the party?" is an answer; after "So Tuesday?" it corrects. */
function answersQuestion({ unit }: Board, { turn, at }: Place, wrong: string): boolean {
  const asked = at > 0 ? undefined : unit[turn - 1]?.findLast(({ isQuestion }) => isQuestion);
  return asked !== undefined && !asked.text.toLowerCase().includes(wrong.toLowerCase() || ' ');
}

function* earlierOwn({ unit, speakers }: Board, { turn, at }: Place): Generator<Place> {
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

/** "On Tuesday then, the dentist": what was said again between the error and its correction is as wrong. */
function silenceEchoes(
  { unit, result }: Board,
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
