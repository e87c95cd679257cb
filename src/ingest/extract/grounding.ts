import type { Milliseconds } from '../../model/ids.ts';
import { analyze } from '../../search/analyzer.ts';
import { STOP_WORDS } from '../../search/english.ts';
import { dayOf, describeInterval, weekdayOf } from '../../time/calendar.ts';
import { readTimes } from '../../time/read-times.ts';
import { isoDay } from '../../util/iso-day.ts';
import { clockTime } from '../../util/speaker-clock.ts';
import { entityNameKey } from '../../util/tidy.ts';
import { LONGEST_READ } from './defaults.ts';
import type { ExtractedEntity, ExtractedFact, TurnToRead } from './extractor.ts';
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

/** What explains a turn besides its own words. */
export interface Around {
  /** How many turns before it do: "yes" answers one, "it" is named in one. */
  readonly reach: number;
  /** The turns before the first one, oldest first. */
  readonly earlier: readonly TurnToRead[];
  /** Names that are known besides those in the turns, as one text. */
  readonly names: string;
}

const ITS_OWN_WORDS: Around = { reach: 0, earlier: [], names: '' };

type Claim = Pick<ExtractedFact, 'statement' | 'participants' | 'event' | 'turns'>;

/** What a turn and those that explain it say. */
interface Context {
  readonly turns: readonly TurnToRead[];
  readonly words: ReadonlySet<string>;
  /** Index terms, which are equal for all inflections. */
  readonly terms: ReadonlySet<string>;
}

/** Compares facts with the turns that they cite: whether what they say occurs there. */
export class Grounding {
  readonly #turns: readonly TurnToRead[];
  readonly #words: readonly ReadonlySet<string>[];
  /** For each entity, the words of each of its names. */
  readonly #names: ReadonlyMap<string, readonly ReadonlySet<string>[]>;
  readonly #speakers: readonly ReadonlySet<string>[];
  readonly #around: Around;
  readonly #dates = new Map<TurnToRead, ReadonlySet<string>>();
  readonly #contexts = new Map<number, Context>();

  constructor(
    turns: readonly TurnToRead[],
    entities: readonly Pick<ExtractedEntity, 'name' | 'aliases'>[],
    around: Around = ITS_OWN_WORDS,
  ) {
    this.#turns = turns;
    this.#words = turns.map((turn) => wordsOf(`${speakerName(turn)}\n${textOf(turn)}`));
    this.#speakers = [...new Set(turns.map(speakerName))].map(wordsOf);
    this.#names = new Map(entities.map(({ name, aliases }) => [name, [name, ...aliases].map(wordsOf)]));
    this.#around = around;
  }

  /**
   * Whether the names and numbers of a statement occur in the turns that it cites. A name may occur there, be the
   * speaker's, be another name of an entity that is named there, or belong to an entity of the unit that a pronoun
   * there may refer to. A number may be spelled out, or be part of a date that those turns mention or were said on.
   */
  hasNames(claim: Claim): boolean {
    const open = this.#toCheck(claim).filter((word) => !this.#isSaid(word, claim));
    if (open.length === 0) return true;
    const [names, dates] = [this.#namesFor(claim), this.#datesFor(claim)];
    return open.every((word) => names.has(word) || dates.some((words) => words.has(word)));
  }

  /**
   * The share of the content words of a statement that occur in the turns that it cites, in any inflection. Names of
   * speakers do not count, nor do other names and numbers that do not occur there: `hasNames` judges those. 1 if there
   * are no words.
   */
  wordShare(claim: Claim): number {
    const names = new Set(this.#toCheck(claim));
    const others = claim.statement.replace(WORD, (word) =>
      names.has(wordKey(entityNameKey(word))) ? ' ' : word,
    );
    const terms = new Set(analyze(others).filter((term) => !STOP_WORDS.has(term)));
    const saidTerms = [...terms].filter((term) =>
      claim.turns.some((at) => this.#contextOf(at).terms.has(term)),
    );
    const isSpeaker = (word: string) => this.#speakers.some((speaker) => speaker.has(word));
    const saidNames = [...names].filter((word) => !isSpeaker(word) && this.#isSaid(word, claim));
    const all = terms.size + saidNames.length;
    return all === 0 ? 1 : (saidTerms.length + saidNames.length) / all;
  }

  #isSaid(word: string, { turns }: Claim): boolean {
    return turns.some((at) => {
      const { words, terms } = this.#contextOf(at);
      return words.has(word) || analyze(word).some((term) => terms.has(term));
    });
  }

  #contextOf(at: number): Context {
    const { reach, earlier, names } = this.#around;
    const known = this.#contexts.get(at);
    if (known !== undefined) return known;
    const before = [...earlier, ...this.#turns.slice(0, at)];
    const turns = [...before.slice(Math.max(0, before.length - reach)), this.#turns[at]!];
    const text = turns.map(textOf).join('\n');
    const words = wordsOf([text, ...turns.map(speakerName), names].join('\n'));
    const context = { turns, words, terms: new Set(analyze(text)) };
    this.#contexts.set(at, context);
    return context;
  }

  /** Keys of the names and numbers in the statement. */
  #toCheck({ statement, participants }: Claim): string[] {
    const text = statement.replace(THOUSANDS, '');
    const named = union(participants.flatMap((name) => this.#names.get(name) ?? [wordsOf(name)]));
    return [...text.matchAll(WORD)].flatMap(({ 0: word, index }) => {
      const key = wordKey(entityNameKey(word));
      // A capital at the start of a sentence does not imply a name.
      const isName = named.has(key) || !OPENS.test(text.slice(Math.max(0, index - 4), index));
      return isNumber(key) || (isName && /^\p{Lu}/u.test(word) && word !== 'I') ? [key] : [];
    });
  }

  #namesFor({ turns }: Claim): ReadonlySet<string> {
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

  #datesFor({ event, turns }: Claim): ReadonlySet<string>[] {
    const ownWords = event === null ? [] : [wordsOf([event.text, describeInterval(event)].join(' '))];
    const ends = event === null ? [] : [event.start, event.end - 1].map(dayWords);
    const explaining = new Set(turns.flatMap((at) => this.#contextOf(at).turns));
    return [...ownWords, ...ends, ...[...explaining].map((turn) => this.#datesOf(turn))];
  }

  /** Keys of the dates that a turn mentions, and of its own day. */
  #datesOf(turn: TurnToRead): ReadonlySet<string> {
    const times = this.#dates.has(turn) ? [] : readTimes(textOf(turn), { reference: clockTime(turn) });
    const words =
      this.#dates.get(turn) ?? new Set([...dayWords(clockTime(turn)), ...times.flatMap(timeWords)]);
    this.#dates.set(turn, words);
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
