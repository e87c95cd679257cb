import { groupBy } from '../../../src/util/collections.ts';
import type { Graph } from './knowledge-graph.ts';

/** About 10,000 tokens. */
const MOST_CHARACTERS = 40_000;

/** Part of a graph that fits into a model's context. */
export interface GraphPage extends Graph {
  /** How to go on; absent if nothing is left out. */
  readonly notice?: string;
  /** The last entity of the page, for the next one; absent after the last page. */
  readonly next?: string;
}

interface PageOptions {
  /** The last entity of the page before. An unknown one begins at the first. */
  readonly after?: string | undefined;
  /** Whether there are further pages; else the rest is to be asked for by other words. */
  readonly isPaged: boolean;
}

/** The entities after a name, as many as fit, each with its relations once. */
export function graphPage({ entities, relations }: Graph, { after, isPaged }: PageOptions): GraphPage {
  const start = after === undefined ? 0 : entities.findIndex(({ name }) => name === after) + 1;
  const place = new Map(entities.map(({ name }, at) => [name, at]));
  // A relation stands with the first of its two entities, or at the end if the graph has neither.
  const placeOf = ({ from, to }: Graph['relations'][number]) =>
    Math.min(place.get(from) ?? entities.length, place.get(to) ?? entities.length);
  const byPlace = groupBy(relations, placeOf);
  const page = { entities: [] as Graph['entities'][number][], relations: [] as Graph['relations'][number][] };
  let [left, at, cut] = [MOST_CHARACTERS, start, 0];
  for (; at <= entities.length; at++) {
    const own = byPlace.get(at) ?? [];
    const entity = entities[at];
    const size = sizeOf(own) + (entity === undefined ? 0 : sizeOf(entity));
    if (size > left && at > start) break;
    if (entity !== undefined) {
      const observations = within(entity.observations, left);
      cut += entity.observations.length - observations.length;
      page.entities.push({ ...entity, observations });
    }
    const kept = within(own, left);
    cut += own.length - kept.length;
    page.relations.push(...kept);
    left -= size;
  }
  const more = entities.length - start - page.entities.length;
  const isMore = more > 0 || (at <= entities.length && byPlace.has(entities.length));
  const last = page.entities.at(-1)?.name;
  const next = isPaged && isMore ? last : undefined;
  const rest = isPaged
    ? `${more} more entities follow: call read_graph with after ${JSON.stringify(last)}`
    : `${more} more entities are found than fit here: ask for fewer`;
  const cuts = `${cut} observations and relations are left out: search_nodes finds entities by them`;
  const notices = [...(cut > 0 ? [cuts] : []), ...(isMore ? [rest] : [])];
  return {
    ...page,
    ...(notices.length > 0 && { notice: `${notices.join('. ')}.` }),
    ...(next !== undefined && { next }),
  };
}

const sizeOf = (value: unknown) => JSON.stringify(value).length;

function within<T>(all: readonly T[], characters: number): readonly T[] {
  let used = 0;
  const end = all.findIndex((each) => {
    used += sizeOf(each);
    return used > characters;
  });
  return end < 0 ? all : all.slice(0, end);
}
