import { CancelledError } from '../../errors/index.ts';
import { Breather } from '../../util/breathe.ts';
import type { ExtractOptions, TurnToRead } from '../extractor.ts';
import { expandContractions } from './expand-contractions.ts';
import { readVoices, type SpokenSentence } from './read-voices.ts';
import { readSpeakers, type Speakers, speakerName } from './speakers.ts';
import type { Tagger, Token } from './tagger.ts';
import { OPENERS } from './words.ts';

export interface ReadSentence extends SpokenSentence {
  /** None for a sentence that is not English. */
  readonly tokens: readonly Token[];
}
export interface ReadTurn {
  readonly turn: TurnToRead;
  /** Position in the unit. */
  readonly at: number;
  readonly speaker: string;
  readonly sentences: readonly ReadSentence[];
}
export interface ReadUnit {
  readonly speakers: Speakers;
  readonly turns: readonly ReadTurn[];
}

const FIRST_WORD = /^['(]*(\p{L}[\p{L}\p{N}'-]*)/u;
/** Turns of phrase that only lead over to what is said. */
const ASIDE =
  /^(?:by the way|btw|speaking of which|on (?:another|a different) note|in other news|to be honest|tbh|honestly|for sure|of course|as for me|for me|oh and|also|plus|however|overall|in summary|ultimately|in conclusion|therefore|additionally|furthermore|as an ai language model)\b ?[,-]? /i;
const CAPITAL_INSIDE = /(?<=[\p{Ll}\p{N},;][,;]? )\p{Lu}[\p{L}\p{N}'-]*/gu;
/** Words that are shouted, never short for anything. */
const EMPHASIS =
  /\b(?:LOVE[DS]?|ADORE[DS]?|HATE[DS]?|ENJOY(?:ED)?|SO|NOT|NEVER|ALWAYS|REALLY|VERY|TOTALLY|AMAZING|GREAT|BEST|WORST|HUGE|FINALLY|ALL|WANT|NEED|AND|BUT)\b/g;
const ACRONYM = /^[A-Z][A-Z0-9&]+s?$/;

/** Splits and tags every turn. Cancels between turns. */
export async function readUnit(
  unit: readonly TurnToRead[],
  options: ExtractOptions,
  tag: Tagger,
): Promise<ReadUnit> {
  const speakers = readSpeakers(unit);
  const split = await readVoices(unit, speakers, speakerName);
  const seen = new Set(split.flat().flatMap(({ text }) => text.match(CAPITAL_INSIDE) ?? []));
  const isName = (word: string): boolean =>
    speakers.called(word) !== null ||
    (seen.has(word) && !OPENERS.has(word.toLowerCase())) ||
    options.known(word);
  const turns: ReadTurn[] = [];
  const breather = new Breather();
  for (const [at, turn] of unit.entries()) {
    await breather.breathe();
    if (options.signal?.aborted)
      throw new CancelledError('nothing of this unit was extracted', options.signal.reason);
    const sentences: ReadSentence[] = [];
    for (const sentence of split[at]!) {
      sentences.push(readSentence(sentence, isName, tag));
      await breather.breathe();
    }
    turns.push({ turn, at, speaker: speakerName(turn), sentences });
  }
  return { speakers, turns };
}

function readSentence(
  sentence: SpokenSentence,
  isName: (word: string) => boolean,
  tag: Tagger,
): ReadSentence {
  if (sentence.language !== null) return { ...sentence, tokens: [] };
  const said = sentence.text.replace(ASIDE, '');
  const level = /[A-Z]{2}/.test(said) ? said.replace(EMPHASIS, (word) => word.toLowerCase()) : said;
  const calm = isShouted(level) ? level.toLowerCase() : level;
  return { ...sentence, tokens: tag(expandContractions(lowerFirst(calm, isName))) };
}

/** Capitals say nothing at the start of a sentence: they stay only on what is a name for some other reason. */
function lowerFirst(text: string, isName: (word: string) => boolean): string {
  const match = FIRST_WORD.exec(text);
  const word = match?.[1];
  if (match === null || word === undefined || /^I(?:'|$)/.test(word)) return text;
  if (keepsCapital(word, text.slice(match[0].length), isName)) return text;
  const start = match[0].length - word.length;
  return text.slice(0, start) + word.charAt(0).toLowerCase() + text.slice(start + 1);
}

function keepsCapital(word: string, rest: string, isName: (word: string) => boolean): boolean {
  const bare = word.replace(/'s$/, '');
  const common = OPENERS.has(bare.toLowerCase()) || OPENERS.has(word.toLowerCase());
  if (ACRONYM.test(bare) && bare.length > 1) return !common;
  return !common && (isName(bare) || /^ \p{Lu}\p{Ll}/u.test(rest));
}

function isShouted(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return letters >= 12 && (text.match(/\p{Lu}/gu)?.length ?? 0) > letters * 0.7;
}
