import { z } from 'zod';
import type { Milliseconds } from '../../model/ids.ts';
import type { Prompt } from '../../model/prompt.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../../prompts/as-data.ts';
import { replyList, replyNumber, replySentence, replyTexts } from '../../prompts/reply-parts.ts';
import { isoDay } from '../../util/iso-day.ts';

/** What a segment says of an entity, and when its turns were said. */
export interface EntityNote {
  readonly text: string;
  readonly at: Milliseconds;
}

export interface DescribeInput {
  readonly entities: readonly {
    readonly name: string;
    /** The profile so far; empty for a new entity. */
    readonly summary: string;
    /** What no profile has used yet, the oldest first. */
    readonly notes: readonly EntityNote[];
  }[];
}

const LONGEST_NAME = 100;
const LONGEST_NOTE = 300;
const LONGEST_SUMMARY = 600;

const schema = z.object({
  profiles: replyList(z.object({ entity: replyNumber, summary: replySentence, tags: replyTexts })),
});

/** Profile summaries and tags (Mnemis §2.1). */
export const describeEntities: Prompt<DescribeInput, z.output<typeof schema>> = {
  name: 'describe-entities',
  version: 3,
  schema,
  expectedTokens: 400,
  shown: ({ entities }) => ({ entity: entities.length }),
  render: ({ entities }) => ({
    system: `You write profiles for a long-term memory. ${DATA_RULE} Lines "E1 name" are entities. Under each stand its profile so far, after "=", and dated notes of what was said of it since, the oldest first.
One profile for each entity. entity: its number. summary: who or what it is and what matters about it, in at most 60 words. Keep what the profile so far says, add what the notes tell, and keep the date of an event or a change; where later notes change earlier words, the later hold. tags: up to 5, of up to 3 words, by which it could be grouped with others. Use only what is given.`,
    user: fence(DATA, entities.map(shownEntity).join('\n')),
  }),
};

function shownEntity({ name, summary, notes }: DescribeInput['entities'][number], at: number): string {
  return [
    `E${at + 1} ${asLabel(name, LONGEST_NAME)}`,
    ...(summary === '' ? [] : [`= ${asLabel(summary, LONGEST_SUMMARY)}`]),
    ...notes.map(({ text, at: said }) => `${isoDay(said)} ${asLabel(text, LONGEST_NOTE)}`),
  ].join('\n');
}
