import { z } from 'zod';
import type { MemoryScope } from '../engine/memory-scope.ts';
import type { SearchOptions } from '../engine/search-options.ts';
import { CancelledError, InvalidInputError, MnemisError } from '../errors/index.ts';
import type { Milliseconds } from '../model/ids.ts';
import type { Logger } from '../model/logger.ts';
import { ROLES, type Role, TRUST_LEVELS, type Trust } from '../model/nodes.ts';
import { AGENT_TOKENS, options as shared } from '../model/options.ts';
import { describeIssues, placeOf } from '../util/describe-issues.ts';
import {
  type AgentTool,
  type ToolCall,
  type ToolContext,
  type ToolMemory,
  toolContext,
} from './agent-tool.ts';
import { browseMemory } from './browse-memory.ts';
import { forgetInTwoCalls } from './forget.ts';
import { remember } from './remember.ts';
import { searchMemory } from './search-memory.ts';

/** Names of the tools, as the model calls them, in the order of `memoryTools`. */
export const MEMORY_TOOLS = ['search_memory', 'remember', 'forget', 'browse_memory'] as const;
/** `search_memory`, `remember`, `forget` or `browse_memory`. */
export type MemoryToolName = (typeof MEMORY_TOOLS)[number];

/** The scope that the tools use, the selected tools, and their limits. */
export interface MemoryToolsOptions {
  /** The scope of the tools; no call can name another. */
  readonly memory: MemoryScope;
  /** The tools to create, in this order. Default: all four. */
  readonly only?: readonly MemoryToolName[];
  /** Of `search_memory`: as those of `MemoryScope.search`. Default `auto`. */
  readonly recipe?: SearchOptions['recipe'];
  /** The most turns of `search_memory` if the model sets no number, from 1 to 100. Default: as many as fit. */
  readonly k?: number;
  /** The most tokens in a reply of `search_memory`. Default 2,000. */
  readonly contextTokens?: number;
  /** For `remember`: the session of its turns. Default `remembered`. */
  readonly session?: string;
  /** For `remember`: the speaker. Default: the role. */
  readonly speaker?: string;
  /** For `remember`: the role. Default `assistant`, because the model writes the text. */
  readonly role?: Role;
  /** For `remember`: the trust of its turns. Default `low`: a prompt injection may have written them. */
  readonly trust?: Trust;
  /** For `forget`: minutes for which a confirmation is valid. Default 10. */
  readonly confirmationMinutes?: number;
  /** Receives failures that the model sees without details. */
  readonly logger?: Logger;
  readonly clock?: () => Milliseconds;
}

const name = z.string().trim().min(1).max(500);
const anything = z.unknown().optional();
const optionsSchema = z.strictObject({
  memory: z.custom((value) => typeof Object(value).previewForget === 'function', 'is no scope of a memory'),
  only: z.array(z.enum(MEMORY_TOOLS)).min(1).optional(),
  k: shared.k.optional(),
  contextTokens: shared.contextTokens.optional(),
  session: name.optional(),
  speaker: name.optional(),
  role: z.enum(ROLES).optional(),
  trust: z.enum(TRUST_LEVELS).optional(),
  confirmationMinutes: shared.confirmationMinutes.optional(),
  recipe: anything,
  logger: anything,
  clock: anything,
});

/** A tool over one scope, for an agent's framework to wrap. */
export interface ScopeTool<Input extends z.ZodObject = z.ZodObject, Data = unknown> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  /** Failures are replies with a fixed message, so that the model can retry or inform the user; a cancellation is thrown. */
  readonly call: (input: z.output<Input>, call: Omit<ToolCall, 'progress'>) => Promise<ScopeReply<Data>>;
}

/** The text for the model, with what it says as data for programs, or why the tool failed. */
export type ScopeReply<Data> = { readonly text: string } & (
  | { readonly data: Data }
  | { readonly failure: { readonly code: string; readonly message: string } }
);

type Methods = 'context' | 'add' | 'resume' | 'tree' | 'previewForget' | 'forget';

/**
 * The tools of one scope that programs in this process give to an agent.
 *
 * @throws InvalidInputError for invalid options.
 */
export function memoryToolset(options: MemoryToolsOptions) {
  const parsed = optionsSchema.safeParse(options);
  if (!parsed.success)
    throw new InvalidInputError(
      `The tools cannot use these options: ${describeIssues(parsed.error, Object.keys(optionsSchema.shape))}`,
    );
  const { memory, recipe, logger, clock = Date.now, speaker } = options;
  const { k, contextTokens = AGENT_TOKENS, session = 'remembered', confirmationMinutes = 10 } = options;
  const { role = 'assistant', trust = 'low' } = options;
  const context = toolContext(memoryOf(memory, recipe), {
    ...{ k, contextTokens, session, speaker, role, trust, confirmationMinutes, clock },
    source: 'remember-tool',
    author: 'agent',
  });
  const over = <Input extends z.ZodObject, Data>(tool: AgentTool<Input, Data, Methods>) =>
    scopeTool(tool, context, logger);
  // The program sets the speaker and the session, and decides when turns are read for facts.
  const { content, at } = remember.input.shape;
  return {
    names: [...new Set(options.only ?? MEMORY_TOOLS)],
    tools: {
      search_memory: over(searchMemory),
      remember: over({ ...remember, input: z.object({ content, at }) }),
      forget: over(forgetInTwoCalls),
      browse_memory: over(browseMemory),
    },
  };
}

function memoryOf(memory: MemoryScope, recipe: SearchOptions['recipe']): Pick<ToolMemory, Methods | 'scope'> {
  return {
    scope: memory.name,
    context: (question, options) => memory.context(question, { recipe, ...options }),
    add: (turn, options) => memory.add(turn, options),
    tree: async (part) => ({ nodes: await memory.hierarchy.tree(part) }),
    previewForget: (target, { quotations }) => memory.previewForget(target, { quotations }),
    forget: (target, { author, quotations, signal }) => memory.forget(target, { author, quotations, signal }),
  };
}

function scopeTool<Input extends z.ZodObject, Data>(
  { name, description, input, run }: AgentTool<Input, Data, Methods>,
  context: ToolContext<Methods>,
  logger: Logger | undefined,
): ScopeTool<Input, Data> {
  return {
    name,
    description,
    input,
    call: async (given, call) => {
      try {
        return await run(given, context, { ...call, progress: () => undefined });
      } catch (error) {
        if (call.signal?.aborted || CancelledError.isInstance(error)) throw error;
        if (!MnemisError.isInstance(error)) logger?.warn(`The tool ${name} failed: ${placeOf(error)}`);
        return failed(MnemisError.isInstance(error) ? error : UNEXPECTED);
      }
    },
  };
}

/** The reply to arguments that do not fit the schema of a tool. */
export function refusedArguments({ name, input }: Pick<ScopeTool, 'name' | 'input'>, error: z.ZodError) {
  const issues = describeIssues(error, Object.keys(input.shape));
  return failed(new InvalidInputError(`The arguments of ${name} are not valid: ${issues}`));
}

/** The reply of a tool that failed. */
export const failed = ({ code, message }: { readonly code: string; readonly message: string }) => ({
  text: `Failed (${code}): ${message}`,
  failure: { code, message },
});

/** What a model sees of a failure that is no error of memory. */
export const UNEXPECTED = {
  code: 'internal',
  message: 'Memory cannot be used right now. Go on without it, and say so.',
};
