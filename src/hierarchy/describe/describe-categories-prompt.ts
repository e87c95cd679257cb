import { z } from 'zod';
import type { Prompt } from '../../model/prompt.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../../prompts/as-data.ts';
import { replyList, replyNumber, replyText } from '../../prompts/reply-parts.ts';
import { shorten } from '../../util/tidy.ts';

export interface DescribedChild {
  readonly name: string;
  readonly summary: string;
}

export interface DescribeCategoriesInput {
  readonly categories: readonly {
    readonly name: string;
    readonly children: readonly DescribedChild[];
  }[];
}

const LONGEST_NAME = 80;
const LONGEST_SUMMARY = 140;
const CHILDREN_SUMMARIZED = 8;
const CHILDREN_NAMED = 20;

const schema = z.object({
  summaries: replyList(z.object({ category: replyNumber, summary: replyText })),
});

/** Summarizes categories from their children (Mnemis §2.2). */
export const describeCategories: Prompt<DescribeCategoriesInput, z.output<typeof schema>> = {
  name: 'describe-categories',
  version: 1,
  schema,
  expectedTokens: 500,
  shown: ({ categories }) => ({ category: categories.length }),
  render: ({ categories }) => ({
    system: `You sum up categories of a long-term memory. ${DATA_RULE} Lines "K1 name" are categories, the lines under each its members and what is known of them.
One summary for each category. category: its number. summary: 1 to 3 sentences, at most 60 words, on what its members tell together: who, what, when, how often; members by name where they matter. Use only what the lines say.`,
    user: fence(DATA, categories.map(shownCategory).join('\n')),
  }),
};

/**
 * A category as shown in the prompt: the first children with their summaries, more by name, then the number of the
 * rest.
 */
export function shownCategory(
  { name, children }: DescribeCategoriesInput['categories'][number],
  at: number,
): string {
  const withSummaries = children.slice(0, CHILDREN_SUMMARIZED).map(shownChild);
  const named = children
    .slice(CHILDREN_SUMMARIZED, CHILDREN_NAMED)
    .map((child) => asLabel(child.name, LONGEST_NAME));
  const left = children.length - CHILDREN_NAMED;
  const others = [...named, ...(left > 0 ? [`${left} more`] : [])].join('; ');
  const rest = others === '' ? [] : [`- also ${others}`];
  return [`K${at + 1} ${asLabel(name, LONGEST_NAME)}`, ...withSummaries, ...rest].join('\n');
}

function shownChild({ name, summary }: DescribedChild): string {
  const said = asLabel(shorten(summary, LONGEST_SUMMARY), LONGEST_SUMMARY);
  return `- ${asLabel(name, LONGEST_NAME)}${said === '' ? '' : `: ${said}`}`;
}
