import type { ChatAsked } from './script.ts';

type Json = Readonly<Record<string, unknown>>;

/** Reads a body of `/v1/chat/completions`. */
export function readOpenAiRequest(body: Json, number: number): ChatAsked {
  const format = object(object(body.response_format)?.json_schema);
  const tool = object(body.tool_choice) && toolOf(body);
  return {
    ...common(body, number),
    offered: tool ? [] : offeredIn(body),
    strategy: format ? 'schema' : tool ? 'tool' : object(body.response_format) ? 'json' : 'plain',
    schema: object(format?.schema) ?? object(tool?.parameters) ?? null,
    schemaName: text(format?.name) ?? text(tool?.name),
    stream: body.stream === true,
    maxTokens: amount(body.max_tokens ?? body.max_completion_tokens),
  };
}

/** Reads a body of Ollama's `/api/chat`. */
export function readOllamaRequest(body: Json, number: number): ChatAsked {
  const format = object(body.format);
  // Ollama has no choice of tools: the one that takes a structured reply is known by what it says.
  const tool = toolOf(body)?.description === 'Takes the reply.' ? toolOf(body) : undefined;
  return {
    ...common(body, number),
    offered: tool ? [] : offeredIn(body),
    strategy: format ? 'schema' : tool ? 'tool' : body.format === 'json' ? 'json' : 'plain',
    schema: format ?? object(tool?.parameters) ?? null,
    schemaName: text(tool?.name),
    stream: body.stream !== false,
    maxTokens: amount(object(body.options)?.num_predict),
  };
}

function common(body: Json, number: number) {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  return {
    model: text(body.model) ?? '',
    messages: messages.map((message) => ({
      role: String(object(message)?.role),
      content: textOf(object(message)?.content),
    })),
    number,
  };
}

/** Text, or its parts beside images. */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content ?? '');
  return content.map((part) => text(object(part)?.text) ?? '').join('');
}

function toolOf({ tools }: Json): Json | undefined {
  return Array.isArray(tools) ? object(object(tools[0])?.function) : undefined;
}

function offeredIn({ tools }: Json): string[] {
  return Array.isArray(tools) ? tools.map((tool) => String(object(object(tool)?.function)?.name)) : [];
}

function object(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const amount = (value: unknown): number | null => (typeof value === 'number' ? value : null);
