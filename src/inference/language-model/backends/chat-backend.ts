import type { Strategy } from '../../language-model.ts';
import type { ReplyShape } from '../reading/reply-shape.ts';

export interface ChatTurn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export interface ChatRequest {
  readonly turns: readonly ChatTurn[];
  /** The shape that the reply must have, and how to ask for it; null for prose. */
  readonly form: { readonly shape: ReplyShape; readonly strategy: Strategy } | null;
  /** Temperature 0 and a fixed seed, unless the model refuses to have them set. */
  readonly fixedSampling: boolean;
  readonly signal: AbortSignal;
}

export interface ReportedUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedPromptTokens: number;
}

export interface ChatReply {
  readonly text: string;
  /** What a tool was called with: parsed, or as text where that failed; undefined without a call. */
  readonly toolArguments: Readonly<Record<string, unknown>> | string | undefined;
  readonly declined: 'model' | 'filter' | null;
  /** The limit of tokens ended the reply. */
  readonly truncated: boolean;
  /** Null where the provider does not tell. */
  readonly usage: ReportedUsage | null;
}

/**
 * One provider's way to be asked: a request goes out once, without retries, and what goes wrong is thrown as the
 * provider's library throws it. A fresh function per provider, so that keys stay out of what can be printed.
 */
export interface ChatBackend {
  /** Provider and model, such as `openai:gpt-5-mini`. */
  readonly name: string;
  /** Where its server is; undefined where only the library knows. Holds no secret. */
  readonly address?: string | undefined;
  readonly ask: (request: ChatRequest) => Promise<ChatReply>;
  readonly stream: (request: ChatRequest, onText: (piece: string) => void) => Promise<ChatReply>;
}
