import { z } from 'zod';
import { FileUnreadableError } from '../src/errors/index.ts';
import { readJsonFile } from '../src/importers/json/json-format.ts';
import { describeIssues } from '../src/util/describe-issues.ts';
import type { KnownFact } from './known-facts.ts';
import { type Estimate, shareOf } from './metrics/estimate.ts';

const words = z.string().trim().min(1);
/** What a person would want kept. It is kept if a fact cites one of the turns and has all key words. */
const goldenSchema = z.strictObject({
  statement: words.optional(),
  turns: z.array(z.string().includes('/')).min(1),
  /** Beginnings of words, in whatever case; one of a list suffices. */
  keys: z.array(z.union([words, z.array(words).min(1)])).min(1),
});
export type GoldenFact = z.output<typeof goldenSchema>;

/** Reads golden statements; by default those that ship with the package. @throws FileUnreadableError */
export async function readGolden(file?: string, signal?: AbortSignal): Promise<GoldenFact[]> {
  const parsed =
    file === undefined
      ? (await import('./datasets/facts/golden.json', { with: { type: 'json' } })).default
      : await readJsonFile(file, signal);
  const rows = z.array(goldenSchema).safeParse(parsed);
  if (!rows.success) throw new FileUnreadableError(file ?? 'golden.json', describeIssues(rows.error));
  return rows.data;
}

/** The statements about one scope. */
export interface GoldenShare {
  readonly statements: number;
  /** In percent. */
  readonly kept: Estimate | null;
  /** The first turn of each statement that no fact says. */
  readonly missing: readonly string[];
}

export function goldenShare(golden: readonly GoldenFact[], facts: readonly KnownFact[]): GoldenShare {
  const missing = golden.filter((each) => !facts.some((fact) => says(fact, each)));
  return {
    statements: golden.length,
    kept: shareOf(golden.length - missing.length, golden.length),
    missing: missing.map(({ turns }) => turns[0]!),
  };
}

/** The statements whose turns are in the scope. */
export function goldenOf(golden: readonly GoldenFact[], scope: string): GoldenFact[] {
  return golden.filter(({ turns }) => turns[0]!.startsWith(`${scope}/`));
}

function says({ statement, turns }: KnownFact, golden: GoldenFact): boolean {
  const text = inWords(statement);
  return (
    golden.turns.some((turn) => turns.includes(turn)) &&
    golden.keys.every((key) => [key].flat().some((each) => text.includes(inWords(each))))
  );
}

/** Lower case, with one space before each word and for whatever is no letter and no digit. */
function inWords(text: string): string {
  return ` ${text.toLowerCase()}`.replace(/[^\p{L}\p{N}]+/gu, ' ').trimEnd();
}
