import type { TurnToRead } from '../extractor.ts';
import { estimateTokens } from '../segment/estimate-tokens.ts';

/** Segments of so many tokens together are read in one call: what the rules cost is then paid once. */
export const TOKENS_PER_CALL = 1_500;

/** Consecutive values whose turns share a call; one that is longer by itself has its own. */
export function groupByTokens<Value>(
  values: readonly Value[],
  turnsOf: (value: Value) => readonly TurnToRead[],
): Value[][] {
  const groups: Value[][] = [];
  let left = 0;
  for (const value of values) {
    const tokens = tokensOf(turnsOf(value));
    if (groups.length === 0 || tokens > left) {
      groups.push([]);
      left = TOKENS_PER_CALL;
    }
    groups.at(-1)!.push(value);
    left -= tokens;
  }
  return groups;
}

export function tokensOf(turns: readonly TurnToRead[]): number {
  return turns.reduce((sum, turn) => sum + estimateTokens(turn), 0);
}
