import type { ModelUsage } from '../../../src/inference/language-model/tokens/usage-meter.ts';
import type { AppContext } from '../app-context.ts';

/** Adds what reading turns for facts has used to the totals of the day. */
export function recordReading(
  { store, clock, config }: Pick<AppContext, 'store' | 'clock' | 'config'>,
  { calls, promptTokens, completionTokens }: Pick<ModelUsage, 'calls' | 'promptTokens' | 'completionTokens'>,
): void {
  if (calls + promptTokens + completionTokens === 0) return;
  store.file.run(
    `INSERT INTO usage_day VALUES (?, ?, 'reading', ?, ?, ?) ON CONFLICT (day, model, purpose) DO UPDATE SET
      calls = calls + excluded.calls,
      prompt_tokens = prompt_tokens + excluded.prompt_tokens,
      completion_tokens = completion_tokens + excluded.completion_tokens`,
    [
      ...[new Date(clock()).toISOString().slice(0, 10), config.llmModel ?? config.llmProvider],
      ...[calls, promptTokens, completionTokens],
    ],
  );
}
