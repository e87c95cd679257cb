import { StateSchema } from '@langchain/langgraph';
import { z } from 'zod';

/** The state of the retrieval graph: a question goes in, evidence comes out. */
export const RetrievalState = new StateSchema({
  /** What is asked. */
  question: z.string(),
  /** Whose memory is asked. */
  scope: z.string().default('default'),
  /** Which recipe searches. */
  recipe: z.string().optional(),
  /** Filled by the `search` node: ranked evidence, the text ready for a prompt. */
  evidence: z
    .array(
      z.object({
        id: z.string(),
        kind: z.enum(['episode', 'entity', 'fact']),
        rank: z.number(),
        score: z.number(),
        text: z.string(),
      }),
    )
    .default([]),
});
