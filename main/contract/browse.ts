import { z } from 'zod';
import type { CategoryPage } from '../../src/browse/category-page.ts';
import type { EntityLine } from '../../src/browse/entity-list.ts';
import type { EntityPage } from '../../src/browse/entity-page.ts';
import type { FactLine } from '../../src/browse/fact-line.ts';
import type { Page } from '../../src/browse/history/page.ts';
import type { GraphKind, GraphNode, MemoryGraph } from '../../src/browse/memory-graph.ts';
import type { KnownName } from '../../src/browse/names.ts';
import type { Episode } from '../../src/model/nodes.ts';
import { boundedCount, inScope, time } from './common.ts';
import { call, reply } from './method.ts';

const id = z.string().min(1).max(1_000);
/** `after` is the `next` of the page before. A period begins at `from` and ends before `to`. */
const listed = inScope.extend({
  from: time.optional(),
  to: time.optional(),
  limit: boundedCount(500).optional(),
  after: z.string().max(1_000).optional(),
});

export const pageReply = <T>() =>
  reply<Page<T>>(
    z.object({
      items: z.array(z.object({ id: z.string() })),
      total: z.number(),
      next: z.string().nullable(),
    }),
  );

const number = z.number();
const words = z.array(z.string());
/** The way from a category to the top. */
const path = z.array(z.object({ id: z.string(), name: z.string(), layer: number }));
const span = z.tuple([number, number]).nullable();

const namesSchema = z.array(
  z.object({
    kind: z.enum(['entity', 'category']),
    id: z.string(),
    name: z.string(),
    alias: z.string().nullable(),
    tags: words,
    layer: number,
    size: number,
  }),
);

const graphSchema = z.object({
  nodes: z.array(
    z.object({ id: z.string(), kind: z.string(), name: z.string(), layer: number, size: number }),
  ),
  /** Positions of two nodes, and the weight of the link. */
  links: z.array(z.tuple([number, number, number])),
  /** Number of nodes that pass the filters, or of neighbours. */
  total: number,
  moreLinks: number,
  sources: words,
  layers: number,
  said: span,
});

const entityPageSchema = z.object({
  id: z.string(),
  name: z.string(),
  aliases: words,
  summary: z.string(),
  tags: words,
  createdAt: number,
  facts: z.object({ holds: number, ended: number }),
  turns: number,
  said: span,
  categories: z.array(path),
  neighbours: z.array(z.object({ id: z.string(), name: z.string(), facts: number })),
  uncertain: z.array(z.object({ id: z.string(), name: z.string(), aliases: words, confidence: number })),
  corrections: z.array(z.object({ id: z.string() })),
  merged: z.array(z.object({ id: z.string(), name: z.string() })),
});

const categoryPageSchema = z.object({
  id: z.string(),
  name: z.string(),
  aliases: words,
  summary: z.string(),
  tags: words,
  layer: number,
  paths: z.array(path),
  children: z.array(z.object({ id: z.string(), name: z.string(), layer: number, tags: words, size: number })),
  more: number,
  entities: number,
});

/** What memory holds, as lists and pages. */
export const browseMethods = {
  /** Facts that memory believes, the latest first. */
  facts: call(
    'reads',
    listed.extend({
      /** By id, or by a name that no other entity has. */
      entity: id.optional(),
      /** By id: facts about entities below it. */
      category: id.optional(),
      state: z.enum(['holds', 'ended', 'any']).optional(),
      /** What the period and the order are about. Default: when facts began to hold. */
      by: z.enum(['begun', 'ended']).optional(),
    }),
    pageReply<FactLine>(),
  ),
  /** Turns, the latest first. */
  turns: call(
    'reads',
    listed.extend({
      /** Turns that mention it; by id, or by a name that no other entity has. */
      entity: id.optional(),
      session: id.optional(),
      speaker: z.string().max(1_000).optional(),
      source: z.string().max(1_000).optional(),
    }),
    pageReply<Episode>(),
  ),
  /** Names of entities and categories that complete what is typed, the best first. */
  names: call(
    'reads',
    inScope.extend({
      typed: z.string().max(300),
      kinds: z
        .array(z.enum(['entity', 'category']))
        .min(1)
        .max(2)
        .optional(),
      limit: boundedCount(50).optional(),
    }),
    reply<readonly KnownName[]>(namesSchema),
  ),
  /** Entities with the numbers of their facts and turns. */
  entities: call(
    'reads',
    listed.omit({ from: true, to: true }).extend({
      /** Part of a name. */
      query: z.string().max(300).optional(),
      tag: z.string().max(100).optional(),
      /** Default: those with the most facts first. */
      order: z.enum(['facts', 'name', 'newest']).optional(),
    }),
    pageReply<EntityLine>(),
  ),
  /** A picture of memory: its most connected part, or the neighbours of a node. */
  graph: call(
    'reads',
    inScope.extend({
      kinds: z
        .array(z.enum(['category', 'entity', 'topic', 'turn']))
        .min(1)
        .max(4)
        .optional(),
      layers: z.array(z.number().int().min(1).max(100)).max(100).optional(),
      /** Only what was said, or held, from here on, and before there. */
      from: time.optional(),
      to: time.optional(),
      /** Only what turns of this source say. */
      source: z.string().max(1_000).optional(),
      /** Id of a node of any kind. */
      around: id.optional(),
      /** Links from it to what is shown: 1 by default. */
      steps: z.union([z.literal(1), z.literal(2)]).optional(),
      limit: boundedCount(10_000).optional(),
    }),
    reply<MemoryGraph>(graphSchema),
  ),
  /** What an entity is, with its place among others; by id, or by a name that no other entity has. */
  entityPage: call('reads', inScope.extend({ entity: id }), reply<EntityPage>(entityPageSchema)),
  /** What a category is, with its members; by id. */
  categoryPage: call(
    'reads',
    inScope.extend({ category: id, limit: boundedCount(500).optional() }),
    reply<CategoryPage>(categoryPageSchema),
  ),
} as const;

export type { CategoryPage, EntityLine, EntityPage, GraphKind, GraphNode, KnownName, MemoryGraph };
