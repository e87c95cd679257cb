import { z } from 'zod';
import { backupMethods } from './contract/backup.ts';
import { browseMethods } from './contract/browse.ts';
import { chatMethods } from './contract/chat.ts';
import { errorReasonSchema } from './contract/common.ts';
import { conversationMethods } from './contract/conversations.ts';
import { inputs } from './contract/inputs.ts';
import { jobMethods } from './contract/jobs.ts';
import { knowledgeMethods } from './contract/knowledge.ts';
import { type Call, call, endless, type Stream, stream } from './contract/method.ts';
import { events, outputs } from './contract/outputs.ts';
import { reviewMethods } from './contract/review.ts';
import { settingsMethods } from './contract/settings.ts';
import { timelineMethods } from './contract/timeline.ts';
import { toolMethods } from './contract/tools.ts';

export { asksForModel } from '../src/model/fixed-replies.ts';
export { firstImage, imageId } from '../src/model/image-uri.ts';
export type { BackupEntry, RestorePreview } from './contract/backup.ts';
export type * from './contract/browse.ts';
export type * from './contract/chat.ts';
export { MOST_ATTACHMENT_BYTES, MOST_IMAGE_BYTES } from './contract/chat.ts';
export { type ErrorReason, errorReasonSchema } from './contract/common.ts';
export type * from './contract/conversations.ts';
export { MOST_TURNS } from './contract/inputs.ts';
export { type ImportPreviewReply, type Job, MOST_PART_BYTES } from './contract/jobs.ts';
export type * from './contract/knowledge.ts';
export type { Call, Effect, Stream } from './contract/method.ts';
export type * from './contract/outputs.ts';
export type * from './contract/review.ts';
export type {
  EmbedderEntry,
  FormField,
  LocalModel,
  Preferences,
  Settings,
  UsageItem,
} from './contract/settings.ts';
export type * from './contract/timeline.ts';
export {
  HIDDEN,
  type ToolCall,
  type ToolEntry,
  type ToolServer,
  type ToolServerInput,
} from './contract/tools.ts';

/** Incremented by each change that breaks older clients. */
export const PROTOCOL = 1;

/** What an assistant needs beside memory: conversations, chat, jobs, settings. `main/assistant` carries these out. */
export const appMethods = {
  ...conversationMethods,
  ...chatMethods,
  ...knowledgeMethods,
  ...reviewMethods,
  ...jobMethods,
  ...backupMethods,
  ...settingsMethods,
  ...toolMethods,
} as const;
export type AppMethod = keyof typeof appMethods;

/**
 * Every request that an app can send to an engine, over any transport: within a process, over loopback HTTP, or between
 * the processes of the desktop app. Inputs are strict and plain JSON, replies and events are JSON too. Every method but
 * `health`, `scopes`, `compact`, `verify`, `backup` and `shutdown` works on one scope and sees no other.
 *
 * At run time this file depends on neither Node.js nor the engine, so a browser can load it.
 */
export const contract = {
  /** Version, memory and state of the engine. */
  health: call('reads', inputs.nothing, outputs.health),
  /** Scopes with content. */
  scopes: call('reads', inputs.nothing, outputs.scopes),
  /** Number of rows of each kind, and of turns that wait to be read for facts. */
  stats: call('reads', inputs.stats, outputs.stats),
  /** Stores turns; when it replies, they are on disk and searchable. */
  add: call('writes', inputs.add, outputs.add),
  /** Stores facts that the caller extracted; their evidence turns must be stored already. */
  addFacts: call('writes', inputs.addFacts, outputs.addFacts),
  /** Returns what `add` would do with turns; stores nothing. */
  preview: call('reads', inputs.add, outputs.add),
  /** Reads waiting turns for facts, as at the end of a session. `resume` does the same and reports progress. */
  flush: call('writes', inputs.flush, outputs.flush),
  /** Ranked evidence for a question, and in `routes` a trace of each route, such as the walk down the categories. */
  search: call('reads', inputs.search, outputs.search),
  /** What memory holds on a question, as one block of text for a prompt, with its numbered sources. */
  context: call('reads', inputs.context, outputs.context),
  /** Events: `found`, then pieces of `text`, at last the whole `answer`, which replaces the pieces. */
  ask: stream('reads', inputs.ask, events.ask),
  /** The category hierarchy, or what is below one category; the children of the lowest ones are entities. */
  tree: call('reads', inputs.tree, outputs.tree),
  /**
   * State of the category hierarchy: its layers, entities without a category, and whether a rebuild is worth its cost.
   */
  hierarchy: call('reads', inputs.inScope, outputs.hierarchy),
  /** Places entities without a category; `done` is last. Placed nodes stay if it ends early; the next run continues. */
  updateHierarchy: stream('writes', inputs.organize, events.organize),
  /**
   * Groups all entities again, layer by layer; categories with the same name keep their ids. Else as `updateHierarchy`.
   */
  rebuildHierarchy: stream('writes', inputs.organize, events.organize),
  /** Updates the summaries of categories whose content has changed; `done` is last. */
  refreshSummaries: stream('writes', inputs.refreshSummaries, events.refreshSummaries),
  /** The history of an entity: its profiles and facts, page by page. */
  entity: call('reads', inputs.entity, outputs.entity),
  /** Turns by id, in the order of the request; ids that the scope does not have are omitted. */
  episodes: call('reads', inputs.episodes, outputs.episodes),
  /** The origin of a fact, with its evidence turns. */
  fact: call('reads', inputs.fact, outputs.fact),
  /** Stores many turns and reads them for facts; `done` is last. */
  import: stream('writes', inputs.import, events.import),
  /** The whole scope as lines that `mnemis restore` reads; the client writes the file. `done` is last. */
  export: stream('reads', inputs.inScope, events.export),
  /** Continues reading waiting turns for facts; `done` is last. */
  resume: stream('writes', inputs.resume, events.resume),
  /**
   * What memory stored, learned, superseded, corrected and forgot; endless, unless `follow` is false or `missed` ends
   * it.
   */
  changes: endless('reads', inputs.changes, events.changes),
  /** What `forget` with the same target would delete. */
  previewForget: call('reads', inputs.previewForget, outputs.previewForget),
  /** Forgets permanently; `done` is last. After its first step, a run completes even if the client disconnects. */
  forget: stream('removes', inputs.forget, events.forget),
  /** Removes the scope with its name, tombstones and records; `done` is last. Repeat an interrupted run. */
  deleteScope: stream('removes', inputs.inScope, events.forget),
  /**
   * Completes interrupted forgetting and removes turns past their retention. Removals before a cancellation are
   * permanent.
   */
  maintain: call('removes', inputs.maintain, outputs.maintain),
  /** Rewrites the whole memory, so that forgotten text is erased from the disk; `done` is last. */
  compact: stream('removes', inputs.nothing, events.compact),
  /** Checks every row, relationship and vector of the whole memory; changes nothing. Writes wait until it ends. */
  verify: call('reads', inputs.nothing, outputs.verify),
  /** Copies the whole memory into a new folder of the engine's machine, while it is in use. */
  backup: call('writes', inputs.backup, outputs.backup),
  /** Makes a correction of a fact, a profile or an entity's identity, or undoes one. */
  correct: call('writes', inputs.correct, outputs.correct),
  /** Corrections, the newest first. */
  corrections: call('reads', inputs.corrections, outputs.corrections),
  /** Pairs of entities that may be the same, the likeliest first, for `correct` to merge or keep apart. */
  uncertain: call('reads', inputs.inScope, outputs.uncertain),
  /** Stops the engine once running requests are complete. Rejected if the engine runs in the caller's own process. */
  shutdown: call('writes', inputs.nothing, outputs.shutdown),

  ...browseMethods,
  ...timelineMethods,
  ...appMethods,
} as const;

type Contract = typeof contract;
/** A method of an engine. */
export type MethodName = keyof Contract;
/** What a method takes. */
export type InputOf<Name extends MethodName> = z.input<Contract[Name]['input']>;
/** The reply of a call, or one event of a stream. */
export type OutputOf<Name extends MethodName> =
  Contract[Name] extends Call<z.ZodType, infer Output>
    ? z.output<Output>
    : Contract[Name] extends Stream<z.ZodType, infer Event>
      ? z.output<Event>
      : never;

/** How a request is made. */
export interface RequestOptions {
  /** Cancels the work, not only the waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** One method: a promise of the reply, or a stream of events. Leaving the stream early cancels the work. */
export type ClientMethod<Name extends MethodName> = Contract[Name]['kind'] extends 'call'
  ? (input: InputOf<Name>, options?: RequestOptions) => Promise<OutputOf<Name>>
  : (input: InputOf<Name>, options?: RequestOptions) => AsyncGenerator<OutputOf<Name>, void>;

/**
 * An engine as an app sees it. All implementations pass `test/contract/memory-client.ts`. Each method throws
 * MnemisErrors: with the engine's codes, `invalid-input` for an input that does not fit the contract, and `internal`
 * for an unexpected failure.
 */
export type MemoryClient = { readonly [Name in MethodName]: ClientMethod<Name> } & {
  /** Releases the engine. Stops it only if it was opened for this client. */
  close(): Promise<void>;
};

/** An error in transit. The message is for people: what failed, what was kept, what to do; it never quotes a turn. */
export const wireErrorSchema = z.object({
  code: z.string().min(1).max(100),
  message: z.string().max(10_000),
  reason: errorReasonSchema.optional().catch(undefined),
});
export type WireError = z.infer<typeof wireErrorSchema>;

export function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(contract, name);
}
