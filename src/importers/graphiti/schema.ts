import { z } from 'zod';
import { idSchema } from '../json/json-format.ts';

const text = z.string().nullish().catch(null);

/** A turn as Graphiti stores it, an `EpisodicNode`; Zep's interface names its speaker too. */
export const episodeSchema = z.object({
  uuid: idSchema,
  name: text,
  group_id: text,
  content: z.string(),
  source: text,
  role: text,
  role_type: text,
  valid_at: z.unknown().optional(),
  created_at: z.unknown().optional(),
});
export type GraphitiEpisode = z.output<typeof episodeSchema>;

/** A statement as Graphiti stores it, an `EntityEdge`. */
export const edgeSchema = z.object({
  uuid: idSchema,
  group_id: text,
  name: text,
  fact: z.string().trim().min(1),
  source_node_uuid: text,
  target_node_uuid: text,
  source_node_name: text,
  target_node_name: text,
  episodes: z.array(z.string()).nullish().catch(null),
  valid_at: z.unknown().optional(),
  invalid_at: z.unknown().optional(),
  created_at: z.unknown().optional(),
});
export type GraphitiEdge = z.output<typeof edgeSchema>;

export const entitySchema = z.object({ uuid: idSchema, name: z.string() });

const list = z.array(z.unknown()).nullish();

/** The output of `model_dump` for nodes and edges, under common names for the lists. */
export const dumpSchema = z.object({
  episodes: list,
  episodic_nodes: list,
  nodes: list,
  entities: list,
  entity_nodes: list,
  edges: list,
  facts: list,
  entity_edges: list,
  rels: list,
});

/** A row of what Neo4j's `apoc.export.json` writes, as lines or as lists. */
export const rowSchema = z.union([
  z.object({
    type: z.literal('node'),
    labels: z.array(z.string()).default([]),
    properties: z.record(z.string(), z.unknown()).default({}),
  }),
  z.object({
    type: z.literal('relationship'),
    label: z.string(),
    properties: z.record(z.string(), z.unknown()).default({}),
    start: z.object({ properties: z.unknown().optional() }).optional(),
    end: z.object({ properties: z.unknown().optional() }).optional(),
  }),
]);
