import { z } from 'zod';
import type { Prompt } from '../../model/prompt.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../../prompts/as-data.ts';
import { replyList, replyNumber, replyText, replyTexts } from '../../prompts/reply-parts.ts';

export interface DescribeInput {
  readonly entities: readonly {
    readonly name: string;
    /** Descriptions from segments, oldest first. */
    readonly descriptions: readonly string[];
  }[];
}

const LONGEST_NAME = 100;
const LONGEST_DESCRIPTION = 300;
const MOST_DESCRIPTIONS = 12;

const schema = z.object({
  profiles: replyList(z.object({ entity: replyNumber, summary: replyText, tags: replyTexts })),
});

/** Profile summaries and tags (Mnemis §2.1). */
export const describeEntities: Prompt<DescribeInput, z.output<typeof schema>> = {
  name: 'describe-entities',
  version: 1,
  schema,
  expectedTokens: 400,
  render: ({ entities }) => ({
    system: `You write profiles for a long-term memory. ${DATA_RULE} Lines "E1 name" are entities, the lines under each what was said of it, the oldest first.
One profile for each entity. entity: its number. summary: 1 to 3 sentences on who or what it is and what matters about it; where later notes change earlier ones, the later hold. tags: up to 5, of up to 3 words, by which it could be grouped with others. Use only what the notes say.`,
    user: fence(DATA, entities.map(shownEntity).join('\n')),
  }),
};

/** Shows the newest descriptions if there are many. */
function shownEntity({ name, descriptions }: DescribeInput['entities'][number], at: number): string {
  const notes = descriptions
    .slice(-MOST_DESCRIPTIONS)
    .map((text) => `- ${asLabel(text, LONGEST_DESCRIPTION)}`);
  return [`E${at + 1} ${asLabel(name, LONGEST_NAME)}`, ...notes].join('\n');
}
