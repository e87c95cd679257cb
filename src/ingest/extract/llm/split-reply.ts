import type { DropLog } from '../../../inference/language-model/reading/drop-log.ts';
import { countsFromZero } from './fact-list.ts';
import type { ReadSegmentsReply } from './read-segments-prompt.ts';
import type { ReadEntity, ReadFact } from './reading-rules-prompt.ts';

/** The part of a reply for one segment. Its numbers are those of the segment's own turns, from 1. */
export interface SegmentReply {
  readonly keywords: readonly string[];
  readonly summary: string;
  readonly keep: readonly number[];
  readonly entities: readonly ReadEntity[];
  readonly facts: readonly ReadFact[];
  /** The turns that a check of the model's own verified; without one, rules check the facts. */
  readonly verified?: readonly number[] | undefined;
}

/** A reading's reply, or a reflection's, whose entries name no segments. */
interface WholeReply extends Omit<ReadSegmentsReply, 'entities'> {
  readonly entities: readonly ((ReadEntity & { readonly segment?: number }) | null)[];
}

export const EMPTY_REPLY: SegmentReply = { keywords: [], summary: '', keep: [], entities: [], facts: [] };

/** The positions of a segment's turns among those of the call. */
interface Range {
  readonly from: number;
  readonly count: number;
}

/**
 * Splits a reply by segment. The description of an entity belongs to the segment that its entry names, and a fact (or
 * an entity whose entry names none) to the one that has most of its turns; each keeps only the turns of that segment.
 * Mentions of the entity in other segments are kept.
 */
export function splitReply(said: WholeReply, sizes: readonly number[], log: DropLog): SegmentReply[] {
  const reply = withCitations(
    said,
    sizes.reduce((sum, size) => sum + size, 0),
  );
  const ranges = rangesOf(sizes);
  const titles = log.wellFormed(reply.segments);
  const entities = log
    .wellFormed(reply.entities)
    .map((entity) => ({ entity, home: homeOfEntity(entity, ranges) }));
  const facts = log.wellFormed(reply.facts).map((fact) => ({ fact, home: homeOf(fact.turns, ranges) }));
  log.note('fact', 'uncited', facts.filter(({ home }) => home === -1).length);
  const all = [
    ...reply.keep,
    ...entities.flatMap(({ entity }) => entity.turns),
    ...facts.flatMap(({ fact }) => fact.turns),
  ];
  log.note(
    'citation',
    'unknown-number',
    all.filter((number) => ranges.every((range) => !holds(range, number))).length,
  );
  return ranges.map((range, at) => {
    const title =
      titles.find(({ segment }) => segment === at + 1) ?? (sizes.length === 1 ? titles[0] : undefined);
    return {
      keywords: title?.keywords ?? [],
      summary: title?.summary ?? '',
      keep: within(range, reply.keep),
      entities: entities.flatMap(({ entity, home }) => {
        const turns = within(range, entity.turns);
        if (home === at) return [{ ...entity, turns }];
        return turns.length > 0 || home === -1 ? [{ ...entity, turns, description: '', tags: [] }] : [];
      }),
      facts: facts.flatMap(({ fact, home }) => {
        const turns = within(range, fact.turns);
        if (home === at) return [{ ...fact, turns }];
        log.note('citation', 'other-segment', home === -1 ? 0 : turns.length);
        return [];
      }),
    };
  });
}

/**
 * A reply whose turns are counted from 1. A single turn is the source of all that was read from it, also where no
 * number says so.
 */
function withCitations(reply: WholeReply, turns: number): WholeReply {
  const shift = countsFromZero(reply, turns) ? 1 : 0;
  if (shift === 0 && turns !== 1) return reply;
  const shifted = (numbers: readonly number[]) => numbers.map((number) => number + shift);
  return {
    ...reply,
    keep: shifted(reply.keep),
    entities: reply.entities.map((entity) => entity && { ...entity, turns: shifted(entity.turns) }),
    facts: reply.facts.map((fact) => fact && { ...fact, turns: turns === 1 ? [1] : shifted(fact.turns) }),
  };
}

/** An entry may name a segment whose turns it does not cite: then its turns decide. */
function homeOfEntity(
  { turns, segment = 0 }: ReadEntity & { readonly segment?: number },
  ranges: readonly Range[],
): number {
  const named = ranges[segment - 1];
  return named !== undefined && within(named, turns).length > 0 ? segment - 1 : homeOf(turns, ranges);
}

function rangesOf(sizes: readonly number[]): Range[] {
  let from = 0;
  return sizes.map((count) => {
    const range = { from, count };
    from += count;
    return range;
  });
}

function holds({ from, count }: Range, number: number): boolean {
  return Number.isInteger(number) && number > from && number <= from + count;
}

function within(range: Range, numbers: readonly number[]): number[] {
  return numbers.filter((number) => holds(range, number)).map((number) => number - range.from);
}

/** The first of the ranges that contain the most of the numbers; −1 if none contains any. */
function homeOf(numbers: readonly number[], ranges: readonly Range[]): number {
  const counts = ranges.map((range) => within(range, [...new Set(numbers)]).length);
  const most = Math.max(0, ...counts);
  return most === 0 ? -1 : counts.indexOf(most);
}

/** Joins the replies for the two halves of a segment. Keywords alternate, so that both halves are among the first. */
export function joinReplies(first: SegmentReply, second: SegmentReply, firstTurns: number): SegmentReply {
  const longer = Math.max(first.keywords.length, second.keywords.length);
  const keywords = Array.from({ length: longer }, (_, at) => [
    first.keywords[at],
    second.keywords[at],
  ]).flat();
  const move = (numbers: readonly number[]) => numbers.map((number) => number + firstTurns);
  return {
    keywords: keywords.filter((keyword) => keyword !== undefined),
    summary: `${first.summary} ${second.summary}`.trim(),
    keep: [...first.keep, ...move(second.keep)],
    ...((first.verified ?? second.verified) && {
      verified: [...(first.verified ?? []), ...move(second.verified ?? [])],
    }),
    entities: [
      ...first.entities,
      ...second.entities.map((entity) => ({ ...entity, turns: move(entity.turns) })),
    ],
    facts: [...first.facts, ...second.facts.map((fact) => ({ ...fact, turns: move(fact.turns) }))],
  };
}
