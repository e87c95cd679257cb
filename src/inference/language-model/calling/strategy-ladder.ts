import { InvalidInputError, type ModelRequestRefusedError } from '../../../errors/index.ts';
import { STRATEGIES, type Strategy } from '../../language-model.ts';

/**
 * Which way of asking for a schema a model takes. What it refused is not asked again: for every prompt, or for
 * this prompt alone where the refusal was about its schema.
 */
export class StrategyLadder {
  readonly #strategies: readonly Strategy[];
  #first = 0;
  readonly #firstOf = new Map<string, number>();

  constructor(strategies: readonly Strategy[] = STRATEGIES) {
    if (strategies.length === 0)
      throw new InvalidInputError('A language model needs one way at least to ask for a schema');
    this.#strategies = strategies;
  }

  /** The strategies that are worth asking for, the surest first. */
  for(prompt: string): readonly Strategy[] {
    return this.#strategies.slice(Math.max(this.#first, this.#firstOf.get(prompt) ?? 0));
  }

  /** A request was refused and the same one with a later strategy was answered, so that the strategy was the reason. */
  learn(prompt: string, worked: Strategy, refusal: ModelRequestRefusedError): void {
    const first = this.#strategies.indexOf(worked);
    if (refusal.about === 'schema') this.#firstOf.set(prompt, first);
    else this.#first = Math.max(this.#first, first);
  }
}
