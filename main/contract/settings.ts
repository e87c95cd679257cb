import { z } from 'zod';
import { atMilliseconds, boundedCount } from './common.ts';
import { estimateSchema } from './jobs.ts';
import { call, resumed } from './method.ts';

/** Entries of a record of preferences. */
const MOST_ENTRIES = 200;
const isSmall = (entries: object): boolean => Object.keys(entries).length <= MOST_ENTRIES;
const TOO_MANY = `At most ${MOST_ENTRIES} entries`;

const preferenceShape = {
  theme: z.enum(['system', 'light', 'dark']),
  /** The user's name in memory. */
  name: z.string().trim().max(100),
  /** Ask before an exchange is remembered. */
  confirm: z.boolean(),
  /** New conversations begin in private mode. */
  isPrivate: z.boolean(),
  /** `enter` sends with Enter, `modifier` with Ctrl or Cmd and Enter. */
  send: z.enum(['enter', 'modifier']),
  /** Key combinations by command; an empty text turns one off. */
  shortcuts: z.record(z.string().max(60), z.string().max(60)).refine(isSmall, TOO_MANY),
  /** Whether the first steps were completed or skipped. */
  isWelcomed: z.boolean(),
  /** Prices in dollars for a million tokens, by model, for the cost in `usage`. */
  prices: z
    .record(z.string().max(200), z.object({ prompt: z.number().min(0), completion: z.number().min(0) }))
    .refine(isSmall, TOO_MANY),
  backups: z.object({
    /** Absolute path of the folder with the backups; empty: beside the memory. */
    folder: z.string().trim().max(2_000),
    /** How often one is made without being asked for. */
    every: z.enum(['off', 'daily', 'weekly']),
    /** How many of these are kept. */
    keep: z.number().int().min(1).max(100),
  }),
};

/** Choices of a person that change nothing in memory. */
export const preferencesSchema = z.object({
  theme: preferenceShape.theme.default('system'),
  name: preferenceShape.name.default(''),
  confirm: preferenceShape.confirm.default(false),
  isPrivate: preferenceShape.isPrivate.default(false),
  send: preferenceShape.send.default('enter'),
  shortcuts: preferenceShape.shortcuts.default({}),
  isWelcomed: preferenceShape.isWelcomed.default(false),
  prices: preferenceShape.prices.default({}),
  backups: preferenceShape.backups.default({ folder: '', every: 'off', keep: 5 }),
});
export type Preferences = z.output<typeof preferencesSchema>;

/** Without defaults: these would reset what a change does not name. */
const changedPreferences = z.strictObject(preferenceShape).partial();

/** A setting as `mnemis config` shows it. */
const settingSchema = z.object({
  value: z.union([
    z.string(),
    z.number(),
    z.boolean(),
    z.null(),
    z.array(z.unknown()),
    z.record(z.string(), z.unknown()),
  ]),
  /** Flags and the environment override the file: such a setting cannot be changed here. */
  source: z.enum(['flag', 'environment', 'file', 'default']),
  description: z.string(),
});

/** What a form has to know of a setting or preference: its JSON Schema, as far as forms use it. */
export const formFieldSchema = z.object({
  type: z.enum(['string', 'integer', 'boolean', 'array', 'object']),
  enum: z.array(z.string()).optional(),
  maxLength: z.number().optional(),
});
export type FormField = z.output<typeof formFieldSchema>;

const settingsSchema = z.object({
  /** By key of `mnemis.config.json`. */
  settings: z.record(z.string(), settingSchema),
  preferences: preferencesSchema,
  /** By key of a setting or a preference; `backups.every` is a part of one. */
  fields: z.record(z.string(), formFieldSchema),
  /** The settings file that `saveSettings` writes. */
  file: z.string(),
  key: z.object({
    /** Where the language model's key is kept. */
    storage: z.enum(['environment', 'system']),
    /** The environment variable that holds it. */
    variable: z.string(),
    isSet: z.boolean(),
  }),
  folders: z.object({ memory: z.string(), models: z.string(), data: z.string() }),
  /** Bytes on disk of the memory, with its indexes and conversations. */
  bytes: z.number(),
  /**
   * Addresses that this configuration sends text to, without paths; empty: no text leaves the engine. Downloads of
   * models are not listed: they happen on request only and send no text.
   */
  sends: z.array(z.object({ to: z.string(), what: z.string(), isThisMachine: z.boolean() })),
});
export type Settings = z.output<typeof settingsSchema>;

/** The endpoint of a language model, to be tried before it is saved. */
const endpoint = z.strictObject({
  provider: z.enum(['openai', 'openai-compatible', 'ollama']),
  baseUrl: z.string().max(2_000).optional(),
  model: z.string().max(200).optional(),
});

const embedderSchema = z.object({
  /** As in the setting `embedder` or `reranker`. */
  name: z.string(),
  kind: z.enum(['embedder', 'reranker']),
  dimension: z.number().nullable(),
  megabytes: z.number(),
  licence: z.string(),
  isBundled: z.boolean(),
  isInstalled: z.boolean(),
  /** The configured one. */
  isUsed: z.boolean(),
});
export type EmbedderEntry = z.output<typeof embedderSchema>;

const usageItemSchema = z.object({
  kind: z.enum(['import', 'question', 'other']),
  /** Of the job or of the answer; of a day of background reading, the ISO date. */
  id: z.string(),
  /** Name of the file, or title of the conversation; null where it is no longer known. */
  name: z.string().nullable(),
  /** Of an answer. */
  conversation: z.string().nullable(),
  at: atMilliseconds,
  /** Null where no model was asked. */
  model: z.string().nullable(),
  calls: z.number(),
  promptTokens: z.number(),
  completionTokens: z.number(),
  /** Null for what was recorded before times were. */
  milliseconds: z.number().nullable(),
  /** Dollars by the prices of now: 0 without a model, null if the model has no price. */
  cost: z.number().nullable(),
  /** Of an import, as its preview expected it; null if there was none. */
  estimate: estimateSchema.nullable(),
});
export type UsageItem = z.output<typeof usageItemSchema>;

export const settingsMethods = {
  settings: call('reads', z.strictObject({}), settingsSchema),
  /**
   * Writes settings to the file, and preferences. Null restores a default. Settings are checked together, as for
   * opening the engine; if one is refused, nothing is written. With `restarts` the engine stops after its reply and
   * opens with the new settings; running jobs continue there. Else changed settings show once it is opened again.
   */
  saveSettings: call(
    'writes',
    z.strictObject({
      settings: z.record(z.string().max(60), z.unknown()).optional(),
      preferences: changedPreferences.optional(),
    }),
    z.object({ settings: settingsSchema, restarts: z.boolean() }),
  ),
  /** Stores the language model's key in the system's secure storage, or removes it; refused where there is none. */
  saveKey: call(
    'writes',
    z.strictObject({ key: z.string().max(500).nullable() }),
    z.object({ isSet: z.boolean(), restarts: z.boolean() }),
  ),
  /** Models that an endpoint offers. */
  endpointModels: call('reads', endpoint, z.object({ models: z.array(z.string()) })),
  /** Asks a model one tiny question. */
  testModel: call(
    'reads',
    endpoint,
    z.object({ model: z.string(), isCorrect: z.boolean(), milliseconds: z.number(), note: z.string() }),
  ),
  /** Embedders and rerankers, bundled and installable. */
  embedders: call(
    'reads',
    z.strictObject({}),
    z.object({
      items: z.array(embedderSchema),
      /** The model that came with the app, where memory uses the table instead, and why it does not run here, if so. */
      unused: z.object({ name: z.string(), problem: z.string().nullable() }).nullable(),
    }),
  ),
  /** Compares the files of an installed model with their checksums. */
  verifyEmbedder: call(
    'reads',
    z.strictObject({ name: z.string().min(1).max(200) }),
    z.object({ name: z.string(), isWhole: z.boolean().nullable(), damaged: z.array(z.string()) }),
  ),
  removeEmbedder: call(
    'removes',
    z.strictObject({ name: z.string().min(1).max(200) }),
    z.object({ name: z.string(), bytes: z.number() }),
  ),
  /** Totals of model use by day and model, the newest first. */
  usage: call(
    'reads',
    z.strictObject({ days: boundedCount(366).optional() }),
    z.object({
      rows: z.array(
        z.object({
          /** ISO date. */
          day: z.string(),
          model: z.string(),
          purpose: z.enum(['chat', 'reading', 'other']),
          calls: z.number(),
          promptTokens: z.number(),
          completionTokens: z.number(),
          /** Dollars; null if the model has no price. */
          cost: z.number().nullable(),
        }),
      ),
    }),
  ),
  /**
   * What each import and answer used, with its time: also those that asked no model. A deleted conversation takes its
   * answers along; `usage` still counts them.
   */
  usageItems: call(
    'reads',
    z.strictObject({
      kind: z.enum(['import', 'question', 'other']),
      days: boundedCount(3_660).optional(),
      /** Default `newest`; the others begin with the largest. */
      sort: z.enum(['newest', 'cost', 'tokens', 'time']).optional(),
      limit: boundedCount(200).optional(),
      skip: z.number().int().min(0).max(1e9).optional(),
    }),
    z.object({ items: z.array(usageItemSchema), more: z.boolean() }),
  ),
  /**
   * What happens in the app, for every window: endless. Each event names what changed; the window asks for it again.
   */
  appEvents: resumed(
    'reads',
    z.strictObject({}),
    z.union([
      /** First, and after each restart of the engine. */
      z.object({ type: z.literal('engine'), started: z.number(), pid: z.number() }),
      z.object({ type: z.literal('conversation'), conversation: z.string(), isDeleted: z.boolean() }),
      z.object({ type: z.literal('folders') }),
      z.object({ type: z.literal('settings') }),
      z.object({ type: z.literal('job'), job: z.string() }),
      /** Background reading: turns of the scope that wait to be read for facts, and whether they are being read. */
      z.object({
        type: z.literal('reading'),
        scope: z.string(),
        pending: z.number(),
        isReading: z.boolean(),
      }),
    ]),
  ),
} as const;
