import type { ChatAnswer } from './reply.ts';
import type { ChatAsked, TokensCharged } from './script.ts';

const PIECE = 24;

/** The body of a chat completion: one JSON document. */
export function completionBody(asked: ChatAsked, answer: ChatAnswer): string {
  const { text, asTool, refusal, finish } = answer;
  const message = {
    role: 'assistant',
    content: asTool || refusal !== null ? null : text,
    refusal,
    ...(asTool ? { tool_calls: [toolCall(asked, text)] } : {}),
    ...(answer.calls.length > 0 ? { tool_calls: callsOf(asked, answer) } : {}),
  };
  return JSON.stringify({
    ...envelope(asked, 'chat.completion'),
    choices: answer.choices === 0 ? [] : [{ index: 0, message, finish_reason: finish, logprobs: null }],
    ...(answer.usage === null ? {} : { usage: usageOf(answer.usage) }),
  });
}

/** The events of a streamed chat completion. */
export function completionEvents(asked: ChatAsked, answer: ChatAnswer, includeUsage: boolean): string[] {
  const chunk = (delta: object, finish: string | null = null) => ({
    ...envelope(asked, 'chat.completion.chunk'),
    choices: answer.choices === 0 ? [] : [{ index: 0, delta, finish_reason: finish }],
  });
  const usage = includeUsage && answer.usage !== null;
  const events = [
    chunk({ role: 'assistant', content: '' }),
    ...deltas(asked, answer).map((delta) => chunk(delta)),
    chunk({}, answer.finish),
    ...(usage ? [{ ...chunk({}), choices: [], usage: usageOf(answer.usage) }] : []),
  ];
  return [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), 'data: [DONE]\n\n'];
}

function deltas(asked: ChatAsked, answer: ChatAnswer): object[] {
  const { text, asTool, refusal } = answer;
  if (refusal !== null) return [{ refusal }];
  if (asTool) return [{ tool_calls: [{ index: 0, ...toolCall(asked, text) }] }];
  // A call comes in pieces: its name first, then its arguments.
  const tools = callsOf(asked, answer).flatMap((call, index) => [
    { tool_calls: [{ index, ...call, function: { ...call.function, arguments: '' } }] },
    ...pieces(call.function.arguments).map((part) => ({
      tool_calls: [{ index, function: { arguments: part } }],
    })),
  ]);
  return [...pieces(text).map((content) => ({ content })), ...tools];
}

function callsOf({ number }: ChatAsked, { calls }: ChatAnswer) {
  return calls.map((call, at) => ({ id: `call_${number}_${at}`, type: 'function', function: call }));
}

export function pieces(text: string): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${PIECE}}`, 'g')) ?? [];
}

function envelope({ model, number }: ChatAsked, object: string) {
  return { id: `chatcmpl-${number}`, object, created: 1_700_000_000, model };
}

function toolCall({ schemaName, number }: ChatAsked, text: string) {
  return { id: `call_${number}`, type: 'function', function: { name: schemaName, arguments: text } };
}

function usageOf({ promptTokens, completionTokens }: TokensCharged) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

/** Each text gets the same vector every time: its characters, counted into so many numbers. */
export function embeddingsBody(
  body: Readonly<Record<string, unknown>>,
  dimension: number,
  tokens: number,
): string {
  const texts = [body.input].flat().map(String);
  const encode = (vector: readonly number[]) =>
    body.encoding_format === 'base64'
      ? Buffer.from(Float32Array.from(vector).buffer).toString('base64')
      : vector;
  return JSON.stringify({
    object: 'list',
    model: body.model,
    data: texts.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: encode(vectorOf(text, dimension)),
    })),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  });
}

function vectorOf(text: string, dimension: number): number[] {
  const vector = new Array<number>(dimension).fill(0);
  for (const character of text) vector[character.codePointAt(0)! % dimension]! += 1;
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
