import { CancelledError } from '../../../errors/index.ts';
import type { ModelCallOptions } from '../../language-model.ts';
import { type ModelUsage, UsageMeter } from '../tokens/usage-meter.ts';

/** Counts for the result of one piece of work, and for whoever pays for all. */
class PassingMeter extends UsageMeter {
  readonly #payer: UsageMeter | undefined;

  constructor(payer: UsageMeter | undefined) {
    super();
    this.#payer = payer;
  }

  override record(prompt: string, usage: ModelUsage): void {
    super.record(prompt, usage);
    this.#payer?.record(prompt, usage);
  }
}

/**
 * The options of a stage's calls: what the caller gave, over what the stage was made with, since the stages' ports
 * know a signal only. `meter.total` is then what this piece of work cost, failed and repeated requests included.
 *
 * @throws CancelledError when the signal has fired, also where the stage would make no call.
 */
export function stageCalls(made: ModelCallOptions, given: ModelCallOptions) {
  const { signal = made.signal, budget = made.budget, meter = made.meter } = given;
  if (signal?.aborted) throw new CancelledError('memory is as it was before this stage', signal.reason);
  return { signal, budget, meter: new PassingMeter(meter) };
}
