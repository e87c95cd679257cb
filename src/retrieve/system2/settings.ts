/** What a model is shown of a node, beside its number. */
export const SHOWN = ['names', 'names+tags', 'names+tags+summary'] as const;
export type Shown = (typeof SHOWN)[number];

export interface LocalSelectorOptions {
  /** Picks of one list of categories. */
  readonly categories: number;
  /** Picks of one list of entities. */
  readonly entities: number;
  /** Share of the list's best score that a pick needs, from 0 to 1. */
  readonly least: number;
  /** The same, where a question asks for all of something. */
  readonly leastOfAll: number;
}

export const LOCAL_SELECTOR: LocalSelectorOptions = {
  categories: 12,
  entities: 60,
  least: 0.5,
  leastOfAll: 0.3,
};
