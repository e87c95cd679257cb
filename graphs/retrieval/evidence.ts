import { z } from 'zod';
import type { RetrievedItem, SearchResult } from '../../src/model/retrieved-item.ts';

/** The best rows of each kind, as the beginnings of the lines that a model reads. */
export const bestSchema = z.object({
  episodes: z.array(z.string()),
  facts: z.array(z.string()),
  entities: z.array(z.string()),
});
export type BestItems = z.output<typeof bestSchema>;

/** Rows by kind, best first: their ids, or "#" and their places in the ranking, which take a tenth of the room. */
const rowsSchema = z.array(z.string());
export const evidenceSchema = z.object({ episodes: rowsSchema, facts: rowsSchema, entities: rowsSchema });
export type Evidence = z.output<typeof evidenceSchema>;

/** The ids of a search's rows. */
export function evidenceIds({ episodes, facts, entities }: SearchResult): Evidence {
  const ids = (items: readonly RetrievedItem[]) => items.map(({ id }) => id as string);
  return { episodes: ids(episodes), facts: ids(facts), entities: ids(entities) };
}

/** The places of rows in a ranking, from 1. */
export function evidencePlaces(
  { episodes, facts, entities }: SearchResult,
  isEvidence: (item: RetrievedItem) => boolean = () => true,
): Evidence {
  const places = (items: readonly RetrievedItem[]) =>
    items.flatMap((item, at) => (isEvidence(item) ? [placeAt(at)] : []));
  return { episodes: places(episodes), facts: places(facts), entities: places(entities) };
}

/** The rows that were chosen as evidence, in that order; the whole ranking as a rule. */
export function chosenOf(ranking: SearchResult, { episodes, facts, entities }: Evidence): SearchResult {
  return {
    ...ranking,
    episodes: chosen(ranking.episodes, episodes),
    facts: chosen(ranking.facts, facts),
    entities: chosen(ranking.entities, entities),
  };
}

function chosen<Item extends RetrievedItem>(
  items: readonly Item[],
  rows: readonly string[],
): readonly Item[] {
  if (items.length === rows.length && rows.every((row, at) => row === placeAt(at))) return items;
  const byRow = new Map(
    items.flatMap(
      (item, at) =>
        [
          [item.id as string, item],
          [placeAt(at), item],
        ] as const,
    ),
  );
  return rows.flatMap((row) => byRow.get(row) ?? []).map((item, at) => ({ ...item, rank: at + 1 }));
}

const placeAt = (at: number): string => `#${at + 1}`;
