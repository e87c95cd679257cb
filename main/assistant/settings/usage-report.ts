import { z } from 'zod';
import { isoDay } from '../../../src/util/iso-day.ts';
import type { OutputOf, Preferences } from '../../contract.ts';
import type { AppStore } from '../store/app-store.ts';

const rowSchema = z.object({
  day: z.string(),
  model: z.string(),
  purpose: z.enum(['chat', 'reading', 'other']).catch('other'),
  calls: z.coerce.number(),
  promptTokens: z.coerce.number(),
  completionTokens: z.coerce.number(),
});

const DAY = 86_400_000;

/** Days, today included, of which model use is listed. Days are those of UTC. */
interface UsagePeriod {
  readonly days: number;
  readonly now: number;
  readonly prices: Preferences['prices'];
}

/** Model use by day and model, the newest day first; the cost is by today's prices. */
export function usageReport(
  { file }: Pick<AppStore, 'file'>,
  { days, now, prices }: UsagePeriod,
): OutputOf<'usage'>['rows'] {
  const first = isoDay(now - (days - 1) * DAY);
  const rows = file.all(
    `SELECT day, model, purpose, calls, prompt_tokens AS promptTokens, completion_tokens AS completionTokens
     FROM usage_day WHERE day >= ? ORDER BY day DESC, model, purpose`,
    [first],
  );
  return rows.map((row) => {
    const used = rowSchema.parse(row);
    const price = Object.hasOwn(prices, used.model) ? prices[used.model] : undefined;
    return { ...used, cost: price === undefined ? null : costOf(used, price) };
  });
}

export function costOf(
  { promptTokens, completionTokens }: { promptTokens: number; completionTokens: number },
  price: { readonly prompt: number; readonly completion: number },
): number {
  return (promptTokens * price.prompt + completionTokens * price.completion) / 1e6;
}
