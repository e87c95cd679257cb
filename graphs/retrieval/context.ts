import { z } from 'zod';
import { RECIPE_NAMES } from '../../src/retrieve/recipes/recipes.ts';
import { commonContextShape } from '../run-context.ts';

export const TIERS = ['local', 'llm'] as const;

/** Fields of the context that configure a search. */
export function searchShape(recipes: readonly string[] = RECIPE_NAMES) {
  return {
    ...commonContextShape,
    recipe: z
      .enum(recipes as readonly [string, ...string[]])
      .optional()
      .meta({
        title: 'Recipe',
        description: 'Which routes run and how their lists are fused.',
        default: 'auto',
      }),
    k: z.number().int().min(1).max(100).optional().meta({
      title: 'Turns',
      description: 'Turns in the evidence; entities and facts get twice as many places.',
      default: 10,
    }),
    tier: z.enum(TIERS).optional().meta({
      title: 'Tier',
      description: 'Who selects and answers: rules alone, or the language model where one is configured.',
      default: 'llm',
    }),
    contextTokens: z.number().int().min(1).optional().meta({
      title: 'Context tokens',
      description: 'The most tokens of memory that an answer is composed from.',
    }),
  };
}

/** The context of the retrieval graph, for the recipes that it may name. */
export function retrievalContext(recipes?: readonly string[]) {
  return z.object({
    ...searchShape(recipes),
    answers: z.boolean().optional().meta({
      title: 'Answer',
      description:
        'Whether to answer, not only return evidence. If so, ended facts may be evidence for questions about the past.',
      default: true,
    }),
    routeMilliseconds: z
      .number()
      .min(0)
      .max(2 ** 31 - 1)
      .optional()
      .meta({
        title: 'Time limit per route',
        description: 'In milliseconds; slower routes are left out. Default: none.',
      }),
    breakpoints: z
      .array(z.enum(['offer', 'select', 'collect']))
      .optional()
      .meta({
        title: 'Breakpoints',
        description:
          'Nodes of Global Selection before which the run stops, once for each list. Resume with any value. Other nodes take LangGraph’s own breakpoints.',
      }),
    asker: z.string().max(500).optional().meta({
      title: 'Asker',
      description: 'Who asks: "I" and "my" of the question. Default: the only speaker with the role user.',
    }),
    earlier: z.array(z.string()).optional().meta({
      title: 'Earlier questions',
      description: 'What the same person asked before, the oldest first; "And Lena?" continues the last.',
    }),
    asOf: z.string().optional().meta({
      title: 'As of',
      description: 'What held at this time, such as "2024-03-05". Default: the present.',
    }),
    knownAt: z.string().optional().meta({
      title: 'Known at',
      description: 'What memory knew at this time. Default: the present.',
    }),
  });
}

/** How one question is searched and answered; kept in the state, so that a resumed thread needs no context. */
export const searchSettingsSchema = z
  .object({ ...retrievalContext().shape, recipe: z.string().optional() })
  .omit({ scope: true });
export type RetrievalSettings = z.output<typeof searchSettingsSchema>;
