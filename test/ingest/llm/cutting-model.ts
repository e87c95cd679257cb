import type {
  LanguageModel,
  ModelCallOptions,
  StructuredReply,
} from '../../../src/inference/language-model.ts';
import type { Prompt, RenderedPrompt, TextPrompt } from '../../../src/model/prompt.ts';
import { FakeLanguageModel } from '../../fakes/language-model/fake-language-model.ts';

interface CutReply {
  readonly reply: unknown;
  readonly truncated: boolean;
}

/** A model in memory that reports whether the token limit truncated a reply. */
export class CuttingModel implements LanguageModel {
  readonly name = 'fake:cutting';
  readonly contextTokens = null;
  readonly #reply: (prompt: RenderedPrompt & { readonly name: string }) => CutReply;

  constructor(reply: (prompt: RenderedPrompt & { readonly name: string }) => CutReply) {
    this.#reply = reply;
  }

  async structured<Input, Output>(
    prompt: Prompt<Input, Output>,
    input: Input,
    options: ModelCallOptions = {},
  ): Promise<StructuredReply<Output>> {
    const { reply, truncated } = this.#reply({ ...prompt.render(input), name: prompt.name });
    return { ...(await new FakeLanguageModel(() => reply).structured(prompt, input, options)), truncated };
  }

  text<Input>(prompt: TextPrompt<Input>, input: Input, options: ModelCallOptions = {}) {
    return new FakeLanguageModel(() => '').text(prompt, input, options);
  }

  async countTokens(text: string): Promise<number> {
    return text.length;
  }
}
