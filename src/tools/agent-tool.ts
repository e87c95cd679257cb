import type { z } from 'zod';
import type { AnswerEvent, GivenAnswer } from '../answer/given-answer.ts';
import type { ForgetEvent, ForgetPreview, ForgetReport } from '../edit/forget/forget-event.ts';
import type { CategoryTree } from '../engine/hierarchy/browse-hierarchy.ts';
import type { ResumeEvent } from '../engine/ingestion/enrichment-report.ts';
import type { ScopeStats } from '../engine/memory-scope.ts';
import type { AddResult } from '../ingest/admit/plan-episodes.ts';
import type { ForgetTarget } from '../model/forget-target.ts';
import type { Milliseconds } from '../model/ids.ts';
import type { Role, Trust } from '../model/nodes.ts';
import type { SearchResult } from '../model/retrieved-item.ts';
import type { TurnInput } from '../model/turn-input.ts';
import { ForgetConfirmations } from './forget-confirmation.ts';

/** Cancels the work when it fires. */
interface Cancellable {
  readonly signal: AbortSignal | undefined;
}

/** Receives the events before the last one. */
interface Listening<Event> extends Cancellable {
  readonly onEvent: (event: Event) => void;
}

interface LookOptions {
  /** Turns that are found; twice as many facts and entities. */
  readonly k: number;
  readonly asOf: string | undefined;
  readonly knownAt: string | undefined;
}

/** Part of the category hierarchy. The counts and the summaries may be missing where nothing shows them. */
export interface ToolTree {
  readonly nodes: readonly CategoryTree[];
  /** By the id of the category. */
  readonly summaries?: Readonly<Record<string, string>>;
  readonly entities?: number;
  /** Entities without a category. */
  readonly waiting?: number;
}

/** One scope of a memory, as far as the tools of agents use it: in this process, or behind a client. */
export interface ToolMemory {
  readonly scope: string;
  search(question: string, options: LookOptions & Cancellable): Promise<SearchResult>;
  ask(question: string, options: LookOptions & Listening<AnswerEvent>): Promise<GivenAnswer>;
  add(turn: TurnInput, options: Cancellable): Promise<AddResult>;
  /** Reads what waits for facts; missing where an agent cannot ask for that. */
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
  /** Turns that a search returns unless it asks for more or fewer. */
  readonly k: number;
  /** Tokens that the text of a search’s result may have, roughly counted. */
  readonly contextTokens: number;
  /** Of what `remember` stores, unless the call names another. */
  readonly session: string;
  /** Default: the role. */
  readonly speaker?: string | undefined;
  readonly role: Role;
  readonly trust: Trust;
  /** The source of the turns that `remember` stores. */
  readonly source: string;
  /** Who forgets, for the record. */
  readonly author: string;
  readonly confirmationMinutes: number;
  readonly clock: () => Milliseconds;
}

/** What a tool works with. `Methods` are those of the memory that it calls. */
export interface ToolContext<Methods extends keyof ToolMemory = keyof ToolMemory> {
  readonly memory: Pick<ToolMemory, Methods>;
  readonly settings: ToolSettings;
  readonly confirmations: ForgetConfirmations;
}

export function toolContext<Methods extends keyof ToolMemory>(
  memory: Pick<ToolMemory, Methods | 'scope'>,
  settings: ToolSettings,
): ToolContext<Methods> {
  const { clock, confirmationMinutes } = settings;
  const lifetime = confirmationMinutes * 60_000;
  const confirmations = new ForgetConfirmations({ scope: memory.scope, clock, lifetime });
  return { memory, settings, confirmations };
}

/** What a tool knows of one call. */
export interface ToolCall extends Cancellable {
  /** The same for a call that is carried out again because its run is resumed; null where that cannot be told. */
  readonly key: readonly (string | null)[] | null;
  /** Reports how far a long call is, in words of our own. */
  readonly progress: (done: number, total: number, message: string) => void;
}

/** A short text for a model, in which what memory holds is fenced as data, and what it was made of for programs. */
interface ToolReply<Data> {
  readonly text: string;
  readonly data: Data;
}

/** A tool as agents see it, and what it does. LangChain and MCP each wrap it in their own form. */
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

/** Ties the types of a tool's parts together. */
export const defineTool = <Input extends z.ZodObject, Data, Methods extends keyof ToolMemory>(
  tool: AgentTool<Input, Data, Methods>,
) => tool;
