import type { Tiktoken } from 'js-tiktoken/lite';
import { Breather } from '../../../util/breathe.ts';
import { sendsSchema } from '../../language-model.ts';
import type { ChatReply, ChatRequest } from '../backends/chat-backend.ts';
import type { ModelUsage } from './usage-meter.ts';

/** Tokens that chat formats add per message, and once for the start of the reply. */
const TOKENS_PER_TURN = 4;
const TOKENS_PER_REQUEST = 3;
/** Providers count an image by its size: 85 to 1,600 tokens. */
const TOKENS_PER_IMAGE = 1_000;

/** The part of a request that is billed as its prompt. */
export type Prompted = Pick<ChatRequest, 'turns' | 'form' | 'tools'>;

/** The cost of one request, as the provider reported it, else counted here. Without a reply, the prompt's alone. */
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

/** Synchronous, without a vocabulary; overestimates rather than underestimates. */
export function roughPrompt(request: Prompted): number {
  return texts(request).reduce((tokens, text) => tokens + roughTokens(text), overhead(request));
}

function overhead({ turns }: Prompted): number {
  const images = turns.reduce((sum, turn) => sum + (turn.images?.length ?? 0), 0);
  return turns.length * TOKENS_PER_TURN + images * TOKENS_PER_IMAGE + TOKENS_PER_REQUEST;
}

/** Schemas that are sent beside the turns are part of the prompt too, and so are tools with what they replied. */
function texts({ turns, form, tools }: Prompted): string[] {
  const beside = form === null || !sendsSchema(form.strategy) ? [] : [JSON.stringify(form.shape.schema)];
  const ofTools = tools === undefined ? [] : [JSON.stringify(tools.offered), JSON.stringify(tools.rounds)];
  return [...turns.map(({ content }) => content), ...beside, ...ofTools];
}

function saidIn({ text, toolArguments }: ChatReply): string {
  if (toolArguments === undefined) return text;
  return text + (typeof toolArguments === 'string' ? toolArguments : JSON.stringify(toolArguments));
}

/** The encoder's cost grows with the square of a run's bytes: 20,000 letters in a row would take half a minute. */
const LONG_RUN =
  /[^\s\0-\x7f\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{8}(?=\S)|\S{32}(?=\S)|\s{32}(?=\s)/gu;
/** Ends before white space, which belongs to the word after it. */
const BLOCK = /[\s\S]{1,2000}(?=\s|$)|\S{1,2000}/g;
const ASCII = /[\0-\x7f]+/g;
/** Longer text in slow scripts (some 20 µs a character) is sampled. */
const MOST_SLOW_CHARACTERS = 16_000;

/**
 * Counts tokens with OpenAI's o200k vocabulary, which the first call loads (about a second). Exact for OpenAI's
 * present models, but for runs without a space, which count a little too high, and for very long texts in other
 * scripts than ASCII's, which are sampled; other models' vocabularies differ by some ten per cent.
 */
export class TokenCounter {
  #encoder: Promise<Tiktoken> | undefined;

  async count(text: string): Promise<number> {
    if (text === '') return 0;
    this.#encoder ??= loadEncoder();
    const encoder = await this.#encoder;
    const blocks = text.match(BLOCK) ?? [];
    const step = Math.ceil(text.replace(ASCII, '').length / MOST_SLOW_CHARACTERS) || 1;
    const breather = new Breather();
    let [tokens, characters] = [0, 0];
    for (let at = 0; at < blocks.length; at += step) {
      // A control token in a user's text is text, hence the empty lists.
      for (const piece of blocks[at]!.replace(LONG_RUN, '$&\u0000').split('\u0000'))
        tokens += encoder.encode(piece, [], []).length;
      characters += blocks[at]!.length;
      await breather.breathe();
    }
    return step === 1 ? tokens : Math.round((tokens * text.length) / characters);
  }
}

async function loadEncoder(): Promise<Tiktoken> {
  const [{ Tiktoken }, { default: ranks }] = await Promise.all([
    import('js-tiktoken/lite'),
    import('js-tiktoken/ranks/o200k_base'),
  ]);
  return new Tiktoken(ranks);
}

/** Letters of scripts that tokenizers merge into words; any other character is about one token. */
const KNOWN = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{M}\s]/gu;
const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_OTHER_CHARACTER = 0.75;

/** An estimate of a text's tokens, synchronous and without a vocabulary; rather too high than too low. */
export function roughTokens(text: string): number {
  const others = text.replace(KNOWN, '').length;
  const known = text.length - others;
  return Math.ceil(known / CHARACTERS_PER_TOKEN + others * TOKENS_PER_OTHER_CHARACTER);
}
