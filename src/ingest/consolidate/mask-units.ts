import type { Breather } from '../../util/breathe.ts';
import { type MaskedTurn, maskGradually } from '../admit/mask-recalled.ts';
import type { RecalledTexts } from '../admit/recalled-texts.ts';
import type { TurnToRead } from '../extractor.ts';
import type { CheckedReading } from '../segment-reading.ts';
import { type PlannedUnit, turnToRead } from './unit.ts';

/** The turns of a unit without what memory itself gave out, and which of them say nothing else. */
export interface MaskedUnit {
  readonly turns: readonly TurnToRead[];
  /** One per turn. */
  readonly isRecalled: readonly boolean[];
}

export interface MaskOptions {
  readonly texts: RecalledTexts;
  /** How far a turn is read. */
  readonly upTo: (content: string) => number;
  readonly breather: Breather;
}

/**
 * Memory must not learn from itself: what it recalled and somebody pasted would become its own evidence. A new version
 * of a turn may well repeat what memory has from the old one.
 */
export async function maskUnit(
  { episodes: whole }: PlannedUnit,
  { texts, upTo, breather }: MaskOptions,
): Promise<MaskedUnit> {
  const episodes = whole.map((episode) => ({
    ...episode,
    content: episode.content.slice(0, upTo(episode.content)),
  }));
  const masked: MaskedTurn[] = [];
  for (const episode of episodes) {
    const isNewVersion = episode.version > 1;
    masked.push(
      isNewVersion ? { content: episode.content, share: 0 } : await maskGradually(episode, texts, breather),
    );
  }
  return {
    turns: episodes.map((episode, at) => ({ ...turnToRead(episode), content: masked[at]!.content })),
    isRecalled: masked.map(({ share }, at) => share === 1 && episodes[at]!.attachments.length === 0),
  };
}

/** A turn that was recalled as a whole is not kept, whatever was read from it. */
export function dropRecalled(reading: CheckedReading, { isRecalled }: MaskedUnit): CheckedReading {
  if (!isRecalled.includes(true)) return reading;
  return {
    ...reading,
    judgements: reading.judgements.map((judgement, at) => (isRecalled[at] ? 'dropped' : judgement)),
    verified: reading.verified.map((verified, at) => verified && !isRecalled[at]),
  };
}
