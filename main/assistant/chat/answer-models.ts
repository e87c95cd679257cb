import type { UsageMeter } from '../../../src/inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel } from '../../../src/inference/language-model.ts';
import type { Config } from '../../config.ts';
import { configuredLanguageModel } from '../../language-model.ts';

export interface AnswerModel {
  readonly name: string;
  readonly model: LanguageModel;
}

/** The models of the configured endpoint, each opened when it first answers. */
export class AnswerModels {
  readonly #config: Config;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #open = new Map<string, Promise<LanguageModel>>();

  constructor(config: Config, environment: Readonly<Record<string, string | undefined>>) {
    this.#config = config;
    this.#environment = environment;
  }

  /**
   * The model of that name, by default the configured one; null if no endpoint is configured and none was named.
   *
   * @throws InvalidSettingError
   */
  async find(name?: string): Promise<AnswerModel | null> {
    const { llmProvider, llmModel } = this.#config;
    const wanted = name ?? llmModel;
    if (llmProvider === 'none' && name === undefined) return null;
    const key = wanted ?? '';
    const opening =
      this.#open.get(key) ??
      configuredLanguageModel({ ...this.#config, llmModel: wanted }, this.#environment);
    this.#open.set(key, opening);
    opening.catch(() => this.#open.delete(key));
    return { name: key, model: await opening };
  }
}

/** The same model with every prose reply counted. */
export function metered(model: LanguageModel, meter: UsageMeter): LanguageModel {
  return {
    name: model.name,
    contextTokens: model.contextTokens,
    structured: (prompt, input, options) => model.structured(prompt, input, { meter, ...options }),
    text: (prompt, input, options) => model.text(prompt, input, { meter, ...options }),
    countTokens: (text) => model.countTokens(text),
  };
}
