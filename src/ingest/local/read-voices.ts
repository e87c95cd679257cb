import { Breather, gradually } from '../../util/breathe.ts';
import type { TurnToRead } from '../extractor.ts';
import { type Sentence, toSentences } from './clean-text.ts';
import { applyCorrections } from './corrections.ts';
import { withoutInstructions } from './instructions.ts';
import { type Sincerity, sinceritiesOf } from './irony.ts';
import { type Language, languagesOf } from './language.ts';
import { withoutPasted } from './pasted-text.ts';
import { MOST_SENTENCES_READ, readUpTo } from './reading-limit.ts';
import type { Speakers } from './speakers.ts';
import { splitVoices, type Voice } from './voices.ts';

/** A sentence with all that decides whether and as whose it is read. */
export interface SpokenSentence extends Sentence {
  /** Null for the turn's own speaker. */
  readonly voice: Voice | null;
  readonly sincerity: Sincerity;
  /** Null for English. */
  readonly language: Language | null;
  /** Whether it was put right later, and so states nothing. */
  readonly isWithdrawn: boolean;
  /** Position of an earlier turn that it puts right and rests on as well. */
  readonly also: number | null;
}

/** "*Thursday" as a whole turn puts a word of the one before right. */
const STARRED = /^\s*(?:\*([^\s*][^*\n]{0,40})\*?|([^\s*][^*\n]{0,40})\*)\s*$/u;

/**
 * The sentences of each turn: without pasted machine text, quotes of what is known and commands to the reader,
 * and put right where their speaker did so.
 *
 * @param speakerOf The speaker's name as it is shown.
 */
export async function readVoices(
  unit: readonly TurnToRead[],
  speakers: Speakers,
  speakerOf: (turn: TurnToRead) => string,
): Promise<SpokenSentence[][]> {
  const names = unit.map(speakerOf);
  const breather = new Breather();
  const spoken: SpokenSentence[][] = [];
  for (const [at, { content }] of unit.entries())
    spoken.push(await spokenIn(content, { speaker: names[at]!, speakers, breather }));
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

function toCorrectable({ text, isQuestion, voice, sincerity, language }: SpokenSentence) {
  return { text, isQuestion, isFixed: voice !== null || sincerity === 'ironic' || language !== null };
}

interface Speaking {
  readonly speaker: string;
  readonly speakers: Speakers;
  readonly breather: Breather;
}

async function spokenIn(
  content: string,
  { speaker, speakers, breather }: Speaking,
): Promise<SpokenSentence[]> {
  const starred = content.includes('*') ? STARRED.exec(content) : null;
  const text = starred === null ? content.slice(0, readUpTo(content)) : `I meant ${starred[1] ?? starred[2]}`;
  const typed = withoutPasted(text);
  await breather.breathe();
  const told = withoutInstructions(typed);
  await breather.breathe();
  const read: SpokenSentence[] = [];
  for (const part of splitVoices(told, speaker, speakers)) {
    await breather.breathe();
    const sentences = toSentences(part.text);
    await breather.breathe();
    const languages = languagesOf(sentences.map(({ text }) => text));
    const sincerities = part.voice === null ? sinceritiesOf(text, sentences) : [];
    const spoken = sentences.map((sentence, at) => ({
      text: sentence.text,
      isQuestion: sentence.isQuestion,
      voice: part.voice,
      sincerity: sincerities[at] ?? 'sincere',
      language: languages[at] ?? null,
      isWithdrawn: false,
      also: null,
    }));
    read.push(...spoken);
  }
  return read.slice(0, MOST_SENTENCES_READ);
}
