import { z } from 'zod';
import { FileUnreadableError } from '../src/errors/index.ts';
import { readJsonFile } from '../src/importers/json/json-format.ts';
import { groupBy } from '../src/util/collections.ts';
import { describeIssues } from '../src/util/describe-issues.ts';
import type { KnownFact } from './known-facts.ts';
import { type Estimate, shareOf } from './metrics/estimate.ts';
import { round } from './metrics/numbers.ts';

/** What a reader says of a fact: `docs/retrieval.md, "Facts judged by hand"`. */
export const FACT_QUESTIONS = ['true', 'whole', 'worth'] as const;
export type FactQuestion = (typeof FACT_QUESTIONS)[number];

const verdict = z.enum(['yes', 'no', '']);
const verdictSchema = z.object({
  id: z.string().includes('/'),
  from: z.string(),
  to: z.string().nullable(),
  true: verdict,
  whole: verdict,
  worth: verdict,
});
/** A row of a sheet; a row with an empty verdict is not judged. What else is in the row is for people. */
export type FactVerdict = z.output<typeof verdictSchema>;

/** A fact for a person to judge: nothing tells which version or tier made it. */
export interface FactRow extends FactVerdict {
  readonly fact: string;
  /** The turns that it cites: day, speaker and words. */
  readonly turns: readonly string[];
}

export function factRow(
  { id, statement, from, to, turns }: KnownFact,
  wordsOf: (turn: string) => string,
): FactRow {
  return { id, fact: statement, from, to, turns: turns.map(wordsOf), true: '', whole: '', worth: '' };
}

/** Reads the verdicts of one reader. @throws FileUnreadableError */
export async function readVerdicts(file: string, signal?: AbortSignal): Promise<FactVerdict[]> {
  return verdictsIn(await readJsonFile(file, signal), file);
}

/** The verdicts in a parsed file, without the rows that are not judged. @throws FileUnreadableError */
export function verdictsIn(parsed: unknown, file: string): FactVerdict[] {
  const rows = z.array(verdictSchema).safeParse(parsed);
  if (!rows.success) throw new FileUnreadableError(file, describeIssues(rows.error));
  return rows.data.filter((row) => FACT_QUESTIONS.every((question) => row[question] !== ''));
}

/** The verdicts about facts that come out as they were judged: the same statement, turn and days. */
export function verdictsOn(verdicts: readonly FactVerdict[], facts: readonly KnownFact[]): FactVerdict[] {
  const keyOf = ({ id, from, to }: Pick<FactVerdict, 'id' | 'from' | 'to'>) => JSON.stringify([id, from, to]);
  const keys = new Set(facts.map(keyOf));
  return verdicts.filter((row) => keys.has(keyOf(row)));
}

/** Shares of judged facts in percent. */
export interface FactShares extends Readonly<Record<FactQuestion | 'all', Estimate | null>> {
  readonly judged: number;
}

function sharesOf(rows: readonly FactVerdict[]): FactShares {
  const share = (passes: (row: FactVerdict) => boolean) => shareOf(rows.filter(passes).length, rows.length);
  return {
    judged: rows.length,
    true: share((row) => row.true === 'yes'),
    whole: share((row) => row.whole === 'yes'),
    worth: share((row) => row.worth === 'yes'),
    all: share((row) => FACT_QUESTIONS.every((question) => row[question] === 'yes')),
  };
}

/** Shares over all verdicts, and by the scope of their facts. */
export interface ReaderShares {
  readonly overall: FactShares;
  readonly byScope: Readonly<Record<string, FactShares>>;
}

export function sharesByScope(rows: readonly FactVerdict[]): ReaderShares {
  const groups = groupBy(rows, ({ id }) => scopeOf(id));
  return {
    overall: sharesOf(rows),
    byScope: Object.fromEntries([...groups].map(([scope, group]) => [scope, sharesOf(group)])),
  };
}

/** The scope in the id of a fact. */
export function scopeOf(id: string): string {
  return id.slice(0, id.lastIndexOf('/'));
}

/** How two readers agree on the facts that both judged. */
export interface Agreement {
  readonly facts: number;
  readonly byQuestion: Readonly<
    Record<FactQuestion, { readonly percent: number; readonly kappa: number | null }>
  >;
}

/** Null without a common fact. */
export function agreementOf(first: readonly FactVerdict[], second: readonly FactVerdict[]): Agreement | null {
  const others = new Map(second.map((row) => [row.id, row]));
  const pairs = first.flatMap((row) => {
    const other = others.get(row.id);
    return other === undefined ? [] : [[row, other] as const];
  });
  if (pairs.length === 0) return null;
  const of = (question: FactQuestion) =>
    kappaOf(pairs.map(([a, b]) => [a[question] === 'yes', b[question] === 'yes'] as const));
  return { facts: pairs.length, byQuestion: { true: of('true'), whole: of('whole'), worth: of('worth') } };
}

/** Agreement in percent, and Cohen's kappa, which takes off what chance gives; null if both say the same throughout. */
function kappaOf(pairs: readonly (readonly [boolean, boolean])[]) {
  const share = (holds: (pair: readonly [boolean, boolean]) => boolean) =>
    pairs.filter(holds).length / pairs.length;
  const [agreed, first, second] = [share(([a, b]) => a === b), share(([a]) => a), share(([, b]) => b)];
  const chance = first * second + (1 - first) * (1 - second);
  return {
    percent: round(100 * agreed),
    kappa: chance === 1 ? null : round((agreed - chance) / (1 - chance)),
  };
}
