import type { z } from 'zod';
import type { SqliteFile } from '../../src/langgraph/checkpoints/sqlite-file.ts';
import { NO_USAGE, type Usage } from '../../src/model/retrieved-item.ts';
import { isoDay } from '../../src/util/iso-day.ts';
import type { estimateSchema } from '../contract/jobs.ts';

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

export interface UsedBy {
  readonly kind: 'import' | 'question' | 'other';
  /** Id of the job or of the answer; the ISO date for a day of reading. */
  readonly subject: string;
  /** Null where no model was asked. */
  readonly model: string | null;
  readonly conversation?: string | null;
  readonly usage: Usage;
  readonly milliseconds: number;
}

/** What an import was expected to use. */
export type UsageEstimate = z.output<typeof estimateSchema>;

/** Totals of model use by day, model and purpose; and what each import and answer used. */
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
      [isoDay(this.#clock()), model, purpose, calls, promptTokens, completionTokens],
    );
  }

  /** Adds to what was recorded of the same subject and model. */
  add({ kind, subject, model, conversation = null, usage, milliseconds }: UsedBy): void {
    this.#file.run(
      `INSERT INTO usage_item (kind, subject, model, conversation, at, calls, prompt_tokens, completion_tokens,
         milliseconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET at = excluded.at, calls = calls + excluded.calls,
         prompt_tokens = prompt_tokens + excluded.prompt_tokens,
         completion_tokens = completion_tokens + excluded.completion_tokens,
         milliseconds = coalesce(milliseconds, 0) + excluded.milliseconds`,
      [
        ...[kind, subject, model ?? '', conversation, this.#clock()],
        ...[usage.calls, usage.promptTokens, usage.completionTokens, milliseconds],
      ],
    );
  }

  /** Reading of remembered turns, which belongs to no single answer. */
  addReading({ model, usage, milliseconds }: Pick<UsedBy, 'model' | 'usage' | 'milliseconds'>): void {
    this.add({ kind: 'other', subject: isoDay(this.#clock()), model, usage, milliseconds });
  }

  expect(job: string, model: string | null, estimate: UsageEstimate): void {
    this.add({ kind: 'import', subject: job, model, usage: NO_USAGE, milliseconds: 0 });
    this.#file.run("UPDATE usage_item SET estimate = ? WHERE kind = 'import' AND subject = ? AND model = ?", [
      ...[JSON.stringify(estimate), job, model ?? ''],
    ]);
  }

  /** The newest day first. */
  rows(days: number): UsageRow[] {
    const first = isoDay(this.#clock() - (days - 1) * 86_400_000);
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
