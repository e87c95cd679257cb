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
  /** Whether a new chat shows what is ahead, and what this day was in earlier years. */
  reminds: z.boolean(),
  /** Whether screens show what developers of memory need: the comparison of recipes, and all that was not read. */
  developer: z.boolean(),
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
  reminds: preferenceShape.reminds.default(true),
  developer: preferenceShape.developer.default(false),
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
    /** Where keys are stored: in the system's secure storage, or in a file that only this user may read. */
    storage: z.enum(['file', 'system']),
    /** The path of that file. */
    file: z.string(),
    /** The environment variable whose key goes before the stored ones. */
    variable: z.string(),
    isInEnvironment: z.boolean(),
    /** Whether the configured model has a key. */
    isSet: z.boolean(),
    /** By the origin of the server, such as `https://api.openai.com`: the end of its key, four characters at most. */
    stored: z.record(z.string(), z.string().max(4)),
  }),
  folders: z.object({ memory: z.string(), models: z.string(), data: z.string() }),
  /** Bytes on disk of the memory, with its indexes and conversations. */
  bytes: z.number(),
  /**
   * Addresses that this configuration sends text to, without paths; empty: no text leaves the engine. Downloads of
   * models are not listed: they happen on request only and send no text.
   */
  sends: z.array(z.object({ to: z.string(), what: z.string(), isThisMachine: z.boolean() })),
  /** Of another device: the methods that its token allows. It is told no other setting than the scope of new chats. */
  remote: z.object({ methods: z.array(z.string()) }).optional(),
});
export type Settings = z.output<typeof settingsSchema>;

/** The endpoint of a language model, to be tried before it is saved. */
const endpoint = z.strictObject({
  provider: z.enum(['openai', 'openai-compatible', 'ollama', 'local']),
  baseUrl: z.string().max(2_000).optional(),
  /** Of `local` also the path of a `.gguf` file. */
  model: z.string().max(4_096).optional(),
});

const localModelSchema = z.object({
  /** As in the setting `llmModel` with the provider `local`. */
  name: z.string(),
  licence: z.string(),
  languages: z.string(),
  /** The machine that it is for. */
  suits: z.string(),
  /** Whether Mnemis was seen to run with it. */
  isTried: z.boolean(),
  /** Of the download. */
  bytes: z.number(),
  /** With a context of 8,192 tokens, computed. */
  memoryBytes: z.number(),
  isInstalled: z.boolean(),
  /** The configured one. */
  isUsed: z.boolean(),
  /** In memory now. */
  isLoaded: z.boolean(),
  /** `now-tight`: this computer has the memory, but other programs use it now. */
  fit: z.enum(['fits', 'now-tight', 'memory', 'disk']),
  /** As last measured here; null before. */
  speed: z
    .object({
      memoryBytes: z.number(),
      promptTokensPerSecond: z.number().nullable(),
      replyTokensPerSecond: z.number().nullable(),
    })
    .nullable(),
});
export type LocalModel = z.output<typeof localModelSchema>;

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
  /**
   * Stores the key of a language model's server, or removes it; it is sent to that server only. Where the model in use
   * changes with it, the engine restarts. No reply contains a key.
   */
  saveKey: call(
    'writes',
    z.strictObject({ address: z.string().max(2_000), key: z.string().max(500).nullable() }),
    z.object({ isSet: z.boolean(), restarts: z.boolean() }),
  ),
  /** Models that an endpoint offers. */
  endpointModels: call('reads', endpoint, z.object({ models: z.array(z.string()) })),
  /** Asks a model one tiny question, in the most reliable way that its server knows. */
  testModel: call(
    'reads',
    endpoint,
    z.object({
      model: z.string(),
      isCorrect: z.boolean(),
      milliseconds: z.number(),
      /** How its reply was had: in a schema, by a tool, as any JSON, from plain text; `prose`: in no form at all. */
      way: z.enum(['schema', 'tool', 'json', 'plain', 'prose']),
      /** Whether it had to be asked once more. */
      isRepaired: z.boolean(),
    }),
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
  /** Chat models that this computer can run by itself. `startPull` fetches one. */
  localModels: call(
    'reads',
    z.strictObject({}),
    z.object({
      /** The optional package that runs them; `command` installs it, null where the app carries it or not. */
      runtime: z.object({
        isInstalled: z.boolean(),
        version: z.string().nullable(),
        command: z.string().nullable(),
      }),
      /** Bytes: of the whole memory, free, and free on the disk of the models. */
      machine: z.object({ memory: z.number(), freeMemory: z.number(), freeDisk: z.number() }),
      items: z.array(localModelSchema),
      /** The configured `.gguf` file that is none of these. */
      otherFile: z.string().nullable(),
    }),
  ),
  /** Compares the files of an installed model, of any kind, with their checksums. */
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
      z.object({ type: z.literal('tools') }),
      z.object({ type: z.literal('job'), job: z.string() }),
      /** Any program wrote to the scope, or removed from it. */
      z.object({ type: z.literal('memory'), scope: z.string() }),
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
