import { describeMentions } from '../../../prompts/describe-mentions.ts';
import { extractTriplets } from '../../../prompts/extract-triplets.ts';
import { judgeTurns } from '../../../prompts/judge-turns.ts';
import type { ReadEntity, ReadFact } from '../../../prompts/reading-rules.ts';
import { summarizeSegment } from '../../../prompts/summarize-segment.ts';
import type { TurnToRead } from '../../extractor.ts';
import { EMPTY_REPLY, type SegmentReply } from '../split-reply.ts';
import { Talk, toPromptTurn } from '../talk.ts';
import { allTurns, citing, type Steps } from './steps.ts';
import { namesIn, tripletFact } from './triplet-facts.ts';

/**
 * MemORAI §3.1–3.2: gate, summary of all turns, triplets of the kept turns, descriptions of their ends; 4 calls, 3
 * without the gate, 2 where the gate keeps nothing.
 */
export async function readLikeMemorai(turns: readonly TurnToRead[], steps: Steps): Promise<SegmentReply> {
  const keep = steps.options.gate ? await keptTurns(turns, steps) : allTurns(turns);
  const { summary } = await steps.ask(summarizeSegment, { turns: turns.map(toPromptTurn) });
  if (keep.length === 0) return { ...EMPTY_REPLY, summary };
  const read = await readKept(
    keep.map((number) => turns[number - 1]!),
    steps,
  );
  // The calls saw the kept turns only, numbered among themselves; other numbers stay those of no turn.
  const move = <Read extends { readonly turns: number[] }>(each: Read): Read => ({
    ...each,
    turns: each.turns.map((number) => keep[number - 1] ?? 0),
  });
  return { ...EMPTY_REPLY, summary, keep, entities: read.entities.map(move), facts: read.facts.map(move) };
}

async function keptTurns(turns: readonly TurnToRead[], steps: Steps): Promise<number[]> {
  const { keep } = await steps.ask(judgeTurns, { turns: turns.map(toPromptTurn) });
  return new Talk(turns).cited(keep, steps.options.log).map((at) => at + 1);
}

async function readKept(
  turns: readonly TurnToRead[],
  steps: Steps,
): Promise<{ entities: ReadEntity[]; facts: ReadFact[] }> {
  const { log } = steps.options;
  const shown = turns.map(toPromptTurn);
  const { triplets } = await steps.ask(extractTriplets, { turns: shown });
  const facts = log.wellFormed(triplets).map((triplet) => tripletFact(citing(triplet, turns)));
  const names = namesIn(facts, turns);
  const told = await steps.ask(describeMentions, { turns: shown, entities: names.names });
  for (const { entity, ...said } of log.wellFormed(told.descriptions)) {
    if (!names.describe(entity, { ...citing(said, turns), tags: [] })) log.note('profile', 'unknown-number');
  }
  return { entities: names.toArray(), facts };
}
