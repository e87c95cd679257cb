import { HashingEmbedder } from '../../inference/hashing/hashing-embedder.ts';
import type { TimeInterval } from '../../model/time-interval.ts';
import { judgeTurns } from '../../prompts/judge-turns.ts';
import { type ReadSegmentsInput, readSegments } from '../../prompts/read-segments.ts';
import { reflectOnSegment } from '../../prompts/reflect-on-segment.ts';
import { type BoundariesInput, segmentBoundaries } from '../../prompts/segment-boundaries.ts';
import { analyze } from '../../search/analyzer.ts';
import { SimilaritySegmenter } from '../segment/similarity-segmenter.ts';
import type { CheckedReading, DatedFact, DescribedEntity } from '../segment-reading.ts';
import { numbered, type Rehearsal, rehearsal, ShownReader, shownTurn } from './rehearsal.ts';

/** The prompts that read whole segments. The local reading stands for what a model would find. */
export function readingRehearsals(): Rehearsal[] {
  const reader = new ShownReader({ gate: true });
  const embedder = new HashingEmbedder({ analyze });
  return [
    rehearsal(segmentBoundaries, (input, signal) => boundaries(input, embedder, signal)),
    rehearsal(judgeTurns, async ({ turns }, signal) => {
      const { judgements } = await reader.readOne(turns, signal);
      return { keep: turns.flatMap((_, at) => (judgements[at] === 'kept' ? [at + 1] : [])) };
    }),
    rehearsal(readSegments, async (input, signal) =>
      wholeReply(input, await reader.read(input.segments, signal)),
    ),
    rehearsal(reflectOnSegment, async () => ({ unsupported: [], entities: [], facts: [] })),
  ];
}

async function boundaries({ turns }: BoundariesInput, embedder: HashingEmbedder, signal: AbortSignal) {
  const texts = turns.map(({ content, attachments }) =>
    [content, ...attachments.map(({ description }) => description)].join('\n'),
  );
  const vectors = await embedder.embed(texts, { as: 'passage', signal });
  const read = turns.map((turn, at) => ({ ...shownTurn(turn), vector: vectors[at]! }));
  return { lastTurns: numbered(await new SimilaritySegmenter().boundaries(read, { signal })) };
}

/** One reply for all segments, whose turns are numbered through. */
function wholeReply({ segments }: ReadSegmentsInput, readings: readonly CheckedReading[]) {
  const starts = segments.map((_, at) => segments.slice(0, at).reduce((sum, turns) => sum + turns.length, 0));
  const all = readings.map((reading, at) => ({ ...reading, before: starts[at]! }));
  return {
    segments: all.map(({ keywords, summary }, at) => ({ segment: at + 1, keywords, summary })),
    keep: all.flatMap(({ judgements, before }) =>
      judgements.flatMap((judgement, at) => (judgement === 'kept' ? numbered([at], before) : [])),
    ),
    entities: all.flatMap(({ extraction, before }) =>
      extraction.entities.map((each) => saidEntity(each, before)),
    ),
    facts: all.flatMap(({ extraction, before }) => extraction.facts.map((fact) => saidFact(fact, before))),
  };
}

function saidEntity({ name, kind, aliases, tags, description, turns }: DescribedEntity, before: number) {
  return { name, kind, aliases, tags, description, turns: numbered(turns, before) };
}

/** @param before How many turns the prompt shows before those of the fact's segment. */
export function saidFact(fact: DatedFact, before = 0) {
  const { statement, subject, relation, object, participants, event, confidence, turns } = fact;
  return {
    statement,
    subject: subject ?? '',
    relation,
    object: object ?? '',
    participants,
    said: event?.text ?? '',
    date: event === null ? '' : saidDate(event),
    until: '',
    confidence,
    turns: numbered(turns, before),
  };
}

/** YYYY, YYYY-MM, YYYY-MM-DD, or two days parted by a slash. */
function saidDate({ start, end, precision }: TimeInterval): string {
  const [first, last] = [start, Math.max(start, end - 1)].map((time) => new Date(time).toISOString());
  if (precision === 'year') return first!.slice(0, 4);
  if (precision === 'month') return first!.slice(0, 7);
  const days = [first!.slice(0, 10), last!.slice(0, 10)];
  return days[0] === days[1] ? days[0]! : days.join('/');
}
