import { CancelledError } from '../../../errors/index.ts';
import type { ModelCallOptions } from '../../language-model.ts';
import type { Dropped } from '../reading/drop-log.ts';
import { type ModelUsage, UsageMeter } from '../tokens/usage-meter.ts';

/** Counts for one piece of work, and passes each record on to the caller's meter. */
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

  override recordDropped(dropped: readonly Dropped[]): readonly Dropped[] {
    this.#payer?.recordDropped(dropped);
    return super.recordDropped(dropped);
  }
}

/**
 * The options of a stage's calls: the caller's, else those that the stage was created with, since the stages'
 * ports take a signal only. `meter.total` is the cost of this piece of work, failed and repeated requests
 * included.
 *
 * @throws CancelledError when the signal has fired, also where the stage would make no call.
 */
export function stageCalls(made: ModelCallOptions, given: ModelCallOptions) {
  const { signal = made.signal, budget = made.budget, meter = made.meter } = given;
  if (signal?.aborted) throw new CancelledError('memory is unchanged before this stage', signal.reason);
  return { signal, budget, meter: new PassingMeter(meter) };
}
