import { z } from 'zod';
import {
  ALL_KINDS,
  commonRouteShape,
  countSchema,
  kindsSchema,
  shareSchema,
  weightSchema,
} from '../route-settings.ts';
import { BY_WORDS_AROUND, readingSchema } from '../similarity/defaults.ts';
import { NODE_TYPES } from './traversal-graph.ts';

export const ALGORITHMS = ['a-star', 'water-circles', 'beam-search'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

export const HEURISTICS = ['ip', 'weighted', 'averaged-weighted'] as const;
export type Heuristic = (typeof HEURISTICS)[number];

const aStarSchema = z.strictObject({
  heuristic: z.enum(HEURISTICS),
  maximumHops: countSchema,
  /** Maximum of nodes that one search expands. */
  maximumPops: countSchema,
  /** Number of goals of a question with one entity: the nodes most similar to it. */
  goalsOfOne: countSchema,
});
export type AStarSettings = z.output<typeof aStarSchema>;

const waterCirclesSchema = z.strictObject({
  strictFilter: z.boolean(),
  /** Maximum of theses. */
  hyper: countSchema,
  episodic: countSchema,
  /** Maximum of triplets where circles meet. */
  chainTriplets: countSchema,
  otherTriplets: countSchema,
  /** Whether theses and episodes are scored by their best line. */
  pruneText: z.boolean(),
});
export type WaterCirclesSettings = z.output<typeof waterCirclesSchema>;

const beamSearchSchema = z.strictObject({
  maximumDepth: countSchema,
  maximumPaths: countSchema,
  samePathRevisitsNodes: z.boolean(),
  differentPathsShareNodes: z.boolean(),
  differentPathsShareRelations: z.boolean(),
  /** A path's score is the sum of its costs divided by its length to this power. */
  meanAlpha: z.number().min(0).max(10),
  sorting: z.enum(['mixed', 'ended_first', 'continuous_first']),
});
export type BeamSearchSettings = z.output<typeof beamSearchSchema>;

/** Graph traversal from the entities of a question (PersonalAI, "Information Searching"). */
export const traversalSchema = z.strictObject({
  ...commonRouteShape,
  route: z.literal('traversal'),
  kinds: kindsSchema,
  /** The results of several are merged. */
  algorithms: z.array(z.enum(ALGORITHMS)).min(1).readonly(),
  /** Node types that may be entered; starts and goals always may. */
  allowed: z.array(z.enum(NODE_TYPES)).readonly(),
  matching: z.strictObject({
    /** Maximum of entities, longest names first: a long text may name hundreds. */
    maximumEntities: countSchema,
    /** Minimum cosine at which a node matches an unknown name. */
    leastCosine: shareSchema,
    /** In words. */
    longestName: countSchema,
    /**
     * Who reads the names of a question: rules, or the language model in one call, if the memory has one, as in the
     * paper. If it fails, rules do. Default: rules.
     */
    parser: z.enum(['rules', 'model']).optional(),
  }),
  /** How triplets are compared with the question: by vectors, or by words and vectors as in System-1. */
  similarity: z.enum(['cosine', 'words-and-cosine']),
  aStar: aStarSchema,
  waterCircles: waterCirclesSchema,
  beamSearch: beamSearchSchema,
  /** Which triplets of each algorithm are kept. */
  filter: z.strictObject({
    most: countSchema,
    /** By similarity, or in the order of the traversal. */
    order: z.enum(['similarity', 'traversal']),
    /** Whether the triplets of all algorithms are filtered as one list, as in the paper. Default: each for itself. */
    isOfUnion: z.boolean().optional(),
  }),
  /** Settings of the similarity by words. */
  reading: readingSchema,
  /** Weight of each algorithm's lists in the fusion. */
  weight: weightSchema,
});
export type TraversalRoute = z.output<typeof traversalSchema>;

/** Values of PersonalAI's Appendix F; docs/papers.md §4 gives the sources of values that it does not state. */
export const TRAVERSAL: TraversalRoute = {
  route: 'traversal',
  kinds: ALL_KINDS,
  algorithms: ['water-circles'],
  allowed: NODE_TYPES,
  matching: { maximumEntities: 10, leastCosine: 0.5, longestName: 12 },
  similarity: 'cosine',
  aStar: { heuristic: 'ip', maximumHops: 10, maximumPops: 150, goalsOfOne: 5 },
  waterCircles: {
    strictFilter: true,
    hyper: 15,
    episodic: 15,
    chainTriplets: 25,
    otherTriplets: 6,
    pruneText: false,
  },
  beamSearch: {
    maximumDepth: 5,
    maximumPaths: 10,
    samePathRevisitsNodes: false,
    differentPathsShareNodes: false,
    differentPathsShareRelations: false,
    meanAlpha: 0.75,
    sorting: 'mixed',
  },
  filter: { most: 50, order: 'similarity' },
  reading: BY_WORDS_AROUND,
  weight: 1,
};
