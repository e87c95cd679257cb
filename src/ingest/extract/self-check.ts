import type { Milliseconds } from '../../model/ids.ts';
import { dayOf, describeInterval, weekdayOf } from '../../time/calendar.ts';
import { readTimes } from '../../time/read-times.ts';
import { isoDay } from '../../util/iso-day.ts';
import { clockTime } from '../../util/speaker-clock.ts';
import { entityNameKey } from '../../util/tidy.ts';
import { LEAST_FACT_CONFIDENCE, LONGEST_READ } from './defaults.ts';
import type { ExtractedEntity, ExtractedFact, Extraction, TurnToRead } from './extractor.ts';
import { speakerName } from './local/speakers.ts';

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;
/** Text before a word that starts a sentence or a part of it that may start with a capital. */
const OPENS = /(?:^|[.!?;:]\s*)["'“‘(]*$/u;
const THOUSANDS = /(?<=\d)[,.](?=\d{3}(?!\d))/g;
/** May refer to another speaker. */
const ADDRESS = /\b(?:you|your|yours|we|us|our|ours)\b/i;
/** May refer to any other person or thing. */
const REFERENCE = /\b(?:he|him|his|she|her|hers|they|them|their|theirs|it|its|this|that|these|those)\b/i;
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
/** Without "one", which is more often a pronoun than a number. */
const NUMBERS: ReadonlyMap<string, string> = new Map(
  'two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'
    .split(' ')
    .map((word, at) => [word, String(at + 2)]),
);

/**
 * The self-check at encoding (GAM §3.3) without a model. A fact passes if its confidence is 0.5 or more and the names
 * and numbers of its statement occur in the turns that it cites. A name may occur there, be the speaker's, be another
 * name of an entity that is named there, or belong to an entity of the unit that a pronoun there may refer to. A
 * number may be spelled out, or be part of a date that those turns mention or were said on. Whether the relation
 * between the names is right cannot be checked without a model.
 *
 * @returns One per turn: at least one fact that cites it passes, and none fails (docs/papers.md §3.4).
 */
export function selfCheck(turns: readonly TurnToRead[], { entities, facts }: Extraction): boolean[] {
  const unit = new CheckedUnit(turns, entities);
  const [passed, failed] = [new Set<number>(), new Set<number>()];
  for (const fact of facts) {
    const result = unit.bearsOut(fact) ? passed : failed;
    for (const turn of fact.turns) result.add(turn);
  }
  return turns.map((_, at) => passed.has(at) && !failed.has(at));
}

class CheckedUnit {
  readonly #turns: readonly TurnToRead[];
  readonly #words: readonly ReadonlySet<string>[];
  /** For each entity, the words of each of its names. */
  readonly #names: ReadonlyMap<string, readonly ReadonlySet<string>[]>;
  readonly #speakers: readonly ReadonlySet<string>[];
  readonly #dates = new Map<number, ReadonlySet<string>>();

  constructor(turns: readonly TurnToRead[], entities: readonly ExtractedEntity[]) {
    this.#turns = turns;
    this.#words = turns.map((turn) => wordsOf(`${speakerName(turn)}\n${textOf(turn)}`));
    this.#speakers = [...new Set(turns.map(speakerName))].map(wordsOf);
    this.#names = new Map(entities.map(({ name, aliases }) => [name, [name, ...aliases].map(wordsOf)]));
  }

  bearsOut(fact: ExtractedFact): boolean {
    if (fact.confidence < LEAST_FACT_CONFIDENCE) return false;
    const open = this.#toCheck(fact).filter((word) => fact.turns.every((at) => !this.#words[at]!.has(word)));
    if (open.length === 0) return true;
    const [names, dates] = [this.#namesFor(fact), this.#datesFor(fact)];
    return open.every((word) => names.has(word) || dates.some((words) => words.has(word)));
  }

  /** Keys of the names and numbers in the statement. */
  #toCheck({ statement, participants }: ExtractedFact): string[] {
    const text = statement.replace(THOUSANDS, '');
    const named = union(participants.flatMap((name) => this.#names.get(name) ?? []));
    return [...text.matchAll(WORD)].flatMap(({ 0: word, index }) => {
      const key = wordKey(entityNameKey(word));
      // A capital at the start of a sentence does not imply a name.
      const isName = named.has(key) || !OPENS.test(text.slice(Math.max(0, index - 4), index));
      return isNumber(key) || (isName && /^\p{Lu}/u.test(word) && word !== 'I') ? [key] : [];
    });
  }

  #namesFor({ turns }: ExtractedFact): ReadonlySet<string> {
    const has = (pronoun: RegExp) => turns.some((at) => pronoun.test(this.#turns[at]!.content));
    const [address, reference] = [has(ADDRESS), has(REFERENCE)];
    const isSaid = (name: ReadonlySet<string>) =>
      turns.some((at) => [...name].every((word) => this.#words[at]!.has(word)));
    const talks = (names: readonly ReadonlySet<string>[]) => names.some((name) => this.#talks(name));
    const matching = [...this.#names.values()].filter(
      (names) =>
        (talks(names) ? address || (reference && this.#speakers.length > 2) : reference) ||
        names.some(isSaid),
    );
    return union(matching.flat());
  }

  #talks(name: ReadonlySet<string>): boolean {
    return this.#speakers.some((speaker) => [...name].every((word) => speaker.has(word)));
  }

  #datesFor({ event, turns }: ExtractedFact): ReadonlySet<string>[] {
    const ownWords = event === null ? [] : [wordsOf([event.text, describeInterval(event)].join(' '))];
    const ends = event === null ? [] : [event.start, event.end - 1].map(dayWords);
    return [...ownWords, ...ends, ...turns.map((at) => this.#datesOf(at))];
  }

  /** Keys of the dates that a turn mentions, and of its own day. */
  #datesOf(at: number): ReadonlySet<string> {
    const turn = this.#turns[at]!;
    const times = this.#dates.has(at) ? [] : readTimes(textOf(turn), { reference: clockTime(turn) });
    const words = this.#dates.get(at) ?? new Set([...dayWords(clockTime(turn)), ...times.flatMap(timeWords)]);
    this.#dates.set(at, words);
    return words;
  }
}

function timeWords({ shown, interval: { start, end } }: ReturnType<typeof readTimes>[number]): string[] {
  return [...wordsOf(shown), ...dayWords(start), ...dayWords(end - 1)];
}

/** All forms of a day: "Friday", "7 June 2024", "2024-06-07". */
function dayWords(time: Milliseconds): Set<string> {
  return wordsOf(`${WEEKDAYS[weekdayOf(time)]} ${describeInterval(dayOf(time))} ${isoDay(time)}`);
}

function textOf({ content, attachments }: TurnToRead): string {
  // Text after this limit is not read for facts.
  return [content.slice(0, LONGEST_READ), ...attachments.map(({ description }) => description)]
    .join('\n')
    .replace(THOUSANDS, '');
}

function wordsOf(text: string): Set<string> {
  return new Set((entityNameKey(text).match(WORD) ?? []).map(wordKey));
}

/** Normalizes a name key: "two" to 2, "07" and "7th" to 7. */
function wordKey(key: string): string {
  const number = NUMBERS.get(key);
  if (number !== undefined) return number;
  return /^\d/.test(key) ? key.replace(/^0+(?=\d)/, '').replace(/^(\d+)(?:st|nd|rd|th)$/, '$1') : key;
}

function union(sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return new Set(sets.flatMap((set) => [...set]));
}

function isNumber(key: string): boolean {
  return /\p{N}/u.test(key);
}
