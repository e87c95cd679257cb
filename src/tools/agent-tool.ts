import type { z } from 'zod';
import type { AnswerEvent, GivenAnswer } from '../answer/given-answer.ts';
import type { PromptBlock } from '../answer/prompt-block.ts';
import type { ForgetEvent, ForgetPreview, ForgetReport } from '../edit/forget/forget-event.ts';
import type { CategoryTree } from '../engine/hierarchy/browse-hierarchy.ts';
import type { ResumeEvent } from '../engine/ingestion/enrichment-report.ts';
import type { ScopeStats } from '../engine/scope-stats.ts';
import type { AddResult } from '../ingest/admit/plan-episodes.ts';
import type { ForgetTarget } from '../model/forget-target.ts';
import type { Milliseconds } from '../model/ids.ts';
import type { Role, Trust } from '../model/nodes.ts';
import type { TurnInput } from '../model/turn-input.ts';
import { ForgetConfirmations } from './forget-confirmation.ts';

/** Aborting it cancels the work. */
interface Cancellable {
  readonly signal: AbortSignal | undefined;
}

/** Receives the events before the last one. */
interface Listening<Event> extends Cancellable {
  readonly onEvent: (event: Event) => void;
}

interface LookOptions {
  /** Turns to return; twice as many facts and entities. Default 10; in a block, as many as fit. */
  readonly k: number | undefined;
  readonly asOf: string | undefined;
  readonly knownAt: string | undefined;
  /** The least relevance of a result. */
  readonly minScore?: number | undefined;
}

/** Part of the category hierarchy. Counts and summaries may be missing if the caller does not show them. */
export interface ToolTree {
  readonly nodes: readonly CategoryTree[];
  /** By the id of the category. */
  readonly summaries?: Readonly<Record<string, string>>;
  readonly entities?: number;
  /** Entities without a category. */
  readonly waiting?: number;
}

/** The part of a memory scope that agent tools use: in this process, or through a client. */
export interface ToolMemory {
  readonly scope: string;
  context(
    question: string,
    options: LookOptions & Cancellable & { readonly tokens: number },
  ): Promise<PromptBlock>;
  ask(
    question: string,
    options: LookOptions & Listening<AnswerEvent> & { readonly earlier?: readonly string[] | undefined },
  ): Promise<GivenAnswer>;
  add(turn: TurnInput, options: Cancellable): Promise<AddResult>;
  /** Reads waiting turns for facts; missing if an agent may not request that. */
  resume?(options: Listening<ResumeEvent>): Promise<Extract<ResumeEvent, { type: 'done' }>>;
  tree(
    part: { readonly of?: string; readonly depth: number; readonly limit?: number },
    options: Cancellable,
  ): Promise<ToolTree>;
  stats(options: Cancellable): Promise<ScopeStats>;
  previewForget(
    target: ForgetTarget,
    options: Cancellable & { readonly quotations: boolean },
  ): Promise<ForgetPreview>;
  forget(
    target: ForgetTarget,
    options: Listening<ForgetEvent> & { readonly author: string; readonly quotations: boolean },
  ): Promise<ForgetReport>;
}

interface ToolSettings {
  /** Turns that a search shows at most if the call sets no number. Default: as many as fit. */
  readonly k?: number | undefined;
  /** The most tokens in the text of a search’s result. */
  readonly contextTokens: number;
  /** Session of turns from `remember`, if the call names no other. */
  readonly session: string;
  /** Default: the role. */
  readonly speaker?: string | undefined;
  readonly role: Role;
  readonly trust: Trust;
  /** The source of the turns that `remember` stores. */
  readonly source: string;
  /** Author of forgetting, for the log of changes. */
  readonly author: string;
  readonly confirmationMinutes: number;
  /** Secret that signs confirmations. Default: random. */
  readonly confirmationKey?: string | undefined;
  readonly clock: () => Milliseconds;
}

/** What a tool needs. `Methods` are the memory's methods that it calls. */
export interface ToolContext<Methods extends keyof ToolMemory = keyof ToolMemory> {
  readonly memory: Pick<ToolMemory, Methods>;
  readonly settings: ToolSettings;
  readonly confirmations: ForgetConfirmations;
}

export function toolContext<Methods extends keyof ToolMemory>(
  memory: Pick<ToolMemory, Methods | 'scope'>,
  settings: ToolSettings,
): ToolContext<Methods> {
  const { clock, confirmationMinutes, confirmationKey: key } = settings;
  const lifetime = confirmationMinutes * 60_000;
  const confirmations = new ForgetConfirmations({ scope: memory.scope, clock, lifetime, key });
  return { memory, settings, confirmations };
}

/** Context of one call. */
export interface ToolCall extends Cancellable {
  /** Id of the call, which is the same when a resumed run repeats it; null if unknown. */
  readonly key: readonly (string | null)[] | null;
  readonly progress: (done: number, total: number, message: string) => void;
}

/** A short text for a model, with stored text fenced as data, and its content as data for programs. */
interface ToolReply<Data> {
  readonly text: string;
  readonly data: Data;
}

/** The description and implementation of a tool. LangChain and MCP each wrap it. */
export interface AgentTool<Input extends z.ZodObject, Data, Methods extends keyof ToolMemory> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly run: (
    input: z.output<Input>,
    context: ToolContext<Methods>,
    call: ToolCall,
  ) => Promise<ToolReply<Data>>;
}

/** Keeps the types of a tool's parts consistent. */
export const defineTool = <Input extends z.ZodObject, Data, Methods extends keyof ToolMemory>(
  tool: AgentTool<Input, Data, Methods>,
) => tool;
