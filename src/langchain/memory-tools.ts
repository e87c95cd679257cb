import { ToolMessage } from '@langchain/core/messages';
import type { ToolCall as ToolCallOfModel } from '@langchain/core/messages/tool';
import { type StructuredToolInterface, type ToolRunnableConfig, tool } from '@langchain/core/tools';
import type { z } from 'zod';
import type { ToolCall } from '../tools/agent-tool.ts';
import type { BrowsedPage } from '../tools/browse-memory.ts';
import type { ForgetInTwoCalls } from '../tools/forget.ts';
import {
  type MemoryToolName,
  type MemoryToolsOptions,
  memoryToolset,
  refusedArguments,
  type ScopeReply,
  type ScopeTool,
} from '../tools/memory-toolset.ts';
import type { Remembered } from '../tools/remember.ts';
import type { FoundEvidence } from '../tools/search-memory.ts';
import { evidenceDocument } from './evidence-document.ts';

/**
 * A tool's reply as plain data, for programs: `type` determines the fields; a failure has `type: 'failure'`, a code and
 * a message.
 */
export interface ToolArtifact {
  readonly type: string;
  readonly [field: string]: unknown;
}

/**
 * Tools for an agent over one scope: `search_memory`, `remember`, `forget` (first shows what would be deleted, and
 * requires a confirmation) and `browse_memory` (walks the categories). Each replies with a short text, in which stored
 * text is fenced as data, and with an artifact of plain JSON whose `type` names its kind. Failures become replies with
 * fixed messages; a cancellation is thrown.
 *
 * @throws InvalidInputError for invalid options.
 */
export function memoryTools(options: MemoryToolsOptions): StructuredToolInterface[] {
  const { names, tools } = memoryToolset(options);
  const make: Readonly<Record<MemoryToolName, () => StructuredToolInterface>> = {
    search_memory: () => wrap(tools.search_memory, foundArtifact),
    remember: () => wrap(tools.remember, rememberedArtifact),
    forget: () => wrap(tools.forget, forgetArtifact),
    browse_memory: () => wrap(tools.browse_memory, browsedArtifact),
  };
  return names.map((each) => make[each]());
}

/**
 * Wraps a tool for LangChain. Failures become fixed messages, as a tool message with status `error` if there is a tool
 * call.
 */
function wrap<Input extends z.ZodObject, Data>(
  scopeTool: ScopeTool<Input, Data>,
  artifactOf: (data: Data) => ToolArtifact,
): StructuredToolInterface {
  const { name, description, input: schema } = scopeTool;
  const call = async (input: z.output<Input>, config: ToolRunnableConfig) => {
    const reply = await scopeTool.call(input, callOf(config));
    return 'data' in reply
      ? [reply.text, artifactOf(reply.data)]
      : failureOf(reply, { name, id: config.toolCall?.id });
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
    return failureOf(refusedArguments({ name, input: schema }, read.error), { name, id: toolCall?.id })[0];
  };
  return made;
}

function isToolCall(input: unknown): input is ToolCallOfModel {
  return typeof input === 'object' && input !== null && 'type' in input && input.type === 'tool_call';
}

/** Content and artifact of a failed call. */
function failureOf(
  { text: content, failure }: Extract<ScopeReply<never>, { failure: unknown }>,
  { name, id }: { readonly name: string; readonly id: string | undefined },
) {
  const artifact = { type: 'failure', ...failure };
  if (id === undefined) return [content, artifact];
  return [new ToolMessage({ tool_call_id: id, name, status: 'error', content, artifact }), artifact];
}

function callOf({ signal, toolCall, configurable }: ToolRunnableConfig): Omit<ToolCall, 'progress'> {
  const { thread_id: thread } = configurable ?? {};
  const id = toolCall?.id;
  const key = id === undefined ? null : [typeof thread === 'string' ? thread : null, id];
  return { signal, key };
}

function foundArtifact({ question, search, sources, leftOut }: FoundEvidence): ToolArtifact {
  const items = sources.map(({ number, item, repeated }) => {
    const { pageContent, metadata } = evidenceDocument(item);
    const again = repeated.length === 0 ? {} : { repeatedIn: repeated.map(({ id }) => id) };
    return { number, text: pageContent, ...metadata, ...again };
  });
  return { type: 'found', question, recipe: search.recipe, items, leftOut };
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
