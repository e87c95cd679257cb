import { ToolMessage } from '@langchain/core/messages';
import type { ToolCall as ToolCallOfModel } from '@langchain/core/messages/tool';
import { type StructuredToolInterface, type ToolRunnableConfig, tool } from '@langchain/core/tools';
import { z } from 'zod';
import type { MemoryScope } from '../engine/memory-scope.ts';
import type { SearchOptions } from '../engine/search-options.ts';
import { CancelledError, InvalidInputError, MnemisError } from '../errors/index.ts';
import type { Milliseconds } from '../model/ids.ts';
import type { Logger } from '../model/logger.ts';
import { ROLES, type Role, TRUST_LEVELS, type Trust } from '../model/nodes.ts';
import { DEFAULT_K, options as shared } from '../model/options.ts';
import {
  type AgentTool,
  type ToolCall,
  type ToolContext,
  type ToolMemory,
  toolContext,
} from '../tools/agent-tool.ts';
import { type BrowsedPage, browseMemory } from '../tools/browse-memory.ts';
import { type ForgetInTwoCalls, forgetInTwoCalls } from '../tools/forget.ts';
import { type Remembered, remember } from '../tools/remember.ts';
import { type FoundEvidence, searchMemory } from '../tools/search-memory.ts';
import { describeIssues, placeOf } from '../util/describe-issues.ts';
import { evidenceDocument } from './evidence-document.ts';

/** Names of the tools, as the model calls them, in the order of `memoryTools`. */
export const MEMORY_TOOLS = ['search_memory', 'remember', 'forget', 'browse_memory'] as const;
/** `search_memory`, `remember`, `forget` or `browse_memory`. */
export type MemoryToolName = (typeof MEMORY_TOOLS)[number];

/**
 * A tool's reply as plain data, for programs: `type` determines the fields; a failure has `type: 'failure'`, a code and
 * a message.
 */
export interface ToolArtifact {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The scope that the tools use, the selected tools, and their limits. */
export interface MemoryToolsOptions {
  /** The scope of the tools; no call can name another. */
  readonly memory: MemoryScope;
  /** The tools to create, in this order. Default: all four. */
  readonly only?: readonly MemoryToolName[];
  /** Of `search_memory`: as those of `MemoryScope.search`. Default `auto`. */
  readonly recipe?: SearchOptions['recipe'];
  /** Turns that `search_memory` returns if the model sets no number, from 1 to 100. Default 10. */
  readonly k?: number;
  /** The most tokens in a reply of `search_memory`, estimated. Default 1,200. */
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

/**
 * Tools for an agent over one scope: `search_memory`, `remember`, `forget` (first shows what would be deleted, and
 * requires a confirmation) and `browse_memory` (walks the categories). Each replies with a short text, in which stored
 * text is fenced as data, and with an artifact of plain JSON whose `type` names its kind. Failures become replies with
 * fixed messages; a cancellation is thrown.
 *
 * @throws InvalidInputError for invalid options.
 */
export function memoryTools(options: MemoryToolsOptions): StructuredToolInterface[] {
  const parsed = optionsSchema.safeParse(options);
  if (!parsed.success)
    throw new InvalidInputError(
      `The tools cannot use these options: ${describeIssues(parsed.error, Object.keys(optionsSchema.shape))}`,
    );
  const { memory, recipe, logger, clock = Date.now, speaker } = options;
  const { k = DEFAULT_K, contextTokens = 1_200, session = 'remembered', confirmationMinutes = 10 } = options;
  const { role = 'assistant', trust = 'low' } = options;
  const context = toolContext(memoryOf(memory, recipe), {
    k,
    contextTokens,
    session,
    speaker,
    role,
    trust,
    confirmationMinutes,
    clock,
    source: 'remember-tool',
    author: 'agent',
  });
  const wrapped = { context, logger };
  // The program sets the speaker and the session, and decides when turns are read for facts.
  const { content, at } = remember.input.shape;
  const make: Readonly<Record<MemoryToolName, () => StructuredToolInterface>> = {
    search_memory: () => wrap(searchMemory, { ...wrapped, artifact: foundArtifact }),
    remember: () =>
      wrap({ ...remember, input: z.object({ content, at }) }, { ...wrapped, artifact: rememberedArtifact }),
    forget: () => wrap(forgetInTwoCalls, { ...wrapped, artifact: forgetArtifact }),
    browse_memory: () => wrap(browseMemory, { ...wrapped, artifact: browsedArtifact }),
  };
  return [...new Set(options.only ?? MEMORY_TOOLS)].map((each) => make[each]());
}

type Methods = 'search' | 'add' | 'resume' | 'tree' | 'previewForget' | 'forget';

function memoryOf(memory: MemoryScope, recipe: SearchOptions['recipe']): Pick<ToolMemory, Methods | 'scope'> {
  return {
    scope: memory.name,
    search: (question, options) => memory.search(question, { recipe, ...options }),
    add: (turn, options) => memory.add(turn, options),
    tree: async (part) => ({ nodes: await memory.hierarchy.tree(part) }),
    previewForget: (target, { quotations }) => memory.previewForget(target, { quotations }),
    forget: (target, { author, quotations, signal }) => memory.forget(target, { author, quotations, signal }),
  };
}

interface Wrapping<Data> {
  readonly context: ToolContext<Methods>;
  readonly logger: Logger | undefined;
  /** The reply's data as plain JSON. */
  readonly artifact: (data: Data) => ToolArtifact;
}

/**
 * Wraps a tool for LangChain. Failures become fixed messages, as a tool message with status `error` if there is a tool
 * call, so that the model can retry or inform the user. A cancellation is thrown.
 */
function wrap<Input extends z.ZodObject, Data>(
  { name, description, input: schema, run }: AgentTool<Input, Data, Methods>,
  { context, logger, artifact: artifactOf }: Wrapping<Data>,
): StructuredToolInterface {
  const call = async (input: z.output<Input>, config: ToolRunnableConfig) => {
    const { signal, toolCall } = config;
    try {
      const { text, data } = await run(input, context, callOf(config));
      return [text, artifactOf(data)];
    } catch (error) {
      if (signal?.aborted || CancelledError.isInstance(error)) throw error;
      if (!MnemisError.isInstance(error)) logger?.warn(`The tool ${name} failed: ${placeOf(error)}`);
      return failureOf(MnemisError.isInstance(error) ? error : UNEXPECTED, { name, id: toolCall?.id });
    }
  };
  const made = tool(call as never, { name, description, schema, responseFormat: 'content_and_artifact' });
  return withReadableRefusals(made as StructuredToolInterface, schema);
}

/** Replies to arguments that do not fit the schema; LangChain would reply with a stack trace that names files. */
function withReadableRefusals(made: StructuredToolInterface, schema: z.ZodObject): StructuredToolInterface {
  const { name } = made;
  const invoke = made.invoke.bind(made);
  made.invoke = async (input: unknown, config) => {
    const toolCall = isToolCall(input) ? input : null;
    const read = schema.safeParse(toolCall === null ? input : toolCall.args);
    if (read.success) return invoke(input as never, config);
    const issues = describeIssues(read.error, Object.keys(schema.shape));
    const refusal = new InvalidInputError(`The arguments of ${name} are not valid: ${issues}`);
    return failureOf(refusal, { name, id: toolCall?.id })[0];
  };
  return made;
}

function isToolCall(input: unknown): input is ToolCallOfModel {
  return typeof input === 'object' && input !== null && 'type' in input && input.type === 'tool_call';
}

/** Content and artifact of a failed call. */
function failureOf(
  { code, message }: { readonly code: string; readonly message: string },
  { name, id }: { readonly name: string; readonly id: string | undefined },
) {
  const artifact = { type: 'failure', code, message };
  const content = `Failed (${code}): ${message}`;
  if (id === undefined) return [content, artifact];
  return [new ToolMessage({ tool_call_id: id, name, status: 'error', content, artifact }), artifact];
}

const UNEXPECTED = {
  code: 'internal',
  message: 'Memory cannot be used right now. Go on without it, and say so.',
};

function callOf({ signal, toolCall, configurable }: ToolRunnableConfig): ToolCall {
  const { thread_id: thread } = configurable ?? {};
  const id = toolCall?.id;
  const key = id === undefined ? null : [typeof thread === 'string' ? thread : null, id];
  return { signal, key, progress: () => undefined };
}

function foundArtifact({ question, found, sources, leftOut }: FoundEvidence): ToolArtifact {
  const items = sources.map(({ number, item, repeated }) => {
    const { pageContent, metadata } = evidenceDocument(item);
    const again = repeated.length === 0 ? {} : { repeatedIn: repeated.map(({ id }) => id) };
    return { number, text: pageContent, ...metadata, ...again };
  });
  return { type: 'found', question, recipe: found.recipe, items, leftOut };
}

const rememberedArtifact = ({ outcome, notStored }: Remembered): ToolArtifact => ({
  type: 'remembered',
  notStored,
  ...outcome,
});

function browsedArtifact({ within, members, page, pages, total }: BrowsedPage): ToolArtifact {
  const category = within === undefined ? null : { id: within.id, name: within.name };
  const shown = members.map(({ id, name, layer, entities, tags, alsoIn }) => ({
    id,
    name,
    kind: layer > 0 ? 'category' : 'entity',
    layer,
    entities,
    tags: [...tags],
    alsoIn: [...alsoIn],
  }));
  return { type: 'browsed', category, page, pages, total, members: shown };
}

function forgetArtifact(data: ForgetInTwoCalls): ToolArtifact {
  if (data.type === 'forgotten') {
    const { target, removed, reread, alsoSaid, proof, onDisk } = data.report;
    return { type: 'forgotten', target, removed, reread, alsoSaid, proof, onDisk };
  }
  const { preview, confirmation, refused } = data;
  if (confirmation === null) return { type: 'nothing', target: preview.target };
  return { type: 'preview', ...preview, confirmation, refused };
}
