import { HashingEmbedder } from '../../src/inference/embedder/hashing-embedder.ts';
import type { TurnToRead } from '../../src/ingest/extract/extractor.ts';
import { type ReadSegmentsInput, readSegments } from '../../src/ingest/extract/llm/read-segments-prompt.ts';
import { reflectOnSegment } from '../../src/ingest/extract/llm/reflect-on-segment-prompt.ts';
import { entityKey } from '../../src/ingest/extract/local/entity-key.ts';
import { LocalSegmentReader } from '../../src/ingest/extract/local-segment-reader.ts';
import type { CheckedReading, DatedFact, DescribedEntity } from '../../src/ingest/extract/segment-reader.ts';
import {
  type BoundariesInput,
  segmentBoundaries,
} from '../../src/ingest/segment/segment-boundaries-prompt.ts';
import { SimilaritySegmenter } from '../../src/ingest/segment/similarity-segmenter.ts';
import type { TimeInterval } from '../../src/model/nodes.ts';
import type { TextPrompt } from '../../src/model/prompt.ts';
import type { PromptTurn } from '../../src/prompts/render-turns.ts';
import { analyze } from '../../src/search/analyzer.ts';
import { checkTitle, titleSegment } from '../papers/readings/gam.ts';
import {
  describeMentions,
  extractTriplets,
  judgeTurns,
  summarizeSegment,
} from '../papers/readings/memorai.ts';
import {
  extractFacts,
  nameEntities,
  profileInContext,
  reflectOnFacts,
  reflectOnNames,
} from '../papers/readings/mnemis.ts';
import { extractPropositions } from '../papers/readings/personalai.ts';

/** A simulated reply: an object in the form of the prompt's schema, or prose. */
export type RehearsedReply = (input: never, signal: AbortSignal) => Promise<unknown>;

/** A prompt and a function that simulates its replies. */
export interface Rehearsal {
  readonly prompt: string;
  readonly reply: RehearsedReply;
}

export function rehearsal<Input>(
  prompt: TextPrompt<Input>,
  reply: (input: Input, signal: AbortSignal) => Promise<unknown>,
): Rehearsal {
  return { prompt: prompt.name, reply: reply as RehearsedReply };
}

/** Later rehearsals replace earlier ones. */
export function rehearsalTable(rehearsals: readonly Rehearsal[]): ReadonlyMap<string, RehearsedReply> {
  return new Map(rehearsals.map(({ prompt, reply }) => [prompt, reply]));
}

/** Parses turns in the form of the prompts. */
export class ShownReader {
  readonly #reader: LocalSegmentReader;

  constructor(options: { readonly gate: boolean }) {
    this.#reader = new LocalSegmentReader(options);
  }

  async read(
    segments: readonly (readonly PromptTurn[])[],
    signal: AbortSignal,
  ): Promise<readonly CheckedReading[]> {
    return this.#reader.read(
      segments.map((turns) => turns.map(shownTurn)),
      { known: () => false, signal },
    );
  }

  async readOne(turns: readonly PromptTurn[], signal: AbortSignal): Promise<CheckedReading> {
    return (await this.read([turns], signal))[0]!;
  }
}

export function shownTurn({ at, ...turn }: PromptTurn): TurnToRead {
  return { ...turn, validAt: at };
}

/** Positions from 0 as the numbers of a prompt. */
export function numbered(positions: readonly number[], before = 0): number[] {
  return positions.map((at) => at + before + 1);
}

/** The prompts that read whole segments. The local reader simulates the model. */
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

/** One reply for all segments, whose turns are numbered consecutively. */
function wholeReply({ segments }: ReadSegmentsInput, readings: readonly CheckedReading[]) {
  const starts = segments.map((_, at) => segments.slice(0, at).reduce((sum, turns) => sum + turns.length, 0));
  const all = readings.map((reading, at) => ({ ...reading, before: starts[at]! }));
  return {
    segments: all.map(({ keywords, summary }, at) => ({ segment: at + 1, keywords, summary })),
    keep: all.flatMap(({ judgements, before }) =>
      judgements.flatMap((judgement, at) => (judgement === 'kept' ? numbered([at], before) : [])),
    ),
    entities: all.flatMap(({ extraction, before }, at) => {
      const speakers = new Set(segments[at]!.map(({ speaker }) => entityKey(speaker)));
      return extraction.entities.map((each) => ({
        ...saidEntity(each, before),
        ...(speakers.has(entityKey(each.name)) ? { description: '' } : {}),
        segment: at + 1,
      }));
    }),
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

/** YYYY, YYYY-MM, YYYY-MM-DD, or two days separated by a slash. */
function saidDate({ start, end, precision }: TimeInterval): string {
  const [first, last] = [start, Math.max(start, end - 1)].map((time) => new Date(time).toISOString());
  if (precision === 'year') return first!.slice(0, 4);
  if (precision === 'month') return first!.slice(0, 7);
  const days = [first!.slice(0, 10), last!.slice(0, 10)];
  return days[0] === days[1] ? days[0]! : days.join('/');
}

/** The separate calls of the papers. Context turns are not read again; reflection calls find nothing. */
export function stepRehearsals(): Rehearsal[] {
  const reader = new ShownReader({ gate: false });
  return [...mnemisSteps(reader), ...memoraiSteps(reader), ...otherSteps(reader)];
}

function mnemisSteps(reader: ShownReader): Rehearsal[] {
  return [
    rehearsal(nameEntities, async ({ turns }, signal) => {
      const { extraction } = await reader.readOne(turns, signal);
      const named = extraction.entities.filter(({ kind }) => kind !== 'date');
      return { entities: named.map(({ name, kind, turns: at }) => ({ name, kind, turns: numbered(at) })) };
    }),
    rehearsal(reflectOnNames, async () => ({ entities: [] })),
    rehearsal(profileInContext, async ({ turns, entities }, signal) => {
      const { extraction } = await reader.readOne(turns, signal);
      const profiles = foundAmong(extraction.entities, entities).map(({ entity, found }) => ({
        entity,
        summary: found?.description ?? '',
        tags: found?.tags ?? [],
        turns: numbered(found?.turns ?? []),
      }));
      return { profiles };
    }),
    rehearsal(extractFacts, async ({ turns }, signal) => {
      const { extraction } = await reader.readOne(turns, signal);
      return { facts: extraction.facts.map((fact) => saidFact(fact)) };
    }),
    rehearsal(reflectOnFacts, async () => ({ facts: [] })),
  ];
}

function memoraiSteps(reader: ShownReader): Rehearsal[] {
  return [
    rehearsal(summarizeSegment, async ({ turns }, signal) => {
      const { summary } = await reader.readOne(turns, signal);
      return { summary };
    }),
    rehearsal(describeMentions, async ({ turns, entities }, signal) => {
      const { extraction } = await reader.readOne(turns, signal);
      const descriptions = foundAmong(extraction.entities, entities).flatMap(({ entity, found }) =>
        found === undefined || found.description === ''
          ? []
          : [{ entity, description: found.description, turns: numbered(found.turns) }],
      );
      return { descriptions };
    }),
  ];
}

function otherSteps(reader: ShownReader): Rehearsal[] {
  return [
    rehearsal(titleSegment, async ({ turns }, signal) => {
      const { keywords, summary } = await reader.readOne(turns, signal);
      return { keywords, summary };
    }),
    rehearsal(checkTitle, async ({ turns, keywords, summary }) => {
      const noted = new Set(analyze([...keywords, summary].join(' ')));
      const isStated = ({ content }: PromptTurn) => {
        const terms = [...new Set(analyze(content))];
        return terms.length > 0 && terms.filter((term) => noted.has(term)).length >= terms.length / 2;
      };
      return { stated: turns.flatMap((turn, at) => (isStated(turn) ? [at + 1] : [])), wrong: [] };
    }),
    rehearsal(extractTriplets, async ({ turns }, signal) => {
      const { extraction } = await reader.readOne(turns, signal);
      const relations = extraction.facts.filter(({ kind }) => kind === 'relation');
      const triplets = relations.map(({ subject, relation, object, turns: at }) => ({
        subject,
        relation,
        object,
        turns: numbered(at),
      }));
      return { triplets };
    }),
    rehearsal(extractPropositions, async ({ turns }, signal) => {
      const { extraction } = await reader.readOne(turns, signal);
      const propositions = extraction.facts.map(({ statement, participants, turns: at }) => ({
        statement,
        participants,
        turns: numbered(at),
      }));
      return { propositions };
    }),
  ];
}

/** The result for each listed entity, by its number. */
function foundAmong(
  read: readonly DescribedEntity[],
  listed: readonly string[],
): { readonly entity: number; readonly found: DescribedEntity | undefined }[] {
  const byKey = new Map(read.map((entity) => [entityKey(entity.name), entity]));
  return listed.map((name, at) => ({ entity: at + 1, found: byKey.get(entityKey(name)) }));
}
