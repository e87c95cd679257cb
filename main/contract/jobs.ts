import { z } from 'zod';
import { options } from '../../src/model/options.ts';
import { appId, atMilliseconds, scope } from './common.ts';
import { call, endless } from './method.ts';

/** The most bytes of one part of an upload. */
export const MOST_PART_BYTES = 4_000_000;

const importSettings = z.strictObject({
  /** The name of an importer; default: detected. */
  format: z.string().max(60).optional(),
  /** The user's name, for formats that do not say it. */
  me: z.string().trim().min(1).max(200).optional(),
  /**
   * The speaker of the file who is the user. Their turns carry the user's name in memory, which this speaker gives where
   * there is none yet.
   */
  speaker: z.string().min(1).max(100).optional(),
  timeZone: z.string().max(100).optional(),
  dateOrder: z.enum(['auto', 'day-first', 'month-first', 'year-first']).optional(),
  branches: z.enum(['active', 'all']).optional(),
  /** Whether chats are read that their source marks as temporary or as not to be remembered. Default false. */
  includeTemporary: z.boolean().optional(),
});

const namedCount = z.object({ name: z.string(), turns: z.number() });

/** What a model is expected to take; `seconds` and `dollars` are null where they are unknown. */
export const estimateSchema = z.object({
  calls: z.number(),
  tokens: z.number(),
  seconds: z.number().nullable(),
  dollars: z.number().nullable(),
});

const importPreviewSchema = z.object({
  upload: z.string(),
  name: z.string(),
  bytes: z.number(),
  format: z.string(),
  /** The evidence for the format. */
  because: z.string(),
  conversations: z.number(),
  turns: z.number(),
  /** Turns that memory has already. */
  known: z.number(),
  from: atMilliseconds.nullable(),
  to: atMilliseconds.nullable(),
  speakers: z.array(namedCount.extend({ role: z.string() })),
  largest: z.array(namedCount),
  leftOut: z.array(z.object({ reason: z.string(), count: z.number() })),
  rejected: z.array(z.object({ reason: z.string(), count: z.number() })),
  notes: z.array(z.string()),
  /** Estimated cost of reading for facts, by tier. */
  cost: z.object({
    local: z.object({ seconds: z.number() }),
    /** Null if no model is set. */
    llm: estimateSchema.nullable(),
  }),
});
export type ImportPreviewReply = z.output<typeof importPreviewSchema>;

export const jobSchema = z.object({
  id: z.string(),
  /**
   * `import`: turns of a file. `pull`: files of a model. `move`: vectors to another embedder. `backup`: a copy of the
   * memory. `restore`: the memory from a backup. `archive`: a scope from an export.
   */
  kind: z.enum(['import', 'pull', 'move', 'backup', 'restore', 'archive']),
  /** Name of the file, model or backup. */
  name: z.string(),
  /** Of an import or an export that is read. */
  scope: z.string().nullable(),
  state: z.enum(['waiting', 'running', 'paused', 'done', 'failed', 'cancelled']),
  /** The job that runs before it, where it waits for one: imports into one memory follow one another. */
  waitsFor: z.string().nullable(),
  /** What it is doing, such as `storing` and `enriching`. */
  phase: z.string(),
  /** From 0 to 1. */
  share: z.number(),
  /** Estimated; null if unknown. */
  secondsToGo: z.number().nullable(),
  /** What was done so far: turns, facts, bytes and so on. */
  counts: z.record(z.string(), z.number()),
  /** Why it failed or what a cancellation kept; null otherwise. */
  problem: z.string().nullable(),
  startedAt: atMilliseconds,
  endedAt: atMilliseconds.nullable(),
});
export type Job = z.output<typeof jobSchema>;

export const jobMethods = {
  /** Begins the upload of a file; its parts follow in order. An upload that is not used within a day is deleted. */
  beginUpload: call(
    'writes',
    z.strictObject({
      upload: appId,
      /** The file's own name, without a path. */
      name: z.string().min(1).max(255),
      bytes: z.number().int().min(0).max(20e9),
      /** When the file was last changed: the date of a document that has none. */
      modifiedAt: atMilliseconds.min(0).max(8.64e15).optional(),
    }),
    z.object({ upload: z.string() }),
  ),
  /** Appends to an upload. A part that was received already is accepted again. */
  uploadPart: call(
    'writes',
    z.strictObject({
      upload: appId,
      /** In bytes. */
      offset: z.number().int().min(0),
      /** Base64. */
      data: z.string().max(Math.ceil(MOST_PART_BYTES / 3) * 4),
    }),
    z.object({ received: z.number(), isComplete: z.boolean() }),
  ),
  deleteUpload: call('writes', z.strictObject({ upload: appId }), z.object({ upload: z.string() })),
  /** What an import of the upload would add, and cost; stores nothing. */
  previewUpload: call(
    'reads',
    z.strictObject({ upload: appId, scope, settings: importSettings.optional() }),
    importPreviewSchema,
  ),
  /** A memory to play with, in a scope of its own: created at the first call, then returned. */
  sample: call(
    'writes',
    z.strictObject({}),
    z.object({ scope: z.string(), turns: z.number(), questions: z.array(z.string()) }),
  ),
  /** Names and descriptions of the formats. */
  importFormats: call(
    'reads',
    z.strictObject({}),
    z.object({ items: z.array(z.object({ name: z.string(), description: z.string() })) }),
  ),
  /** Imports an upload as a job, which continues without the client and after a restart. */
  startImport: call(
    'writes',
    z.strictObject({
      job: appId,
      upload: appId,
      scope,
      settings: importSettings.optional(),
      /** Whether to read the turns for facts. Default true. */
      enrich: z.boolean().optional(),
      tokenBudget: options.tokenBudget.optional(),
    }),
    jobSchema,
  ),
  /** Downloads a model as a job. */
  startPull: call('writes', z.strictObject({ job: appId, name: z.string().min(1).max(200) }), jobSchema),
  /** Moves the vectors to another embedder as a job, and sets it. */
  startMove: call('writes', z.strictObject({ job: appId, embedder: z.string().min(1).max(200) }), jobSchema),
  /** Jobs that run or wait, and those that ended in the last month; the newest first. */
  jobs: call('reads', z.strictObject({}), z.object({ items: z.array(jobSchema) })),
  /** A job now and after each step; ends with the job. Leaving it leaves the job running. */
  followJob: endless('reads', z.strictObject({ job: appId }), jobSchema),
  /**
   * `pause` and `cancel` keep what was done; `resume` continues a paused job, or one that failed and can be tried again;
   * `dismiss` removes an ended job from the list.
   */
  controlJob: call(
    'writes',
    z.strictObject({ job: appId, action: z.enum(['pause', 'resume', 'cancel', 'dismiss']) }),
    jobSchema,
  ),
} as const;
