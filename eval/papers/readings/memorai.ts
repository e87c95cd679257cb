import { z } from 'zod';
import type { TurnToRead } from '../../../src/ingest/extract/extractor.ts';
import { factList, objectionToFacts } from '../../../src/ingest/extract/llm/fact-list.ts';
import {
  KEEP_RULE,
  type ReadEntity,
  type ReadFact,
  readFact,
} from '../../../src/ingest/extract/llm/reading-rules-prompt.ts';
import { EMPTY_REPLY, type SegmentReply } from '../../../src/ingest/extract/llm/split-reply.ts';
import { Talk, toPromptTurn } from '../../../src/ingest/extract/llm/talk.ts';
import type { Prompt } from '../../../src/model/prompt.ts';
import { DATA, DATA_RULE, fence } from '../../../src/prompts/as-data.ts';
import { type PromptTurn, renderTurns, TURNS_FORM } from '../../../src/prompts/render-turns.ts';
import { replyList, replyNumber, replyNumbers, replyText } from '../../../src/prompts/reply-parts.ts';
import { tidy, tidyName } from '../../../src/util/tidy.ts';
import { allTurns, citing, NameList, namesPart, type Steps } from './steps.ts';

interface JudgeTurnsInput {
  readonly turns: readonly PromptTurn[];
}

const judgeTurnsReply = z.object({ keep: replyNumbers });

/** The memory gate as a call of its own (MemORAI §3.1). */
export const judgeTurns: Prompt<JudgeTurnsInput, z.output<typeof judgeTurnsReply>> = {
  name: 'judge-turns',
  version: 1,
  schema: judgeTurnsReply,
  needs: ['keep'],
  expectedTokens: 40,
  render: ({ turns }) => ({
    system: `You choose which turns of a recorded talk a long-term memory keeps. ${DATA_RULE} ${TURNS_FORM}
${KEEP_RULE}
Give the numbers of the turns to keep, ascending.`,
    user: fence(DATA, renderTurns(turns)),
  }),
};

export interface ExtractTripletsInput {
  readonly turns: readonly PromptTurn[];
}

const triplet = readFact.pick({ subject: true, relation: true, object: true, turns: true });
export type ReadTriplet = z.output<typeof triplet>;

const extractTripletsReply = z.object({ triplets: factList(triplet) });

/** Bare triplets that cite turns (MemORAI §3.2, C.6; the simple relations of PersonalAI, Appendix A). */
export const extractTriplets: Prompt<ExtractTripletsInput, z.output<typeof extractTripletsReply>> = {
  name: 'extract-triplets',
  version: 1,
  schema: extractTripletsReply,
  needs: ['triplets'],
  objectTo: ({ triplets }, { turns }) => {
    const facts = triplets.map((each) => each && tripletFact(each));
    return objectionToFacts(facts, { turns: turns.length, reply: { facts } });
  },
  expectedTokens: 200,
  render: ({ turns }) => ({
    system: `You turn what is stated in a recorded talk into triplets of a knowledge graph. ${DATA_RULE} ${TURNS_FORM}
triplets: one for each thing that anybody states outright of who and what they are, have, do, like, know or plan; every speaker counts alike. Infer nothing.
subject, object: names or short noun phrases; a speaker is called by the name shown, and pronouns are replaced by whom they mean. relation: a short verb phrase that keeps "not" and "plans to". turns: the numbers of all turns that state it.`,
    user: fence(DATA, renderTurns(turns)),
  }),
};

export interface SummarizeSegmentInput {
  /** All turns of the segment, including those that the gate dropped. */
  readonly turns: readonly PromptTurn[];
}

const summarizeSegmentReply = z.object({ summary: replyText });

/** The summary of a segment in a separate call (MemORAI §3.1, C.3). */
export const summarizeSegment: Prompt<SummarizeSegmentInput, z.output<typeof summarizeSegmentReply>> = {
  name: 'summarize-segment',
  version: 1,
  schema: summarizeSegmentReply,
  expectedTokens: 80,
  render: ({ turns }) => ({
    system: `You sum up a part of a recorded talk for a long-term memory. ${DATA_RULE} ${TURNS_FORM}
summary: 2 or 3 sentences, in the language of the talk, on what was talked about, what was learned and what was decided, with names and dates.`,
    user: fence(DATA, renderTurns(turns)),
  }),
};

export interface DescribeMentionsInput {
  readonly turns: readonly PromptTurn[];
  readonly entities: readonly string[];
}

const describeMentionsReply = z.object({
  descriptions: replyList(z.object({ entity: replyNumber, description: replyText, turns: replyNumbers })),
});

/** Descriptions of the entities of one segment, with their evidence turns (MemORAI §3.2, C.4). */
export const describeMentions: Prompt<DescribeMentionsInput, z.output<typeof describeMentionsReply>> = {
  name: 'describe-mentions',
  version: 1,
  schema: describeMentionsReply,
  needs: ['descriptions'],
  expectedTokens: 250,
  render: ({ turns, entities }) => ({
    system: `You write down what a part of a recorded talk tells of listed entities. ${DATA_RULE} ${TURNS_FORM}
descriptions: one for each listed entity of which something is told. entity: its number. description: 1 or 2 sentences in the language of the talk, from these turns alone. turns: the numbers of the turns that it rests on.`,
    user: `${fence(DATA, renderTurns(turns))}\n${namesPart('Entities', entities)}`,
  }),
};

/** Explicit statements, without a separate time. */
const STATED = { said: '', date: '', until: '', confidence: 1 };

/** A triplet as a fact whose statement is the triplet as text (MemORAI §3.3). */
export function tripletFact({ subject, relation, object, turns }: ReadTriplet): ReadFact {
  const words = tidy(relation.replaceAll('_', ' '));
  const ends = [subject, object].map(tidy);
  const statement = `${ends[0]} ${words} ${ends[1]}`.replace(/[.!?]*$/, '.');
  const isWhole = words !== '' && ends.every((end) => end !== '');
  return {
    ...STATED,
    statement: isWhole ? statement : '',
    subject,
    relation: words,
    object,
    participants: [],
    turns,
  };
}

export function propositionFact(
  statement: string,
  { participants, turns }: { readonly participants: string[]; readonly turns: number[] },
): ReadFact {
  return { ...STATED, statement, subject: '', relation: '', object: '', participants, turns };
}

/** The speakers and all entities of facts. A triplet does not state their kinds. */
export function namesIn(facts: readonly ReadFact[], turns: readonly TurnToRead[]): NameList {
  const names = new NameList(turns);
  for (const { subject, object, participants, turns: cited } of facts)
    for (const name of [subject, object, ...participants])
      if (tidyName(name) !== null) names.add({ name, kind: 'thing', turns: cited });
  return names;
}

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
  // The calls saw only the kept turns, with their own numbering; other numbers remain invalid.
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
