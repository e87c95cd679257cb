import { z } from 'zod';
import { UnknownNameError } from '../errors/index.ts';
import type { LanguageModel } from '../inference/language-model.ts';
import { TIERS } from '../model/options.ts';
import type { SegmentReader } from './extract/segment-reader.ts';

/**
 * Creates the reader for the segments of a profile. It receives the profile's `gate` and `reflection`. The reader
 * reads one unit of consolidation at a time, and receives the turns just before it.
 */
export type ReaderFactory = (
  model: LanguageModel,
  options: { readonly gate: boolean; readonly reflection: boolean },
) => SegmentReader;

/** What decides which facts are outdated: a model, rules without cost, or nothing. */
const SUPERSEDERS = ['model', 'rules', 'never'] as const;

/** What decides how segments are related: a model, rules without cost, or nothing. */
const RELATORS = ['model', 'rules', 'never'] as const;

/** What groups entities into categories: a model, rules without cost, or nothing. */
const CATEGORIZERS = ['model', 'rules', 'never'] as const;

const size = z.number().int().min(1).max(100_000);

const partitionSchema = z.discriminatedUnion('by', [
  /** Where the topic changes (GAM §3.3, MemORAI §3.1). */
  z.strictObject({ by: z.literal('topic') }),
  /** Coarser and finer partitions of the paper (GAM's partitions; one turn each is its ablation without states). */
  z.strictObject({ by: z.literal('session') }),
  z.strictObject({ by: z.literal('turns'), turns: size }),
  z.strictObject({ by: z.literal('tokens'), tokens: size }),
]);
/** How turns of the buffer are cut into units of consolidation. */
export type Partition = Readonly<z.output<typeof partitionSchema>>;

export const profileSchema = z.strictObject({
  name: z.string().min(1).max(100),
  description: z.string().max(500),
  /** What runs the stages: `local` calls no model. */
  tier: z.enum(TIERS),
  partition: partitionSchema,
  /** How segments are read: `together` in one call (or by the local stages), or by a reader of the caller. */
  reading: z.union([
    z.literal('together'),
    z.custom<ReaderFactory>(
      (value) => typeof value === 'function',
      'must be "together" or a function that makes a segment reader',
    ),
  ]),
  /** Whether turns are judged; without the gate all are kept. */
  gate: z.boolean(),
  /** Whether a model checks what was read and searches for what was missed. */
  reflection: z.boolean(),
  /**
   * How names are resolved to entities: by judged candidates, or by equal names only. `judged-first`: before summaries
   * and facts are read, which are then read for the entities of memory (Mnemis §2.1); each unit is read and written
   * before the next one. Needs a reader that calls `ReadOptions.resolve`.
   */
  resolution: z.enum(['judged', 'judged-first', 'exact']),
  /** Whether a model writes the profiles of entities; else rules build them from descriptions and facts. */
  describes: z.boolean(),
  /** Whether and how segments are linked to their nearest ones (GAM §3.3). Only topic recipes follow these links. */
  relates: z.enum(RELATORS),
  /** Whether newer facts end older ones (PersonalAI, "Graph Construction"); tier `local` always applies rules. */
  supersedes: z.enum(SUPERSEDERS),
  /** Whether and how the category hierarchy is maintained (Mnemis §2.2). */
  hierarchy: z.enum(CATEGORIZERS),
  /** Number of segments of a session that share the calls of resolution, description and relation; null: all. */
  together: size.nullable(),
});

/** A way of writing memory, as data: which implementation runs each stage. */
export type IngestProfile = Readonly<z.output<typeof profileSchema>>;

export const DEFAULT_LOCAL_PROFILE = 'local';
export const DEFAULT_LLM_PROFILE = 'default';

/** One call for a session's segments, which replaces many calls of the papers' methods. */
const TOGETHER: Omit<IngestProfile, 'name' | 'description'> = {
  tier: 'llm',
  partition: { by: 'topic' },
  reading: 'together',
  gate: true,
  reflection: false,
  resolution: 'judged',
  describes: true,
  relates: 'rules',
  supersedes: 'rules',
  hierarchy: 'model',
  together: null,
};

/** No model reads. */
const BY_RULES: Omit<IngestProfile, 'name' | 'description'> = {
  ...TOGETHER,
  tier: 'local',
  describes: false,
  hierarchy: 'rules',
};

/** The profiles that a program may name; those of the papers are in `eval/papers/profiles.ts`. */
export const INGEST_PROFILES: readonly IngestProfile[] = [
  {
    ...BY_RULES,
    name: 'local',
    description: 'no model: topics, gate, facts and summaries by rules; segments related by similarity',
  },
  {
    ...BY_RULES,
    name: 'mixed',
    description: 'for a small model: rules read turns, the model names categories',
    hierarchy: 'model',
  },
  {
    ...TOGETHER,
    name: 'default',
    description: 'a model reads the topics of a session in one call, then names, profiles and categories',
  },
  {
    ...TOGETHER,
    name: 'default-reflection',
    description:
      'default, and a model checks what was read, adds what was missed (Mnemis §2.1) and decides what is outdated',
    reflection: true,
    supersedes: 'model',
  },
];

/** Finds one of `INGEST_PROFILES` by a name that a user gave. @throws UnknownNameError, which lists the names. */
export function profileNamed(name: string): IngestProfile {
  const profile = INGEST_PROFILES.find((candidate) => candidate.name === name);
  if (profile !== undefined) return profile;
  throw new UnknownNameError(
    'ingest profile',
    name,
    INGEST_PROFILES.map((candidate) => candidate.name),
  );
}
