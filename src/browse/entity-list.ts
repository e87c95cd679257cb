import { InvalidInputError } from '../errors/index.ts';
import type { EntityId, Milliseconds } from '../model/ids.ts';
import type { CurrentProfile } from '../search/entity-index.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import { Breather, gradually } from '../util/breathe.ts';
import { entityNameKey } from '../util/tidy.ts';
import { type Page, type PageOrder, type PageRequest, pageGradually } from './history/page.ts';

/** Which entities to list. Every condition is optional; an entity has to pass all of them. */
export interface EntityListRequest extends PageRequest {
  /** Part of a name or alias; case and accents do not matter. */
  readonly query?: string | undefined;
  /** A tag, such as the kind `person`. */
  readonly tag?: string | undefined;
  /** Those with the most facts first (default), by name, or those met last first. */
  readonly order?: 'facts' | 'name' | 'newest' | undefined;
}

/** An entity as a list shows it. */
export interface EntityLine {
  readonly id: EntityId;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly tags: readonly string[];
  /** Number of live facts about it. */
  readonly facts: number;
  /** Number of live turns that mention it. */
  readonly turns: number;
  /** When its current profile was written. */
  readonly updatedAt: Milliseconds;
}

type Order = NonNullable<EntityListRequest['order']>;

interface Place {
  /** Ascends in the order of the list; the id decides between equal ones. */
  readonly key: number | string;
  readonly id: string;
}

/**
 * Entities, page by page. Reads the index alone, and keeps only a page while it goes through all.
 *
 * @throws InvalidInputError for a limit out of bounds, or an `after` that no page of the order returned.
 */
export async function entitiesListed(
  index: ScopeIndex,
  { query = '', tag, order = 'facts', limit, after }: EntityListRequest,
): Promise<Page<EntityLine>> {
  const typed = entityNameKey(query);
  const isWanted = ({ tags, name, aliases }: CurrentProfile) =>
    (tag === undefined || tags.includes(tag)) &&
    (typed === '' || [name, ...aliases].some((each) => entityNameKey(each).includes(typed)));
  const breather = new Breather();
  const counts = {
    facts: await gradually(index.factCounts(), breather),
    turns: await gradually(index.mentionCounts(), breather),
  };
  const ordinalOf = ({ owner }: CurrentProfile) => index.entities.ids.ordinalOf(owner)!;
  const keyOf = (profile: CurrentProfile) => {
    if (order === 'name') return profile.name.toLowerCase();
    return order === 'facts' ? -(counts.facts[ordinalOf(profile)] ?? 0) : -ordinalOf(profile);
  };
  const placeOf = (profile: CurrentProfile): Place | null =>
    isWanted(profile) ? { key: keyOf(profile), id: profile.owner } : null;
  const page = await pageGradually(
    index.entities.current(),
    { order: orderOf(order), placeOf },
    { limit, after },
  );
  const items = page.items.map((profile): EntityLine => {
    const { owner, name, aliases, tags, createdAt } = profile;
    const at = ordinalOf(profile);
    const [facts, turns] = [counts.facts[at] ?? 0, counts.turns[at] ?? 0];
    return { id: owner as EntityId, name, aliases, tags, facts, turns, updatedAt: createdAt };
  });
  return { ...page, items };
}

function orderOf(order: Order): PageOrder<Place> {
  return {
    compare,
    cursorOf: ({ key, id }) => `${order}:${id}:${key}`,
    readCursor: (cursor) => readCursor(cursor, order),
  };
}

function compare(a: Place, b: Place): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

const CURSOR = /^(facts|name|newest):([^:]+):(.*)$/s;

function readCursor(cursor: string, order: Order): Place {
  const [, of, id, key] = CURSOR.exec(cursor) ?? [];
  const value = order === 'name' ? key : Number(key);
  if (of !== order || id === undefined || value === undefined || Number.isNaN(value))
    throw new InvalidInputError('The cursor was not returned by a page of this order');
  return { key: value, id };
}
