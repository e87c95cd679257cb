import { z } from 'zod';
import type { Prompt } from '../model/prompt.ts';
import { TOPIC_RELATIONS } from '../model/relationships.ts';
import { asLabel, DATA, DATA_RULE, fence } from './as-data.ts';
import { replyConfidence, replyList, replyNumber, replyWord } from './reply-parts.ts';

export interface RelateInput {
  readonly segment: SummarizedSegment;
  /** Earlier segments; GAM takes the five nearest. */
  readonly candidates: readonly SummarizedSegment[];
}

export interface SummarizedSegment {
  readonly keywords: readonly string[];
  readonly summary: string;
}

const LONGEST_SUMMARY = 500;
const LONGEST_KEYWORDS = 120;
const MOST_KEYWORDS = 6;

const schema = z.object({
  relations: replyList(
    z.object({
      candidate: replyNumber,
      relation: replyWord([...TOPIC_RELATIONS, 'unrelated'], 'unrelated'),
      from: replyWord(['new', 'old'], 'new'),
      confidence: replyConfidence,
    }),
  ),
});

/** How a new topic relates to earlier ones (GAM §3.3). */
export const relateSegments: Prompt<RelateInput, z.output<typeof schema>> = {
  name: 'relate-segments',
  version: 1,
  schema,
  expectedTokens: 120,
  render: ({ segment, candidates }) => ({
    system: `You relate a new topic of a memory to earlier ones. ${DATA_RULE} "N" is the new topic, "1", "2" … are the earlier ones.
One entry for each earlier topic. candidate: its number. relation, the first that holds: contradict (one says what the other denies or replaces), causal (one brought the other about), support (one confirms or adds detail to what the other states), coreference (both tell of the same person beside the speakers, event or thing), semantic (a like subject only), unrelated. from: new or old, the one that contradicts, causes or supports. confidence: 0 to 1.`,
    user: fence(
      DATA,
      [`N ${shown(segment)}`, ...candidates.map((each, at) => `${at + 1} ${shown(each)}`)].join('\n'),
    ),
  }),
};

function shown({ keywords, summary }: SummarizedSegment): string {
  const words = asLabel(keywords.slice(0, MOST_KEYWORDS).join(', '), LONGEST_KEYWORDS);
  return `${words === '' ? '' : `[${words}] `}${asLabel(summary, LONGEST_SUMMARY)}`;
}
