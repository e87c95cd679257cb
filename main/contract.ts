import { z } from 'zod';
import { inputs } from './contract/inputs.ts';
import { type Call, call, type Stream, stream } from './contract/method.ts';
import { events, outputs } from './contract/outputs.ts';

export { MOST_TURNS } from './contract/inputs.ts';
export type { Call, Effect, Stream } from './contract/method.ts';
export type * from './contract/outputs.ts';

/** Counts up when an app of before could no longer talk to an engine of now. */
export const PROTOCOL = 1;

/**
 * All that an app can ask of an engine, whichever way its requests travel: within a process, over loopback HTTP, or
 * between the processes of the desktop app. Inputs are strict and plain JSON, replies and events are JSON too. Every
 * method but `health`, `scopes`, `compact` and `shutdown` works on one scope and sees no other.
 *
 * This file and what it imports at run time know neither Node.js nor the engine: a browser can load it.
 */
export const contract = {
  /** Which engine this is. */
  health: call('reads', inputs.nothing, outputs.health),
  /** Scopes that hold something. */
  scopes: call('reads', inputs.nothing, outputs.scopes),
  /** Rows of each kind, and turns that wait to be read for facts. */
  stats: call('reads', inputs.stats, outputs.stats),
  /** Remembers turns; once it replies they are on disk and found by `search`. */
  add: call('writes', inputs.add, outputs.add),
  /** Remembers statements that somebody else extracted, with the turns that they rest on, which are there already. */
  addFacts: call('writes', inputs.addFacts, outputs.addFacts),
  /** What `add` would do with turns; nothing is stored. */
  preview: call('reads', inputs.add, outputs.add),
  /** Reads what waits for facts, as at the end of a session. `resume` does the same and tells how far it is. */
  flush: call('writes', inputs.flush, outputs.flush),
  /** Ranked evidence for a question, and in `routes` the ways that it took, the walk down the categories among them. */
  search: call('reads', inputs.search, outputs.search),
  /** `found`, then pieces of `text`, and at last the whole `answer`, which alone counts. */
  ask: stream('reads', inputs.ask, events.ask),
  /** The category hierarchy, or what is below one category; the children of the lowest ones are entities. */
  tree: call('reads', inputs.tree, outputs.tree),
  /** Where the category hierarchy stands: its layers, what waits for a category, whether building it anew would pay. */
  hierarchy: call('reads', inputs.inScope, outputs.hierarchy),
  /** Places what has no category yet; `done` is last. What was placed stays if it ends early, and the next run goes on. */
  updateHierarchy: stream('writes', inputs.organize, events.organize),
  /** Groups everything anew, layer by layer; categories of the same name keep their ids. Else as `updateHierarchy`. */
  rebuildHierarchy: stream('writes', inputs.organize, events.organize),
  /** Writes the summaries anew that no longer tell what is in their category; `done` is last. */
  refreshSummaries: stream('writes', inputs.refreshSummaries, events.refreshSummaries),
  /** What an entity has been called and held to be: profiles and facts, page by page. */
  entity: call('reads', inputs.entity, outputs.entity),
  /** Turns by id, in the order asked; those that the scope does not have are left out. */
  episodes: call('reads', inputs.episodes, outputs.episodes),
  /** How a fact came to be, with the turns that it rests on. */
  fact: call('reads', inputs.fact, outputs.fact),
  /** Stores many turns and reads them for facts; `done` is last. */
  import: stream('writes', inputs.import, events.import),
  /** The whole scope as lines that `mnemis restore` reads; whoever takes them writes the file. `done` is last. */
  export: stream('reads', inputs.inScope, events.export),
  /** Goes on reading for facts what waits; `done` is last. */
  resume: stream('writes', inputs.resume, events.resume),
  /** What memory learned, superseded, was told and forgot; endless unless `follow` is false, or after `missed`. */
  changes: stream('reads', inputs.changes, events.changes),
  /** What `forget` of the same target would take away. */
  previewForget: call('reads', inputs.previewForget, outputs.previewForget),
  /** Forgets for good; `done` is last. A run whose first step is done is completed even if nobody listens any more. */
  forget: stream('removes', inputs.forget, events.forget),
  /** Ends forgetting that broke off, and removes what a rule calls too old. What a cancel comes too late for stays gone. */
  maintain: call('removes', inputs.maintain, outputs.maintain),
  /** Writes the whole memory anew, so that nothing of what was forgotten is left on the disk; `done` is last. */
  compact: stream('removes', inputs.nothing, events.compact),
  /** Puts something right by hand: facts, profiles, who is who; or takes a correction back. */
  correct: call('writes', inputs.correct, outputs.correct),
  /** What was put right by hand, the newest first. */
  corrections: call('reads', inputs.corrections, outputs.corrections),
  /** Pairs of entities that may be one, the likeliest first, for `correct` to merge or keep apart. */
  uncertain: call('reads', inputs.inScope, outputs.uncertain),
  /** Ends the engine once what is under way is done. Refused where the caller's own process runs it. */
  shutdown: call('writes', inputs.nothing, outputs.shutdown),
} as const;

type Contract = typeof contract;
export type MethodName = keyof Contract;
export type InputOf<Name extends MethodName> = z.input<Contract[Name]['input']>;
/** The reply of a call, or one event of a stream. */
export type OutputOf<Name extends MethodName> =
  Contract[Name] extends Call<z.ZodType, infer Output>
    ? z.output<Output>
    : Contract[Name] extends Stream<z.ZodType, infer Event>
      ? z.output<Event>
      : never;

export interface RequestOptions {
  /** Cancels the work, not only the waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** One method: a promise of the reply, or the events as they come. Whoever stops taking events early cancels the work. */
export type ClientMethod<Name extends MethodName> = Contract[Name]['kind'] extends 'call'
  ? (input: InputOf<Name>, options?: RequestOptions) => Promise<OutputOf<Name>>
  : (input: InputOf<Name>, options?: RequestOptions) => AsyncGenerator<OutputOf<Name>, void>;

/**
 * An engine as an app sees it. All implementations pass `test/contract/memory-client.ts`. Each method throws MnemisErrors
 * with the codes that the engine's own have, `invalid-input` for an input that does not fit the contract, and
 * `internal` for what should not have happened.
 */
export type MemoryClient = { readonly [Name in MethodName]: ClientMethod<Name> } & {
  /** Lets go of the engine. It is not ended by that, unless it was opened for this client alone. */
  close(): Promise<void>;
};

/** How an error travels. The message is for people: what failed, what was kept, what to do; never what a turn says. */
export const wireErrorSchema = z.object({
  code: z.string().min(1).max(100),
  message: z.string().max(10_000),
});
export type WireError = z.infer<typeof wireErrorSchema>;

export function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(contract, name);
}
