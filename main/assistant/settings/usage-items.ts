import { z } from 'zod';
import type { SqlRow, SqlValue } from '../../../src/langgraph/checkpoints/sqlite-file.ts';
import { parseJson } from '../../../src/util/parse-json.ts';
import { estimateSchema } from '../../contract/jobs.ts';
import type { InputOf, OutputOf, Preferences, UsageItem } from '../../contract.ts';
import type { AppStore } from '../store/app-store.ts';
import { costOf } from './usage-report.ts';

type Prices = Preferences['prices'];
type Asked = InputOf<'usageItems'>;

const DAYS = 90;
const MOST = 50;
const DAY = 86_400_000;

const rowSchema = z.object({
  kind: z.enum(['import', 'question', 'other']).catch('other'),
  id: z.string(),
  name: z.string().nullable(),
  conversation: z.string().nullable(),
  at: z.coerce.number(),
  model: z.string().transform((name) => (name === '' ? null : name)),
  calls: z.coerce.number(),
  promptTokens: z.coerce.number(),
  completionTokens: z.coerce.number(),
  milliseconds: z.number().nullable(),
});

/** What imports and answers used; names come from where they are kept, so that forgetting reaches them there. */
export function usageItems(
  { file }: Pick<AppStore, 'file'>,
  { kind, days = DAYS, sort = 'newest', limit = MOST, skip = 0 }: Asked,
  { prices, now }: { readonly prices: Prices; readonly now: number },
): OutputOf<'usageItems'> {
  const order = orderOf(sort, prices);
  const rows = file.all(
    `SELECT used.kind, subject AS id, coalesce(job.name, conversation.title) AS name, used.conversation, used.at,
       model, calls, prompt_tokens AS promptTokens, completion_tokens AS completionTokens, milliseconds, estimate
     FROM usage_item AS used
     LEFT JOIN job ON used.kind = 'import' AND job.id = subject
     LEFT JOIN conversation ON conversation.id = used.conversation
     WHERE used.kind = ? AND used.at >= ?
     ORDER BY ${order.by} used.at DESC, subject, model LIMIT ? OFFSET ?`,
    [kind, now - days * DAY, ...order.values, limit + 1, skip],
  );
  return { items: rows.slice(0, limit).map((row) => itemOf(row, prices)), more: rows.length > limit };
}

/** Use of one answer; null if nothing was recorded of it. */
export function usageOfAnswer(
  { file }: Pick<AppStore, 'file'>,
  answer: string,
  prices: Prices,
): UsageItem | null {
  const [row] = file.all(
    `SELECT kind, subject AS id, NULL AS name, conversation, at, model, calls, prompt_tokens AS promptTokens,
       completion_tokens AS completionTokens, milliseconds, estimate
     FROM usage_item WHERE kind = 'question' AND subject = ? LIMIT 1`,
    [answer],
  );
  return row === undefined ? null : itemOf(row, prices);
}

function orderOf(
  sort: NonNullable<Asked['sort']>,
  prices: Prices,
): { readonly by: string; readonly values: readonly SqlValue[] } {
  if (sort === 'tokens') return { by: 'prompt_tokens + completion_tokens DESC,', values: [] };
  if (sort === 'time') return { by: 'milliseconds DESC,', values: [] };
  const priced = Object.entries(prices);
  if (sort === 'newest' || priced.length === 0) return { by: '', values: [] };
  const cases = priced.map(() => 'WHEN ? THEN prompt_tokens * ? + completion_tokens * ?').join(' ');
  return {
    by: `CASE model ${cases} WHEN '' THEN 0 ELSE -1 END DESC,`,
    values: priced.flatMap(([model, { prompt, completion }]) => [model, prompt, completion]),
  };
}

function itemOf({ estimate, ...row }: SqlRow, prices: Prices): UsageItem {
  const used = rowSchema.parse(row);
  const price = used.model !== null && Object.hasOwn(prices, used.model) ? prices[used.model] : undefined;
  const cost = used.model === null ? 0 : price === undefined ? null : costOf(used, price);
  return { ...used, cost, estimate: estimateIn(estimate) };
}

function estimateIn(text: SqlValue | undefined): UsageItem['estimate'] {
  if (typeof text !== 'string') return null;
  const read = parseJson(text);
  return read.ok ? (estimateSchema.safeParse(read.value).data ?? null) : null;
}
