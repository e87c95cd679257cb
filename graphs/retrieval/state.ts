import { z } from 'zod';
import { ROUTE_ENDS } from '../../src/model/retrieved-item.ts';
import { reducedChannel, threadScope } from '../channels.ts';
import { usageSchema } from '../run-context.ts';
import { searchSettingsSchema } from './context.ts';
import { bestSchema, evidenceSchema } from './evidence.ts';

const count = z.number();
const counts = z.object({ episodes: count, facts: count, entities: count });

/** How a route went; its lists stay with the engine. */
export const routeSchema = z.object({
  route: z.string(),
  end: z.enum(ROUTE_ENDS),
  found: counts,
  milliseconds: count,
  failure: z.string().optional(),
  notes: z.array(z.string()).optional(),
  /** The lists of a walk down the hierarchy, as "layer 2: 3 of 12 picked". */
  walk: z.array(z.string()).optional(),
});
export type RouteSummary = z.output<typeof routeSchema>;
const routesSchema = z.record(z.string(), routeSchema);

/** Keyed by the route's place in the recipe. Null clears the record. */
export const routesChannel = reducedChannel(
  routesSchema.meta({ title: 'Routes', description: 'How each route of the recipe went, by its place.' }),
  {
    reducer: {
      schema: routesSchema.nullable(),
      fn: (known: z.output<typeof routesSchema>, given: z.output<typeof routesSchema> | null) =>
        given === null ? {} : { ...known, ...given },
    },
    default: () => ({}),
  },
);

const rerankSchema = z
  .object({ model: z.string(), candidates: count, milliseconds: count, failure: z.string().nullable() })
  .optional();

/**
 * The state of the retrieval graph: references and small values. Ranked lists, rows and vectors stay with the engine,
 * which computes them again when a node needs them and they are gone.
 */
export const RetrievalState = z.object({
  question: z.string().min(1).meta({ title: 'Question', description: 'What to ask memory.' }),
  scope: threadScope,
  settings: searchSettingsSchema.meta({ title: 'Settings', description: 'Set by "read" from the context.' }),
  reading: z
    .object({
      /** The kind of thing that is asked for, as in "which cities". */
      kind: z.string(),
      asksForAll: z.boolean(),
      speakers: z.array(z.string()),
      terms: z.array(z.string()),
    })
    .meta({ title: 'Reading', description: 'What "read" understood of the question.' }),
  planned: z.record(z.string(), z.string()).meta({
    title: 'Planned',
    description: 'The routes of the recipe that run for this question, by their place in it.',
  }),
  routes: routesChannel,
  fused: z
    .object({ ...counts.shape, best: bestSchema.optional() })
    .meta({ title: 'Fused', description: 'How many rows the fused ranking has, and the best of each kind.' }),
  evidence: evidenceSchema.meta({
    title: 'Evidence',
    description:
      'Ids of the evidence, best first; where an answer follows, its places in the ranking. Edit it in a fork to answer from less.',
  }),
  reranked: z
    .object({ episode: rerankSchema, fact: rerankSchema, entity: rerankSchema })
    .meta({ title: 'Reranked', description: 'How each kind was reranked; absent where it was not.' }),
  composed: z
    .object({ sources: count, tokens: count, leftOut: count, first: z.array(z.string()) })
    .optional()
    .meta({
      title: 'Composed',
      description: 'The context: how many sources and tokens, and its first lines.',
    }),
  answer: z
    .object({
      answered: z.boolean(),
      text: z.string(),
      /** A citation without a quote is of words that the text has. */
      citations: z.array(z.object({ number: count, id: z.string(), quote: z.string().optional() })),
      answerer: z.string(),
      confidence: z.number().nullable(),
      notes: z.array(z.string()),
    })
    .nullable()
    .meta({ title: 'Answer', description: 'With numbered citations; null where none was asked for.' }),
  usage: usageSchema.meta({ title: 'Usage', description: 'Model calls and tokens of the run so far.' }),
});
