import { z } from 'zod';
import type { Prompt } from '../model/prompt.ts';
import { asData, asLabel, DATA, DATA_RULE, fence } from './as-data.ts';
import { ENTITY_RULES, FACT_RULES, KEEP_RULE, readEntity, readFact } from './reading-rules.ts';
import { type PromptTurn, renderTurns, TURNS_FORM } from './render-turns.ts';
import { replyList, replyNumbers, replyText, replyTexts } from './reply-parts.ts';

export interface ReadSegmentInput {
  readonly turns: readonly PromptTurn[];
  /** What the session's turns before this segment were about, if there are any: "it" may point there. */
  readonly earlier?: string | undefined;
  /** Names that memory has for what these turns may speak of, so that they are called the same again. */
  readonly names?: readonly string[] | undefined;
}

const LONGEST_EARLIER = 700;
const MOST_NAMES = 30;
const LONGEST_NAME = 60;

const schema = z.object({
  keep: replyNumbers,
  keywords: replyTexts,
  summary: replyText,
  entities: replyList(readEntity),
  facts: replyList(readFact),
});

export type ReadSegmentReply = z.output<typeof schema>;

/**
 * The one call that does a whole segment: gate, keywords and summary, entities with what is said of them, relations
 * and propositions (MemORAI §3.1–3.2, GAM §3.2, Mnemis §2.1, PersonalAI "Graph Construction").
 */
export const readSegment: Prompt<ReadSegmentInput, ReadSegmentReply> = {
  name: 'read-segment',
  version: 1,
  schema,
  expectedTokens: 900,
  render: (input) => ({
    system: `You turn a stretch of recorded talk into entries of a long-term memory. ${DATA_RULE} ${TURNS_FORM} Write in the language of the talk; cite turns by number.
${KEEP_RULE}
keywords: up to 8 from the talk, the most important first.
summary: 2 or 3 sentences on all turns, kept or not, with names and dates.
${ENTITY_RULES}
${FACT_RULES}`,
    user: [earlierPart(input), namesPart(input), fence(DATA, renderTurns(input.turns))].join(''),
  }),
};

/** Only the turns are read for facts: what came before has been read already. */
function earlierPart({ earlier = '' }: ReadSegmentInput): string {
  const shown = asData(earlier, LONGEST_EARLIER);
  return shown === '' ? '' : `Before these turns, for reference only:\n${fence(DATA, shown)}\n`;
}

function namesPart({ names = [] }: ReadSegmentInput): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => asLabel(name, LONGEST_NAME));
  return shown.length === 0
    ? ''
    : `Names in memory, for use where they fit:\n${fence(DATA, shown.join('; '))}\n`;
}
