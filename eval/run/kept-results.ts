import { z } from 'zod';
import { KeptLines } from './kept-lines.ts';

const figures = z.record(z.string(), z.number());

/** One question under one line of the table and one seed. Figures are by metric (`METRICS`). */
const answerSchema = z.strictObject({
  kind: z.literal('answer'),
  /** Digest of the settings of its line. */
  row: z.string(),
  seed: z.number(),
  scope: z.string(),
  id: z.string(),
  category: z.string(),
  question: z.string(),
  gold: z.string().nullable(),
  /** Null: it was not answered. */
  answer: z.string().nullable(),
  verdict: z.string().nullable(),
  evidenceTurns: z.array(z.string()),
  /** Source ids, the best ranked first. */
  rankedTurns: z.array(z.string()),
  contextTurns: z.array(z.string()),
  figures,
  notes: z.array(z.string()),
});
/** A conversation that a memory holds whole. */
const ingestedSchema = z.strictObject({
  kind: z.literal('ingested'),
  memory: z.string(),
  scope: z.string(),
  turns: z.number(),
  seconds: z.number(),
  setAside: z.number(),
});
const lineSchema = z.discriminatedUnion('kind', [answerSchema, ingestedSchema]);
export type KeptAnswer = z.output<typeof answerSchema>;
export type IngestedCase = z.output<typeof ingestedSchema>;

const keyOf = ({ row, seed, scope, id }: Pick<KeptAnswer, 'row' | 'seed' | 'scope' | 'id'>) =>
  JSON.stringify([row, seed, scope, id]);

/** What an evaluation has done: it outlives a kill, and the next run goes on behind it. */
export class KeptResults {
  readonly #lines: KeptLines<z.output<typeof lineSchema>>;
  readonly #answers = new Map<string, KeptAnswer>();
  readonly #ingested = new Map<string, IngestedCase>();

  private constructor(lines: KeptLines<z.output<typeof lineSchema>>) {
    this.#lines = lines;
  }

  /** @throws what `KeptLines.open` throws. */
  static async open(file: string): Promise<KeptResults> {
    const known: z.output<typeof lineSchema>[] = [];
    const results = new KeptResults(await KeptLines.open(file, lineSchema, (line) => known.push(line)));
    for (const line of known) results.#note(line);
    return results;
  }

  answer(of: Parameters<typeof keyOf>[0]): KeptAnswer | undefined {
    return this.#answers.get(keyOf(of));
  }

  ingested(memory: string, scope: string): IngestedCase | undefined {
    return this.#ingested.get(JSON.stringify([memory, scope]));
  }

  async keep(line: KeptAnswer | IngestedCase): Promise<void> {
    await this.#lines.append(line);
    this.#note(line);
  }

  close(): Promise<void> {
    return this.#lines.close();
  }

  #note(line: KeptAnswer | IngestedCase): void {
    if (line.kind === 'answer') this.#answers.set(keyOf(line), line);
    else this.#ingested.set(JSON.stringify([line.memory, line.scope]), line);
  }
}
