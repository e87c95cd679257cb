import { CancelledError } from '../../errors/index.ts';
import { Breather } from '../../util/breathe.ts';
import type { TurnToRead } from '../extractor.ts';
import { readSpeakers, speakerName } from '../local/speakers.ts';
import type { GateOptions, Judgement, MemoryGate } from './memory-gate.ts';
import { readTalk, type Talk } from './read-talk.ts';

/** What answers a question of yes or no, and says a fact by it. */
const ANSWER =
  /^\W*(?:yes|yeah|yep|yup|no|nope|nah|never|always|sometimes|sure|definitely|absolutely|of course|not)\b/i;

/**
 * The local tier's gate: drops what is only greeting, thanks, agreement, applause or cheer, and keeps the rest
 * (English; a turn in another language is kept unless it is a word or two). It judges words, not meaning: in
 * doubt it keeps, since a dropped fact costs more than a kept pleasantry.
 */
export class LocalGate implements MemoryGate {
  async judge(turns: readonly TurnToRead[], { signal }: GateOptions = {}): Promise<readonly Judgement[]> {
    const speakers = readSpeakers(turns);
    const breather = new Breather();
    const judgements: Judgement[] = [];
    let before: Said | null = null;
    for (const turn of turns) {
      if (signal?.aborted) throw new CancelledError('the turns stay unjudged', signal.reason);
      await breather.breathe();
      const said: Said = { turn, speaker: speakerName(turn), talk: readTalk(turn, speakers) };
      judgements.push(isTelling(said.talk) || answers(said, before) ? 'kept' : 'dropped');
      before = said;
    }
    return judgements;
  }
}

interface Said {
  readonly turn: TurnToRead;
  readonly speaker: string;
  readonly talk: Talk;
}

/** One word of somebody else's ("Nice bookshelf!") is applause; of oneself ("I quit!") it is news. */
function isTelling({ told, isOwn, asked }: Talk): boolean {
  return told >= 2 || (told === 1 && isOwn) || asked > 0;
}

/** "Do you play an instrument?" – "Yep!"; "Where do you live?" – "Lisbon." */
function answers({ turn, speaker, talk }: Said, before: Said | null): boolean {
  if (before === null || before.speaker === speaker || before.talk.asked === 0) return false;
  return talk.told > 0 || ANSWER.test(turn.content);
}
