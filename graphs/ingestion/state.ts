import { z } from 'zod';
import { INGEST_PROFILES } from '../../src/ingest/profile.ts';
import { TRIGGERS } from '../../src/ingest/segment/plan-units.ts';
import { TIERS } from '../../src/model/options.ts';
import { NO_USAGE } from '../../src/model/retrieved-item.ts';
import { channel, threadScope } from '../channels.ts';
import { commonContextShape, usageSchema } from '../run-context.ts';

/** The context of a run; `profiles` are the names that it may give. */
export function ingestionContext(profiles: readonly string[] = INGEST_PROFILES.map(({ name }) => name)) {
  return z.object({
    ...commonContextShape,
    profile: z
      .enum(profiles as readonly [string, ...string[]])
      .optional()
      .meta({ title: 'Profile', description: 'How turns are read. Default: that of the memory.' }),
    tier: z.enum(TIERS).optional().meta({
      title: 'Tier',
      description: 'local: rules only; llm: a language model. Default: that of the profile.',
    }),
  });
}

const count = (title: string, description: string) =>
  channel(z.number().int().meta({ title, description }), () => 0);

/** Items are checked one by one, as by `add`: one that is not valid is rejected, and the others are stored. */
const turn = z.unknown().meta({
  type: 'object',
  required: ['content', 'at'],
  properties: {
    content: { type: 'string' },
    at: { type: 'string', description: 'When it was said, such as 2026-03-02T09:00:00Z' },
    speaker: { type: 'string' },
    session: { type: 'string' },
  },
});

const unitSchema = z.object({
  session: z.string(),
  trigger: z.enum(TRIGGERS).meta({ description: 'What completed the unit' }),
  episodes: z.array(z.string()).meta({ description: 'The ids of its turns, in order' }),
});
/** Turns that become one segment, by reference. */
export type UnitReference = z.infer<typeof unitSchema>;

const outcomesSchema = z.object({
  added: z.number(),
  known: z.number(),
  superseding: z.number(),
  rejected: z.number(),
  reasons: z
    .array(z.object({ turn: z.number(), reason: z.string() }))
    .meta({ description: 'Of the first rejected turns; turn is the position in the input' }),
});
export type Outcomes = z.infer<typeof outcomesSchema>;

const readingSchema = z.object({
  kept: z.number().meta({ description: 'Turns that are worth remembering' }),
  dropped: z.number().meta({ description: 'Turns without lasting content; they stay searchable' }),
  setAside: z.number().meta({ description: 'Turns that could not be read' }),
  keywords: z.array(z.string()).meta({ description: 'Of the first segments, one line each' }),
});
export type ReadingReport = z.infer<typeof readingSchema>;

const resolutionSchema = z.object({
  created: z.number().meta({ description: 'Entities that are new' }),
  known: z.number().meta({ description: 'Entities that memory knew' }),
  createdNames: z.array(z.string()).meta({ description: 'The first of them' }),
  knownNames: z.array(z.string()).meta({ description: 'The first of them' }),
});
export type ResolutionReport = z.infer<typeof resolutionSchema>;

const builtSchema = z.object({
  segments: z.number(),
  entities: z.number(),
  facts: z.number(),
  repeated: z.number().meta({ description: 'Stored facts that got new evidence' }),
  outdated: z.number().meta({ description: 'Facts that newer ones ended or corrected' }),
  statements: z.array(z.string()).meta({ description: 'The first new facts' }),
});
export type BuiltReport = z.infer<typeof builtSchema>;

const waitingSchema = z.object({
  turns: z.number(),
  sessions: z.number(),
  examples: z.array(z.string()).meta({ description: 'Names of the first sessions' }),
});
export type Waiting = z.infer<typeof waitingSchema>;

const NO_SETTINGS = { profile: null, tier: null, tokenBudget: null, ended: false, sessions: null };

/**
 * The state of the ingestion graph: small values. Turns are named by their ids, and what a node computes for a batch
 * is found, or computed again, from these ids; so a run can be resumed, replayed and forked at any node.
 */
export const ingestionState = z.object({
  scope: threadScope,
  turns: z.array(turn).optional().meta({
    title: 'Turns',
    description: 'New turns to store. Without any, waiting turns are consolidated.',
  }),
  ended: z.boolean().optional().meta({
    title: 'Ended',
    description: 'Whether sessions end here, which consolidates all their turns',
  }),
  sessions: z.array(z.string()).optional().meta({
    title: 'Sessions',
    description: 'Only these. Default: those of the new turns; without turns or where sessions end, all.',
  }),
  settings: channel(
    z
      .object({
        profile: z.string().nullable(),
        tier: z.enum(TIERS).nullable(),
        tokenBudget: z.number().nullable(),
        ended: z.boolean(),
        sessions: z.array(z.string()).nullable(),
      })
      .meta({ title: 'Settings', description: 'Set by buffer from the context and the input' }),
    () => NO_SETTINGS,
  ),
  outcomes: channel(
    outcomesSchema.nullable().meta({ title: 'Outcomes', description: 'What became of the new turns' }),
    () => null,
  ),
  units: channel(
    z.array(unitSchema).meta({ title: 'Units', description: 'Complete units that are not in work yet' }),
    () => [],
  ),
  batch: channel(z.array(unitSchema).meta({ title: 'Batch', description: 'The units in work' }), () => []),
  oneByOne: channel(
    z.boolean().meta({
      title: 'One by one',
      description: 'After a defect: each unit is a batch, so that only the failing one is set aside',
    }),
    () => false,
  ),
  staleness: count('Staleness', 'How often memory changed while the batch was in work'),
  reading: channel(
    readingSchema.nullable().meta({ title: 'Reading', description: 'The last batch that was read' }),
    () => null,
  ),
  resolution: channel(
    resolutionSchema
      .nullable()
      .meta({ title: 'Resolution', description: 'The last batch whose names were resolved' }),
    () => null,
  ),
  built: channel(
    builtSchema.nullable().meta({ title: 'Built', description: 'What the last batch writes' }),
    () => null,
  ),
  consolidated: count('Consolidated', 'Turns that became part of a segment'),
  segments: count('Segments', 'New segments'),
  entities: count('Entities', 'New entities'),
  facts: count('Facts', 'New facts'),
  repeated: count('Repeated', 'Stored facts for which new turns added evidence'),
  outdated: count('Outdated', 'Facts, stored or new, that newer ones have ended or corrected'),
  setAside: count('Set aside', 'Turns that could not be consolidated'),
  waiting: channel(
    waitingSchema.nullable().meta({
      title: 'Waiting',
      description: 'Turns that wait for their topic to be complete; known when the run ends',
    }),
    () => null,
  ),
  usage: channel(
    usageSchema.meta({ title: 'Usage', description: 'What the language model cost in this run' }),
    () => NO_USAGE,
  ),
  stopped: channel(
    z.string().nullable().meta({
      title: 'Stopped',
      description: 'Why the run ended early, in one sentence; the remaining turns wait',
    }),
    () => null,
  ),
  stoppedCode: channel(
    z.string().nullable().meta({ title: 'Stopped by', description: 'The code of that error' }),
    () => null,
  ),
});
export type IngestionState = z.infer<typeof ingestionState>;
/** What a node changes. */
export type IngestionUpdate = Partial<IngestionState>;

export const ingestionInput = ingestionState.pick({ turns: true, ended: true, sessions: true });

export const ingestionOutput = ingestionState.pick({
  outcomes: true,
  consolidated: true,
  segments: true,
  entities: true,
  facts: true,
  repeated: true,
  outdated: true,
  setAside: true,
  waiting: true,
  usage: true,
  stopped: true,
  stoppedCode: true,
});
