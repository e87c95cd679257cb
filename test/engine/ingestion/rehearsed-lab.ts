import { memoryRehearsals } from '../../../eval/rehearsal/memory-rehearsals.ts';
import {
  readingRehearsals,
  rehearsalTable,
  stepRehearsals,
} from '../../../eval/rehearsal/reading-rehearsals.ts';
import { UsageMeter } from '../../../src/inference/language-model/tokens/usage-meter.ts';
import type {
  LanguageModel,
  ModelCallOptions,
  TextCallOptions,
} from '../../../src/inference/language-model.ts';
import type { Prompt, TextPrompt } from '../../../src/model/prompt.ts';
import type { ChatAsked, Fault, Said, ScriptedServerOptions } from '../../fakes/openai-server/script.ts';
import type { ScriptedOpenAiServer } from '../../fakes/openai-server/scripted-openai-server.ts';
import { openLab } from '../../inference/language-model/model-lab.ts';

export interface RehearsedLabOptions extends Omit<ScriptedServerOptions, 'reply'> {
  /** For one request, in milliseconds. */
  readonly timeout?: number;
}

export interface RehearsedLab extends AsyncDisposable {
  readonly server: ScriptedOpenAiServer;
  readonly model: LanguageModel;
  /** Counts every call of the model, those of work that failed included. */
  readonly meter: UsageMeter;
  /** Names of the prompts that were asked, in order; requests of one prompt, repeated or mended, count once. */
  readonly asked: string[];
  /** Called before each reply, with what stands in the request. */
  before: (asked: ChatAsked & { readonly prompt: string }) => Promise<void> | void;
}

/**
 * A language model behind a real HTTP server that replies what the local stages find: each request is known again
 * by its words, and answered from the input that they were rendered from. It mends what it said before, too.
 */
export async function openRehearsedLab({
  timeout,
  ...script
}: RehearsedLabOptions = {}): Promise<RehearsedLab> {
  const table = rehearsalTable([...readingRehearsals(), ...stepRehearsals(), ...memoryRehearsals()]);
  const rendered = new Map<string, { readonly prompt: string; readonly input: unknown }>();
  const spoken: string[] = [];
  const signal = new AbortController().signal;
  const asked: string[] = [];
  const reply = async (request: ChatAsked): Promise<Said> => {
    const found = request.messages.map(({ content }) => rendered.get(content)).find((each) => each);
    if (found === undefined) return mended(request, spoken);
    await lab.before({ ...request, prompt: found.prompt });
    const said = JSON.stringify(await table.get(found.prompt)!(found.input as never, signal));
    spoken.push(said);
    return said;
  };
  const { server, model, ...rest } = await openLab('openai', {
    ...(timeout === undefined ? {} : { timeout }),
    server: { ...script, reply },
  });
  const meter = new UsageMeter();
  const note = <Input>(prompt: TextPrompt<Input>, input: Input) => {
    asked.push(prompt.name);
    rendered.set(prompt.render(input).user, { prompt: prompt.name, input });
  };
  const lab: RehearsedLab = {
    server,
    meter,
    asked,
    before: () => undefined,
    model: {
      name: model.name,
      contextTokens: model.contextTokens,
      countTokens: (text) => model.countTokens(text),
      structured: <Input, Output>(
        prompt: Prompt<Input, Output>,
        input: Input,
        options: ModelCallOptions = {},
      ) => {
        note(prompt, input);
        return model.structured(prompt, input, { ...options, meter: both(meter, options.meter) });
      },
      text: <Input>(prompt: TextPrompt<Input>, input: Input, options: TextCallOptions = {}) =>
        model.text(prompt, input, { ...options, meter: both(meter, options.meter) }),
    },
    [Symbol.asyncDispose]: rest[Symbol.asyncDispose],
  };
  return lab;
}

/** The whole of what was said, if this is the beginning of it; what is too broken to tell stays broken. */
function mended({ messages }: ChatAsked, spoken: readonly string[]): Said {
  const quote = messages.at(-1)?.content ?? '';
  return spoken.findLast((said) => quote.length > 0 && said.startsWith(quote)) ?? '{"still: broken';
}

class Both extends UsageMeter {
  readonly #other: UsageMeter | undefined;
  readonly #first: UsageMeter;

  constructor(first: UsageMeter, other: UsageMeter | undefined) {
    super();
    this.#first = first;
    this.#other = other;
  }

  override record(...input: Parameters<UsageMeter['record']>): void {
    this.#first.record(...input);
    this.#other?.record(...input);
  }
}

const both = (first: UsageMeter, other: UsageMeter | undefined) => new Both(first, other);

/** Every kind of fault that the server knows. */
export const ALL_FAULTS: readonly Fault[] = [
  { kind: 'rate-limit', retryAfter: '1' },
  { kind: 'server-error', status: 503 },
  { kind: 'refuse', status: 400 },
  { kind: 'hang' },
  { kind: 'drip', bytes: 400, everyMs: 1 },
  { kind: 'reset' },
  { kind: 'cut' },
  { kind: 'quiet-cut' },
  { kind: 'garbled-body' },
  { kind: 'no-choices' },
  { kind: 'malformed-json' },
  { kind: 'wrong-schema' },
  { kind: 'refusal' },
  { kind: 'filtered' },
  { kind: 'truncated', part: 0.5 },
  { kind: 'empty' },
  { kind: 'no-usage' },
];
