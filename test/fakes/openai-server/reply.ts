import { type ChatAsked, type Fault, type Said, type TokensCharged, ToolCalls } from './script.ts';
import { countPrompt, countTokens, guessTokens } from './tokens.ts';

/** A reply before it is put into a protocol's words. */
export interface ChatAnswer {
  readonly text: string;
  /** The text is what the tool is called with. */
  readonly asTool: boolean;
  /** Tools that the model asks for of itself, with their arguments as text. */
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly refusal: string | null;
  readonly finish: 'stop' | 'length' | 'content_filter' | 'tool_calls';
  readonly choices: 0 | 1;
  readonly charged: TokensCharged;
  /** Null where the reply does not tell. */
  readonly usage: TokensCharged | null;
}

/** What the model says to a request, spoiled by the fault if that is of this kind. */
export async function answer(
  asked: ChatAsked,
  said: Said,
  { fault, guesses }: { readonly fault: Fault | null; readonly guesses: boolean },
): Promise<ChatAnswer> {
  const count = guesses ? guessTokens : countTokens;
  const asks = said instanceof ToolCalls ? said : null;
  const meant = asks ? asks.before : typeof said === 'string' ? said : JSON.stringify(said);
  const text = spoil(meant, fault);
  const refusal = fault?.kind === 'refusal' ? 'I cannot help with that.' : null;
  const charged = {
    promptTokens: await countPrompt(asked, count),
    completionTokens: await count(refusal ?? text),
  };
  return {
    text,
    asTool: asked.strategy === 'tool' && text !== '' && refusal === null,
    calls: (asks?.calls ?? []).map(({ name, arguments: given }) => ({
      name,
      arguments: typeof given === 'string' ? given : JSON.stringify(given),
    })),
    refusal,
    finish: asks && fault?.kind !== 'truncated' ? 'tool_calls' : finishOf(asked, fault),
    choices: fault?.kind === 'no-choices' ? 0 : 1,
    charged,
    usage: fault?.kind === 'no-usage' ? null : charged,
  };
}

function spoil(text: string, fault: Fault | null): string {
  switch (fault?.kind) {
    case 'malformed-json':
      return `{"broken: ${text.slice(0, 20).replaceAll(/["{}[\]]/g, '')} ::`;
    case 'wrong-schema':
      return '{"unheardOf":{"of":"this"},"shape":[1,2,3]}';
    case 'refusal':
    case 'filtered':
    case 'empty':
      return '';
    case 'truncated':
      return text.slice(0, Math.floor(text.length * fault.part));
    default:
      return text;
  }
}

function finishOf(asked: ChatAsked, fault: Fault | null): ChatAnswer['finish'] {
  if (fault?.kind === 'truncated') return 'length';
  if (fault?.kind === 'filtered') return 'content_filter';
  return asked.strategy === 'tool' && fault?.kind !== 'empty' && fault?.kind !== 'refusal'
    ? 'tool_calls'
    : 'stop';
}
