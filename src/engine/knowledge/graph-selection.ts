import type { ScopeIndex } from '../../search/scope-index.ts';
import type { Steps } from '../../util/breathe.ts';
import { type Period, within } from './listed.ts';

/** What a picture is about; every condition is optional. */
export interface GraphFilter extends Period {
  /** Only what was said in turns of this source. */
  readonly source?: string | undefined;
}

/** What passes the filters, 1 for each, and what entities have of it; all by ordinals. */
export interface Selection {
  readonly isFiltered: boolean;
  readonly facts: Uint8Array;
  readonly turns: Uint8Array;
  /** Number of selected facts about each entity. */
  readonly factsOf: Uint32Array;
  /** Number of selected turns that mention each entity. */
  readonly turnsOf: Uint32Array;
}

const ROWS_PER_STEP = 2_048;

/**
 * Turns said in the period, and facts that held in a part of it; of a source, what its turns say.
 *
 * @throws InvalidInputError for text that is not a time.
 */
export function* select(index: ScopeIndex, filter: GraphFilter): Steps<Selection> {
  const { source, from, to } = filter;
  const turns = yield* selectTurns(index, filter);
  const facts = yield* selectFacts(index, filter, turns);
  const entities = index.entities.ids.length;
  return {
    isFiltered: source !== undefined || from !== undefined || to !== undefined,
    ...{ facts, turns },
    factsOf: yield* countEnds(index.graphs.about, { selected: facts, entities }),
    turnsOf: yield* countEnds(index.graphs.mentions, { selected: turns, entities }),
  };
}

function* selectTurns(index: ScopeIndex, { source, ...period }: GraphFilter): Steps<Uint8Array> {
  const { timeline, conversation, length } = index.episodes;
  const isIn = within(period);
  const wanted = source === undefined ? null : timeline.sources.indexOf(source);
  const selected = new Uint8Array(length);
  for (let turn = 0; turn < length; turn++) {
    if (turn % ROWS_PER_STEP === 0) yield;
    const isOf = wanted === null || timeline.source.at(turn) === wanted;
    if (isOf && conversation.isLive(turn) && isIn(timeline.validAt.at(turn))) selected[turn] = 1;
  }
  return selected;
}

function* selectFacts(
  index: ScopeIndex,
  { source, from, to }: GraphFilter,
  turns: Uint8Array,
): Steps<Uint8Array> {
  const { validity, facts } = index;
  const selected = new Uint8Array(validity.length);
  const { offsets, others } = index.graphs.evidence.adjacency('out');
  const isBegun = within({ to });
  const isLater = within({ from });
  const wanted = source === undefined ? null : index.episodes.timeline.sources.indexOf(source);
  const isOfSource = (fact: number) => {
    for (let edge = offsets[fact] ?? 0; edge < (offsets[fact + 1] ?? 0); edge++) {
      const turn = others[edge]!;
      if (turn >= turns.length || !index.episodes.conversation.isLive(turn)) continue;
      if (index.episodes.timeline.source.at(turn) === wanted) return true;
    }
    return false;
  };
  for (let fact = 0; fact < selected.length; fact++) {
    if (fact % ROWS_PER_STEP === 0) yield;
    if (!facts.lexical.has(fact) || !isBegun(validity.validAt(fact))) continue;
    // A fact without an end holds to the end of every period; one that ended at its beginning is not in it.
    if (validity.hasEnd(fact) && from !== undefined && !isLater(validity.invalidAt(fact) - 1)) continue;
    if (wanted === null || isOfSource(fact)) selected[fact] = 1;
  }
  return selected;
}

function* countEnds(
  graph: ScopeIndex['graphs']['about'],
  { selected, entities }: { readonly selected: Uint8Array; readonly entities: number },
): Steps<Uint32Array> {
  const { offsets, others } = graph.adjacency('out');
  const counts = new Uint32Array(entities);
  for (let row = 0; row + 1 < offsets.length; row++) {
    if (row % ROWS_PER_STEP === 0) yield;
    if (selected[row] !== 1) continue;
    for (let edge = offsets[row]!; edge < offsets[row + 1]!; edge++)
      if (others[edge]! < entities) counts[others[edge]!]!++;
  }
  return counts;
}
