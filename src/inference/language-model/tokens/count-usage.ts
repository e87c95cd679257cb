import type { ChatReply, ChatRequest } from '../backends/chat-backend.ts';
import { roughTokens } from './rough-tokens.ts';
import type { TokenCounter } from './token-counter.ts';
import type { ModelUsage } from './usage-meter.ts';

/** What chat formats add per message, and once for the start of the reply. */
const TOKENS_PER_TURN = 4;
const TOKENS_PER_REQUEST = 3;

type Prompted = Pick<ChatRequest, 'turns' | 'form'>;

/** What one request cost: as the provider told, else counted here. Without a reply, the prompt alone. */
export async function countUsage(
  counter: TokenCounter,
  request: Prompted,
  reply: ChatReply | null,
): Promise<ModelUsage> {
  const one = { calls: 1, failedCalls: 0 };
  if (reply?.usage) return { ...one, ...reply.usage, estimated: false };
  const promptTokens = await countPrompt(counter, request);
  const completionTokens = reply === null ? 0 : await counter.count(saidIn(reply));
  return { ...one, promptTokens, completionTokens, cachedPromptTokens: 0, estimated: true };
}

export async function countPrompt(counter: TokenCounter, request: Prompted): Promise<number> {
  let tokens = overhead(request);
  for (const text of texts(request)) tokens += await counter.count(text);
  return tokens;
}

/** At once and without a vocabulary; rather too many than too few. */
export function roughPrompt(request: Prompted): number {
  return texts(request).reduce((tokens, text) => tokens + roughTokens(text), overhead(request));
}

function overhead({ turns }: Prompted): number {
  return turns.length * TOKENS_PER_TURN + TOKENS_PER_REQUEST;
}

/** A schema that goes beside the turns is part of the prompt too. */
function texts({ turns, form }: Prompted): string[] {
  const beside = form === null || form.strategy === 'plain' ? [] : [JSON.stringify(form.shape.schema)];
  return [...turns.map(({ content }) => content), ...beside];
}

function saidIn({ text, toolArguments }: ChatReply): string {
  if (toolArguments === undefined) return text;
  return text + (typeof toolArguments === 'string' ? toolArguments : JSON.stringify(toolArguments));
}
