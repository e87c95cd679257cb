import { titleSegment } from '../../../prompts/title-segment.ts';
import type { TurnToRead } from '../../extractor.ts';
import { EMPTY_REPLY, type SegmentReply } from '../split-reply.ts';
import { toPromptTurn } from '../talk.ts';
import { allTurns, type Steps } from './steps.ts';

/** GAM §3.3: keywords and summary in 1 call. Of entities the speakers alone are known, and there are no facts. */
export async function readLikeGam(turns: readonly TurnToRead[], steps: Steps): Promise<SegmentReply> {
  const title = await steps.ask(titleSegment, { turns: turns.map(toPromptTurn) });
  return { ...EMPTY_REPLY, ...title, keep: allTurns(turns) };
}
