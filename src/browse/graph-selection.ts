import { countEnds } from '../search/graph-view.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import type { Steps } from '../util/breathe.ts';
import { type Period, within } from './listed.ts';

/** What a picture is about; every condition is optional. */
export interface GraphFilter extends Period {
  /** Only what was said in turns of this source. */
  readonly source?: string | undefined;
}

/** What passes the filters, by ordinals. Nothing is gone through before it is asked for. */
export interface Selection {
  readonly isFiltered: boolean;
  hasFact(fact: number): boolean;
  hasTurn(turn: number): boolean;
}

/** What entities have of a selection, by the ordinals of entities. */
export interface SelectedCounts {
  /** Number of selected facts about each entity. */
  readonly factsOf: Uint32Array;
  /** Number of selected turns that mention each entity. */
  readonly turnsOf: Uint32Array;
}

/**
 * Turns said in the period, and facts that held in a part of it; of a source, what its turns say.
 *
 * @throws InvalidInputError for text that is not a time.
 */
export function selectionOf(index: ScopeIndex, filter: GraphFilter): Selection {
  const { source, from, to } = filter;
  return {
    isFiltered: source !== undefined || from !== undefined || to !== undefined,
    hasFact: factsSelected(index, filter),
    hasTurn: turnsSelected(index, filter),
  };
}

export function* countSelected(
  index: ScopeIndex,
  { isFiltered, hasFact, hasTurn }: Selection,
): Steps<SelectedCounts> {
  if (!isFiltered) return { factsOf: yield* index.factCounts(), turnsOf: yield* index.mentionCounts() };
  const ends = index.entities.ids.length;
  return {
    factsOf: yield* countEnds(index.graphs.about, { isCounted: hasFact, ends }),
    turnsOf: yield* countEnds(index.graphs.mentions, { isCounted: hasTurn, ends }),
  };
}

function turnsSelected(index: ScopeIndex, { source, ...period }: GraphFilter): (turn: number) => boolean {
  const { timeline, conversation } = index.episodes;
  const isIn = within(period);
  const wanted = source === undefined ? null : timeline.sources.indexOf(source);
  return (turn) =>
    conversation.isLive(turn) &&
    (wanted === null || timeline.source.at(turn) === wanted) &&
    isIn(timeline.validAt.at(turn));
}

function factsSelected(index: ScopeIndex, { source, from, to }: GraphFilter): (fact: number) => boolean {
  const { validity, facts } = index;
  const { timeline, conversation } = index.episodes;
  const isBegun = within({ to });
  const isLater = within({ from });
  const wanted = source === undefined ? null : timeline.sources.indexOf(source);
  const isOfSource = (fact: number) => {
    const { offsets, others } = index.graphs.evidence.adjacency('out');
    for (let edge = offsets[fact] ?? 0; edge < (offsets[fact + 1] ?? 0); edge++) {
      const turn = others[edge]!;
      if (conversation.isLive(turn) && timeline.source.at(turn) === wanted) return true;
    }
    return false;
  };
  return (fact) => {
    if (!facts.lexical.has(fact) || !isBegun(validity.validAt(fact))) return false;
    // A fact without an end holds to the end of every period; one that ended at its beginning is not in it.
    if (validity.hasEnd(fact) && from !== undefined && !isLater(validity.invalidAt(fact) - 1)) return false;
    return wanted === null || isOfSource(fact);
  };
}
