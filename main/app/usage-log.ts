import type { SqliteFile } from '../../src/langgraph/checkpoints/sqlite-file.ts';
import type { Usage } from '../../src/model/retrieved-item.ts';

export type UsagePurpose = 'chat' | 'reading' | 'other';

export interface UsageEntry {
  readonly model: string;
  readonly purpose: UsagePurpose;
  readonly usage: Usage;
}

export interface UsageRow extends Usage {
  /** ISO date. */
  readonly day: string;
  readonly model: string;
  readonly purpose: UsagePurpose;
}

/** Totals of model use by day, model and purpose. */
export class UsageLog {
  readonly #file: SqliteFile;
  readonly #clock: () => number;

  constructor(file: SqliteFile, clock: () => number) {
    this.#file = file;
    this.#clock = clock;
  }

  record({ model, purpose, usage }: UsageEntry): void {
    const { calls, promptTokens, completionTokens } = usage;
    if (calls === 0) return;
    this.#file.run(
      `INSERT INTO usage_day (day, model, purpose, calls, prompt_tokens, completion_tokens)
       VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET calls = calls + excluded.calls,
         prompt_tokens = prompt_tokens + excluded.prompt_tokens,
         completion_tokens = completion_tokens + excluded.completion_tokens`,
      [dayOf(this.#clock()), model, purpose, calls, promptTokens, completionTokens],
    );
  }

  /** The newest day first. */
  rows(days: number): UsageRow[] {
    const first = dayOf(this.#clock() - (days - 1) * 86_400_000);
    return this.#file
      .all('SELECT * FROM usage_day WHERE day >= ? ORDER BY day DESC, model, purpose', [first])
      .map((row) => ({
        day: String(row.day),
        model: String(row.model),
        purpose: row.purpose === 'chat' || row.purpose === 'reading' ? row.purpose : 'other',
        calls: Number(row.calls),
        promptTokens: Number(row.prompt_tokens),
        completionTokens: Number(row.completion_tokens),
      }));
  }
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
