import type { McpServer, ToolCallback } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  type CallToolResult,
  ErrorCode,
  McpError,
  type ServerNotification,
  type ServerRequest,
  type ToolAnnotations,
} from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { InvalidInputError, MnemisError } from '../../src/errors/index.ts';
import type { Logger } from '../../src/model/logger.ts';
import type { AgentTool, ToolContext, ToolMemory } from '../../src/tools/agent-tool.ts';
import { placeOf } from '../../src/util/describe-issues.ts';
import { INTERNAL, toWire } from '../client/errors.ts';
import type { ServerSettings } from './server-options.ts';

/** An agent tool as an MCP tool: its annotations, and the structured content of its results. */
export interface McpTool<Output extends z.ZodObject, Data> {
  readonly annotations: ToolAnnotations;
  readonly output: Output;
  readonly dataOf: (data: Data, settings: ServerSettings) => z.input<Output>;
}

/** Registers a tool that returns failures as results: a code, and advice for the model. */
export function registerTool<
  Input extends z.ZodObject,
  Data,
  Methods extends keyof ToolMemory,
  Output extends z.ZodObject,
>(
  server: McpServer,
  { context, settings }: { readonly context: ToolContext; readonly settings: ServerSettings },
  tool: AgentTool<Input, Data, Methods> & McpTool<Output, Data>,
): void {
  const { name, title, description, annotations } = tool;
  const run = async (input: z.output<Input>, extra: RequestExtra): Promise<CallToolResult> => {
    try {
      const call = { signal: extra.signal, key: null, progress: progressOf(extra) };
      const { text, data } = await tool.run(input, context, call);
      const structuredContent = tool.dataOf(data, settings);
      return { content: [{ type: 'text', text }], structuredContent };
    } catch (error) {
      return failed(reportFailure(error, { what: `tool ${name}`, logger: settings.logger }));
    }
  };
  server.registerTool(
    name,
    {
      title,
      description,
      inputSchema: tool.input.strict() as unknown as Input,
      outputSchema: tool.output,
      annotations: { ...annotations, openWorldHint: false },
    },
    run as unknown as ToolCallback<Input>,
  );
}

type RequestExtra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Reports progress to a client that requested it, with increasing values. */
function progressOf({ _meta, sendNotification }: RequestExtra) {
  let last = 0;
  return (progress: number, total: number, message: string) => {
    const { progressToken } = _meta ?? {};
    if (progressToken === undefined || progress <= last) return;
    last = progress;
    const params = { progressToken, progress, total: Math.max(total, progress), message };
    // Ignored: the client has disconnected.
    sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

interface ReportedFailure {
  readonly code: string;
  readonly message: string;
}

/** The code goes into `_meta`: structured content must match the schema of a success. */
function failed({ code, message }: ReportedFailure): CallToolResult {
  return {
    isError: true,
    content: [{ type: 'text', text: `Failed (${code}): ${message}` }],
    _meta: { 'mnemis/error': { code, message } },
  };
}

/** The message for the client. A foreign error may quote stored text, so only its kind is logged. */
export function reportFailure(
  error: unknown,
  { what, logger }: { readonly what: string; readonly logger: Logger },
): ReportedFailure {
  const told = toWire(error);
  if (told.code === INTERNAL && !MnemisError.isInstance(error))
    logger.warn(`The ${what} failed: ${placeOf(error)}`);
  return told;
}

/**
 * Resources and prompts cannot return an error as a result, so the protocol's own errors carry the code. `invalid` is
 * the protocol's code for input that does not fit.
 */
export async function protocolErrors<T>(
  {
    what,
    logger,
    invalid = ErrorCode.InvalidParams,
  }: { readonly what: string; readonly logger: Logger; readonly invalid?: number },
  job: () => Promise<T>,
): Promise<T> {
  try {
    return await job();
  } catch (error) {
    const { code, message } = reportFailure(error, { what, logger });
    throw new McpError(code === InvalidInputError.code ? invalid : ErrorCode.InternalError, message, {
      code,
    });
  }
}
