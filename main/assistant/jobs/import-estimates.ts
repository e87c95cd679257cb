import type { ImportPreviewReply } from '../../contract/jobs.ts';
import type { UsageEstimate } from '../usage-log.ts';

type Cost = ImportPreviewReply['cost'];

/** Uploads whose estimate is kept. */
const MOST = 200;

/** What the last preview of each upload expected, until its import begins. A restart of the engine loses them. */
export class ImportEstimates {
  readonly #costs = new Map<string, Cost>();

  note(upload: string, cost: Cost): void {
    this.#costs.delete(upload);
    this.#costs.set(upload, cost);
    const [oldest] = this.#costs.keys();
    if (this.#costs.size > MOST && oldest !== undefined) this.#costs.delete(oldest);
  }

  /** Null where no preview was made, or the model's use cannot be foreseen. */
  take(upload: string, { model, enrich }: { readonly model: string | null; readonly enrich: boolean }) {
    const cost = this.#costs.get(upload);
    this.#costs.delete(upload);
    return cost === undefined || !enrich ? null : estimateOf(cost, model);
  }
}

function estimateOf({ local, llm }: Cost, model: string | null): UsageEstimate | null {
  return model === null ? { calls: 0, tokens: 0, seconds: local.seconds, dollars: 0 } : llm;
}
