import { z } from 'zod';
import type { Prompt } from '../../../model/prompt.ts';
import { TOPIC_RELATIONS } from '../../../model/relationships.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../../../prompts/as-data.ts';
import { replyConfidence, replyList, replyNumber, replyWord } from '../../../prompts/reply-parts.ts';

export interface SummarizedSegment {
  readonly keywords: readonly string[];
  readonly summary: string;
}

export interface RelateInput {
  /** Numbered from 1; each is shown once, regardless of the number of its pairs. */
  readonly topics: readonly SummarizedSegment[];
  /** Numbers of topics: a new one, and earlier ones that it may relate to (GAM takes the five nearest). */
  readonly pairs: readonly { readonly topic: number; readonly earlier: readonly number[] }[];
}

const LONGEST_SUMMARY = 350;
const LONGEST_KEYWORDS = 80;
const MOST_KEYWORDS = 4;

const schema = z.object({
  relations: replyList(
    z.object({
      topic: replyNumber,
      earlier: replyNumber,
      relation: replyWord([...TOPIC_RELATIONS, 'unrelated'], 'unrelated'),
      from: replyNumber,
      confidence: replyConfidence,
    }),
  ),
});

export type RelateReply = z.output<typeof schema>;

/** Decides how new topics relate to earlier ones (GAM §3.3). */
export const relateSegments: Prompt<RelateInput, RelateReply> = {
  name: 'relate-segments',
  version: 1,
  schema,
  expectedTokens: 300,
  shown: ({ topics: { length } }) => ({ topic: length, earlier: length, from: length }),
  render: ({ topics, pairs }) => ({
    system: `You relate new topics of a memory to earlier ones. ${DATA_RULE} Each line there is a topic: number [keywords] summary.
One entry for each pair that is asked for. topic, earlier: their numbers. relation, the first that holds: contradict (one says what the other denies or replaces), causal (one brought the other about), support (one confirms or adds detail to what the other states), coreference (both tell of the same event, thing or person other than the speakers), semantic (a like subject only), unrelated. from: the number of the one that contradicts, causes or supports. confidence: 0 to 1.`,
    user: `${fence(DATA, topics.map(shown).join('\n'))}\nRelate ${pairs.map(shownPairs).join('; ')}.`,
  }),
};

function shown({ keywords, summary }: SummarizedSegment, at: number): string {
  const words = asLabel(keywords.slice(0, MOST_KEYWORDS).join(', '), LONGEST_KEYWORDS);
  return `${at + 1} ${words === '' ? '' : `[${words}] `}${asLabel(summary, LONGEST_SUMMARY)}`;
}

function shownPairs({ topic, earlier }: RelateInput['pairs'][number]): string {
  return `${topic} to ${earlier.join(', ')}`;
}
