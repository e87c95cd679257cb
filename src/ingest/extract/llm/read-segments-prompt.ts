import { z } from 'zod';
import type { Prompt } from '../../../model/prompt.ts';
import { asData, asLabel, DATA, DATA_RULE, fence } from '../../../prompts/as-data.ts';
import { type PromptTurn, renderSegments, TURNS_FORM } from '../../../prompts/render-turns.ts';
import {
  alsoCalled,
  replyList,
  replyNumber,
  replyNumbers,
  replySentence,
  replyTexts,
} from '../../../prompts/reply-parts.ts';
import { factList, objectionToFacts } from './fact-list.ts';
import { ENTITY_RULES, FACT_RULES, KEEP_RULE, readEntity, readFact } from './reading-rules-prompt.ts';

export interface ReadSegmentsInput {
  /** Consecutive segments of one session. None is empty; their turns are numbered consecutively, from 1. */
  readonly segments: readonly (readonly PromptTurn[])[];
  /** Summary of the session's turns before these segments, if any: "it" may refer to it. */
  readonly earlier?: string | undefined;
  /** Names in memory that these turns may refer to, so that the model uses the same names again. */
  readonly names?: readonly string[] | undefined;
  /** Whether the turns state facts by the rules of the local tier; asked for a reply without any. */
  readonly statesFacts?: (() => Promise<boolean>) | undefined;
}

const LONGEST_EARLIER = 700;
const MOST_NAMES = 30;
const LONGEST_NAME = 60;

const schema = z.object({
  segments: alsoCalled(
    replyList(z.object({ segment: replyNumber, keywords: replyTexts, summary: replySentence })),
    'topics',
  ),
  keep: alsoCalled(replyNumbers, 'kept'),
  entities: replyList(readEntity.extend({ segment: replyNumber })),
  facts: factList(readFact),
});

export type ReadSegmentsReply = z.output<typeof schema>;

/**
 * The one call that reads whole segments: gate, keywords and summary, entities with descriptions, relations and
 * propositions (MemORAI §3.1–3.2, GAM §3.2, Mnemis §2.1, PersonalAI "Graph Construction").
 */
export const readSegments: Prompt<ReadSegmentsInput, ReadSegmentsReply> = {
  name: 'read-segments',
  version: 5,
  schema,
  expectedTokens: 1_500,
  needs: ['facts'],
  shown: ({ segments }) => {
    const turns = segments.flat().length;
    return { segment: segments.length, keep: turns, turns };
  },
  objectTo: async (reply, { segments, statesFacts }) => {
    const turns = segments.flat().length;
    const objection = objectionToFacts(reply.facts, { turns, reply });
    if (objection !== null || reply.facts.length > 0 || !(await statesFacts?.())) return objection;
    return { issue: 'facts: the list is empty, but the turns state facts', use: 'if-repeated' };
  },
  render: (input) => ({
    system: `You turn a recorded talk into entries of a long-term memory. ${DATA_RULE} ${TURNS_FORM} A line "== n" begins segment n, a topic of its own. Write in the language of the talk; cite turns by number.
segments: one entry for each. keywords: up to 8 from the talk, the most important first. summary: 2 or 3 sentences on all its turns, kept or not, with names and dates.
${KEEP_RULE}
${ENTITY_RULES}
segment: the one that the entry is about; an entity of several segments gets an entry for each.
${FACT_RULES}`,
    user: [earlierPart(input), namesPart(input), fence(DATA, renderSegments(input.segments))].join(''),
  }),
};

/** Facts are read from the turns only: the earlier summary has been read already. */
function earlierPart({ earlier = '' }: ReadSegmentsInput): string {
  const shown = asData(earlier, LONGEST_EARLIER);
  return shown === '' ? '' : `Before these turns, for reference only:\n${fence(DATA, shown)}\n`;
}

function namesPart({ names = [] }: ReadSegmentsInput): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => asLabel(name, LONGEST_NAME));
  return shown.length === 0
    ? ''
    : `Names in memory, to be used where these turns mean the same:\n${fence(DATA, shown.join('; '))}\n`;
}
