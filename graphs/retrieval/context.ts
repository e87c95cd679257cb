import { z } from 'zod';
import { DEFAULT_K, options, TIERS } from '../../src/model/options.ts';
import { timeText } from '../../src/model/time-input.ts';
import { RECIPE_NAMES } from '../../src/retrieve/recipes/recipes.ts';
import { commonContextShape, titled } from '../run-context.ts';

/** Fields of the context that configure a search. */
export function searchShape(recipes: readonly string[] = RECIPE_NAMES) {
  return {
    ...commonContextShape,
    recipe: z
      .enum(recipes as readonly [string, ...string[]])
      .optional()
      .meta({
        title: 'Recipe',
        description: options.recipe.description,
        default: 'auto',
      }),
    k: titled('Turns', options.k, DEFAULT_K),
    tier: z.enum(TIERS).optional().meta({
      title: 'Tier',
      description: 'Who selects and answers: rules alone, or the language model where one is configured.',
      default: 'llm',
    }),
    contextTokens: titled('Context tokens', options.contextTokens),
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
    minScore: titled('Least relevance', options.minScore, 0),
    rewrite: titled('Rewrite', options.rewrite, false),
    routeMilliseconds: titled('Time limit per route', options.routeMilliseconds),
    breakpoints: z
      .array(z.enum(['offer', 'select', 'collect']))
      .optional()
      .meta({
        title: 'Breakpoints',
        description:
          'Nodes of Global Selection before which the run stops, once for each list. Resume with any value. Other nodes take LangGraph’s own breakpoints.',
      }),
    asker: titled('Asker', options.asker),
    earlier: titled('Earlier questions', options.earlier),
    offset: titled('Clock ahead of UTC', options.offset),
    // As text: Studio has no field for a number or a text.
    asOf: titled('As of', timeText.describe(options.asOf.description!)),
    knownAt: titled('Known at', timeText.describe(options.knownAt.description!)),
  });
}

/** How one question is searched and answered; kept in the state, so that a resumed thread needs no context. */
export const searchSettingsSchema = z
  .object({ ...retrievalContext().shape, recipe: z.string().optional() })
  .omit({ scope: true });
export type RetrievalSettings = z.output<typeof searchSettingsSchema>;
