import type { MemoryScope } from '../src/engine/memory-scope.ts';
import { MOST_PER_PAGE } from '../src/model/options.ts';
import { digestOf } from '../src/util/digest-of.ts';
import { isoDay } from '../src/util/iso-day.ts';
import { type EvaluationCase, sourceIdsByPlace } from './datasets/dataset.ts';

/** A fact that memory believes, as a list shows it. */
export interface KnownFact {
  /** Scope, and a digest of the statement and its first turn: the same in every version that makes the fact. */
  readonly id: string;
  readonly scope: string;
  readonly statement: string;
  /** Days between which it holds; null without an end. */
  readonly from: string;
  readonly to: string | null;
  /** Source ids of the turns that it cites, the first to arrive first. */
  readonly turns: readonly string[];
}

/** All facts of a case that is consolidated in a scope. */
export async function knownFacts(
  memory: MemoryScope,
  { scope, turns }: EvaluationCase,
): Promise<KnownFact[]> {
  const sourceIdAt = sourceIdsByPlace(turns);
  const facts: KnownFact[] = [];
  let after: string | undefined;
  do {
    const page = await memory.knowledge.facts({ limit: MOST_PER_PAGE, after });
    for (const { statement, validAt, invalidAt, sources } of page.items) {
      const cited = sources.flatMap((source) => sourceIdAt(source) ?? []);
      facts.push({
        id: `${scope}/${digestOf([statement, cited[0] ?? null]).slice(0, 12)}`,
        scope,
        statement,
        from: isoDay(validAt),
        to: invalidAt === null ? null : isoDay(invalidAt),
        turns: cited,
      });
    }
    after = page.next ?? undefined;
  } while (after !== undefined);
  return facts;
}

/**
 * The `count` facts with the smallest digests of seed and id, in that order: samples of two versions share the facts
 * that both make.
 */
export function sampleOf(facts: readonly KnownFact[], count: number, seed: string): KnownFact[] {
  const byId = new Map(facts.map((fact) => [fact.id, fact]));
  return [...byId.values()]
    .map((fact) => ({ fact, digest: digestOf([seed, fact.id]) }))
    .sort((a, b) => (a.digest < b.digest ? -1 : 1))
    .slice(0, count)
    .map(({ fact }) => fact);
}
