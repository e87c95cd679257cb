import type { CopyDifference } from '../../errors/index.ts';
import { NODE_KINDS } from '../../model/nodes.ts';
import { RELATIONSHIP_KINDS } from '../../model/relationships.ts';
import {
  type Differences,
  edgeDifferences,
  mayHaveEdges,
  rowDifferences,
  type ScopePair,
} from './differences.ts';

/** What one scope of the source holds and in what its copy differs. */
export interface ScopeComparison {
  rows: number;
  relationships: number;
  readonly differences: CopyDifference[];
}

/**
 * Reads one scope of both memories and compares every column of every row and relationship, in both directions. Yields
 * the number of compared rows after each batch; adds what it finds to `found`.
 */
export async function* compareScope(pair: ScopePair, found: ScopeComparison): AsyncGenerator<number> {
  const { from, to, scope } = pair;
  const [wanted, there] = [await from.count(scope), await to.count(scope)];
  for (const kind of NODE_KINDS) {
    if (wanted[kind] + there[kind] === 0) continue;
    const tally = new Tally(kind);
    for await (const each of rowDifferences(pair, kind, there[kind] > 0)) {
      tally.add(each);
      found.rows += each.seen;
      if (each.seen > 0) yield each.seen;
    }
    found.differences.push(...tally.differences(scope));
  }
  for (const kind of RELATIONSHIP_KINDS) {
    if (!mayHaveEdges(kind, wanted) && !mayHaveEdges(kind, there)) continue;
    const tally = new Tally(kind);
    for await (const each of edgeDifferences(pair, kind, true)) {
      tally.add(each);
      found.relationships += each.seen;
      if (each.seen > 0) yield each.seen;
    }
    found.differences.push(...tally.differences(scope));
  }
}

class Tally {
  readonly #kind: string;
  readonly #counts = { missing: 0, extra: 0, different: 0 };

  constructor(kind: string) {
    this.#kind = kind;
  }

  add(found: Differences<unknown, unknown>): void {
    for (const what of ['missing', 'extra', 'different'] as const) this.#counts[what] += found[what].length;
  }

  differences(scope: string): CopyDifference[] {
    const isEqual = Object.values(this.#counts).every((count) => count === 0);
    return isEqual ? [] : [{ scope, kind: this.#kind, ...this.#counts }];
  }
}
