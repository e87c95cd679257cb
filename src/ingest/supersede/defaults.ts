/** PersonalAI's search has depth 1 (docs/papers.md §4.2); this many of its results are judged with each new fact. */
export const MOST_CANDIDATES = 40;

/** Sharing all entities weighs as much as this number of strong word matches. */
export const SHARED_WEIGHT = 4;

/** Weight of the family's words relative to those of the statement. */
export const CUE_WEIGHT = 0.5;

/** Facts with less confident ends are not ended: readers see both facts then. */
export const LEAST_END_CONFIDENCE = 0.6;

/** Of the 40 candidates, the most likely ones are shown: candidates are most of the call's cost. */
export const CANDIDATES_SHOWN = 12;

/** New facts that a model judges in one call. */
export const FACTS_PER_CALL = 30;
