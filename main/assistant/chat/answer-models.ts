import type { UsageMeter } from '../../../src/inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel } from '../../../src/inference/language-model.ts';
import { seesImages } from '../../../src/inference/models/sees-images.ts';
import { type Config, withLocalModel } from '../../config.ts';
import { configuredLanguageModel } from '../../language-model.ts';

export interface AnswerModel {
  readonly name: string;
  readonly model: LanguageModel;
  /** Whether it takes images. */
  readonly sees: boolean;
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
   * The model of that name, with `local:` before it one of this computer; by default the configured one. Null if no
   * endpoint is configured and none was named.
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
      configuredLanguageModel(
        // The settings have fitted a configured model of this computer already.
        withLocalModel({ ...this.#config, llmModel: wanted }, () => llmProvider === 'local'),
        this.#environment,
      );
    this.#open.set(key, opening);
    opening.catch(() => this.#open.delete(key));
    return { name: key, model: await opening, sees: this.sees(name) };
  }

  /** Whether the model that `find` gives takes images. */
  sees(name?: string): boolean {
    const { llmProvider, llmModel, llmSees } = this.#config;
    const wanted = name ?? llmModel ?? '';
    if (llmProvider === 'none' || wanted.startsWith('local:')) return false;
    // The setting is about the model of the settings, not about others of its endpoint.
    if (wanted === llmModel && llmSees !== 'by-name') return llmSees === 'yes';
    return seesImages(llmProvider, wanted);
  }
}

/** The same model with every prose reply counted. */
export function metered(model: LanguageModel, meter: UsageMeter): LanguageModel {
  return {
    name: model.name,
    contextTokens: model.contextTokens,
    callsTools: model.callsTools,
    structured: (prompt, input, options) => model.structured(prompt, input, { meter, ...options }),
    text: (prompt, input, options) => model.text(prompt, input, { meter, ...options }),
    countTokens: (text) => model.countTokens(text),
  };
}
