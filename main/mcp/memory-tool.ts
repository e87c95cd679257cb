import type { McpServer, ToolCallback } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { type ToldFailure, tellFailure } from './failure.ts';
import { ProgressReporter, type RequestExtra } from './progress-reporter.ts';
import type { ToolContext } from './tool-context.ts';

/** What a tool knows of one call. */
export interface ToolCall {
  /** Fires when the client cancels the call or goes. */
  readonly signal: AbortSignal;
  readonly progress: ProgressReporter;
}

/** A short text for a model, in which what memory holds is fenced as data, and the same in full for programs. */
export interface ToolReply<Data> {
  readonly text: string;
  readonly data: Data;
}

export interface MemoryTool<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly annotations: ToolAnnotations;
  readonly run: (
    input: z.output<Input>,
    context: ToolContext,
    call: ToolCall,
  ) => Promise<ToolReply<z.input<Output>>>;
}

/** Ties the types of a tool's parts together. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: MemoryTool<Input, Output>,
): MemoryTool<Input, Output> {
  return tool;
}

/** Registers a tool whose failures are results too: a code, and what a model can do about it. */
export function registerMemoryTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  server: McpServer,
  context: ToolContext,
  tool: MemoryTool<Input, Output>,
): void {
  const { name, title, description, annotations } = tool;
  const run = async (input: z.output<Input>, extra: RequestExtra): Promise<CallToolResult> => {
    try {
      const call = { signal: extra.signal, progress: new ProgressReporter(extra) };
      const { text, data } = await tool.run(input, context, call);
      return { content: [{ type: 'text', text }], structuredContent: data };
    } catch (error) {
      return failed(tellFailure(error, { what: `tool ${name}`, logger: context.settings.logger }));
    }
  };
  server.registerTool(
    name,
    {
      ...{ title, description, inputSchema: tool.input, outputSchema: tool.output },
      annotations: { ...annotations, openWorldHint: false },
    },
    run as unknown as ToolCallback<Input>,
  );
}

/** Programs find the code in `_meta`: structured content would have to be that of a success. */
function failed({ code, message }: ToldFailure): CallToolResult {
  return {
    isError: true,
    content: [{ type: 'text', text: `Failed (${code}): ${message}` }],
    _meta: { 'mnemis/error': { code, message } },
  };
}
