import { pieces } from './openai-protocol.ts';
import type { ChatAnswer } from './reply.ts';
import type { ChatAsked } from './script.ts';

/** The lines of a streamed reply of Ollama's `/api/chat`. */
export function ollamaLines(asked: ChatAsked, answer: ChatAnswer): string[] {
  const { model } = asked;
  const created_at = '2023-11-14T22:13:20Z';
  const said = answer.refusal ?? answer.text;
  const messages = answer.asTool
    ? [{ role: 'assistant', content: '', tool_calls: [toolCall(asked, answer.text)] }]
    : [
        ...pieces(said).map((content) => ({ role: 'assistant', content })),
        ...answer.calls.map((call) => ({
          ...{ role: 'assistant', content: '' },
          tool_calls: [toolCall({ schemaName: call.name }, call.arguments)],
        })),
      ];
  const last = {
    model,
    created_at,
    message: { role: 'assistant', content: '' },
    done: true,
    done_reason: answer.finish === 'length' ? 'length' : 'stop',
    ...(answer.usage === null
      ? {}
      : { prompt_eval_count: answer.usage.promptTokens, eval_count: answer.usage.completionTokens }),
  };
  const lines = [...messages.map((message) => ({ model, created_at, message, done: false })), last];
  return lines.map((line) => `${JSON.stringify(line)}\n`);
}

/** Ollama parses what a tool is called with itself; what it cannot parse stays text. */
function toolCall({ schemaName }: Pick<ChatAsked, 'schemaName'>, text: string) {
  try {
    return { function: { name: schemaName, arguments: JSON.parse(text) as unknown } };
  } catch {
    return { function: { name: schemaName, arguments: { text } } };
  }
}
