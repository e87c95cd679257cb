import type { SourceTurn } from '../model/retrieved-item.ts';
import { BESIDE_COVERAGE, COMPLETE, MOST_BESIDE, WORSE_BY } from './defaults.ts';
import type { ScoredQuote } from './score-quotes.ts';
import { pointsBack } from './thoughts.ts';

/** A quote with what the search found beside it in the same talk, in the order of the talk. */
export interface Passage {
  readonly lead: ScoredQuote;
  readonly quotes: readonly ScoredQuote[];
  /** In a list: what the quote names. */
  readonly names?: readonly string[];
}

/**
 * Gives the passage of a quote: the best quotes of found turns at most two turns away, unless they are much worse. A
 * thought runs over a statement, a question about it, and the reply.
 *
 * @param scored All quotes, the best first.
 * @param hasBlocks Whether lists and code of found turns may stand beside a quote.
 */
export function passagesIn(
  scored: readonly ScoredQuote[],
  hasBlocks: boolean,
): (lead: ScoredQuote) => Passage {
  const best = new Map<string, ScoredQuote>();
  for (const quote of scored) {
    const isBlock = quote.text.includes('\n');
    const at = quote.item.kind === 'episode' && (hasBlocks || !isBlock) ? place(quote.item) : null;
    if (at !== null && !best.has(at)) best.set(at, quote);
  }
  return (lead) => {
    const turn = turnOf(lead);
    if (turn === null || isWhole(lead)) return { lead, quotes: [lead] };
    const beside = [-1, 1, -2, 2]
      .flatMap((offset) => best.get(place({ ...turn, index: turn.index + offset })) ?? [])
      .filter(
        ({ score, coverageAround }) =>
          score >= lead.score - WORSE_BY &&
          (coverageAround >= BESIDE_COVERAGE * lead.coverageAround || pointsBack(lead.text)),
      )
      .toSorted((a, b) => b.score - a.score)
      .slice(0, MOST_BESIDE);
    return { lead, quotes: [lead, ...beside].toSorted((a, b) => turnOf(a)!.index - turnOf(b)!.index) };
  };
}

/** Whether a quote says all that is asked, so that nothing beside it is needed. */
function isWhole({ coverage, coverageAround, fits, text }: ScoredQuote): boolean {
  return Math.max(coverage, coverageAround) >= COMPLETE && fits !== false && !pointsBack(text);
}

function turnOf({ item }: ScoredQuote): Pick<SourceTurn, 'session' | 'index'> | null {
  return item.kind === 'episode' ? item : (item.sources[0] ?? null);
}

function place({ session, index }: Pick<SourceTurn, 'session' | 'index'>): string {
  return JSON.stringify([session, index]);
}
