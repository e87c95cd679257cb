import { z } from 'zod';
import { FileUnreadableError } from '../../src/errors/index.ts';
import { type RejectedRecord, rejected } from '../../src/importers/importer.ts';
import { readJsonFile } from '../../src/importers/json/json-format.ts';
import { describeIssues } from '../../src/util/describe-issues.ts';

const QUESTION_ID = /_qa(\d{1,6})$/;

const correctionSchema = z.object({
  question_id: z.string().default(''),
  sample_id: z.string().trim().min(1),
  question: z.string().trim().min(1),
  correct_evidence: z.union([z.string().transform((id) => [id]), z.array(z.string())]).nullish(),
  correct_answer: z.union([z.string(), z.number()]).transform(String).nullish(),
});

/** The audit's correction of one question; null if the official gold stays. */
export interface Correction {
  readonly where: string;
  readonly sample: string;
  readonly question: string;
  /** Position in the sample's `qa`, from 0, if its id tells. */
  readonly position: number | null;
  readonly evidence: readonly string[] | null;
  readonly answer: string | null;
}

/** Corrections of an audit file, matched by sample and question text: some audits number questions differently. */
export class LocomoGold {
  readonly #corrections = new Map<string, Correction[]>();
  readonly #used = new Set<Correction>();

  constructor(corrections: readonly Correction[]) {
    for (const correction of corrections) {
      const key = keyOf(correction.sample, correction.question);
      this.#corrections.set(key, [...(this.#corrections.get(key) ?? []), correction]);
    }
  }

  /** `repeated`: the sample repeats the question text, so the position decides. */
  find(
    sample: string,
    question: string,
    at: { position: number; repeated: boolean },
  ): Correction | undefined {
    const candidates = this.#corrections.get(keyOf(sample, question)) ?? [];
    const exact = candidates.find((candidate) => candidate.position === at.position);
    const found = exact ?? (at.repeated ? undefined : candidates[0]);
    if (found !== undefined) this.#used.add(found);
    return found;
  }

  /** Corrections of these samples that matched no question: the audit is for another version of the data. */
  unused(samples: ReadonlySet<string>): Correction[] {
    return [...this.#corrections.values()]
      .flat()
      .filter((correction) => samples.has(correction.sample) && !this.#used.has(correction));
  }
}

/** Throws FileUnreadableError; invalid corrections are added to `problems`. */
export async function readLocomoGold(path: string, problems: RejectedRecord[], signal?: AbortSignal) {
  const root = await readJsonFile(path, signal);
  if (!Array.isArray(root)) throw new FileUnreadableError(path, 'it is not a list of corrections');
  const corrections: Correction[] = [];
  for (const [position, raw] of root.entries()) {
    const where = `gold file, entry ${position + 1}`;
    const parsed = correctionSchema.safeParse(raw);
    if (parsed.success) corrections.push(toCorrection(where, parsed.data));
    else problems.push(rejected(where, describeIssues(parsed.error)));
  }
  return new LocomoGold(corrections);
}

function toCorrection(where: string, raw: z.output<typeof correctionSchema>): Correction {
  const position = QUESTION_ID.exec(raw.question_id)?.[1];
  return {
    where,
    sample: raw.sample_id,
    question: raw.question,
    position: position === undefined ? null : Number(position),
    evidence: raw.correct_evidence ?? null,
    answer: raw.correct_answer ?? null,
  };
}

function keyOf(sample: string, question: string): string {
  return JSON.stringify([sample, questionKey(question)]);
}

/** Two texts with equal keys are the same question: case, punctuation and spacing aside. */
export function questionKey(question: string): string {
  return question
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
