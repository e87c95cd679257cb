import { LEAST_FACT_CONFIDENCE } from './defaults.ts';
import type { Extraction, TurnToRead } from './extractor.ts';
import { Grounding } from './grounding.ts';

/**
 * The self-check at encoding (GAM §3.3) without a model. A fact passes if its confidence is 0.5 or more and the names
 * and numbers of its statement occur in the turns that it cites (`Grounding`). Whether the relation between the names
 * is right cannot be checked without a model.
 *
 * @returns One per turn: at least one fact that cites it passes, and none fails (docs/papers.md §3.4).
 */
export function selfCheck(turns: readonly TurnToRead[], { entities, facts }: Extraction): boolean[] {
  const grounding = new Grounding(turns, entities);
  const [passed, failed] = [new Set<number>(), new Set<number>()];
  for (const fact of facts) {
    const isGrounded = fact.confidence >= LEAST_FACT_CONFIDENCE && grounding.hasNames(fact);
    for (const turn of fact.turns) (isGrounded ? passed : failed).add(turn);
  }
  return turns.map((_, at) => passed.has(at) && !failed.has(at));
}
