import { InvalidInputError } from '../../errors/index.ts';
import type { EntityId, Milliseconds } from '../../model/ids.ts';
import type { CurrentProfile } from '../../search/entity-index.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { Breather } from '../../util/breathe.ts';
import { entityNameKey } from '../../util/tidy.ts';
import type { Page, PageRequest } from '../history/page.ts';
import { entityCounts } from './entity-counts.ts';

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

const DEFAULT_LIMIT = 50;
const MOST = 500;
/** Entities looked at between two looks at the clock. */
const PER_LOOK = 1_024;

interface Place {
  readonly line: EntityLine;
  /** Ascends in the order of the list; the id decides between equal ones. */
  readonly key: number | string;
}

/**
 * Entities, page by page. Reads the index alone, and keeps only a page while it goes through all.
 *
 * @throws InvalidInputError for a limit out of bounds, or an `after` that no page of the order returned.
 */
export async function entitiesListed(
  index: ScopeIndex,
  { query = '', tag, order = 'facts', limit = DEFAULT_LIMIT, after }: EntityListRequest,
): Promise<Page<EntityLine>> {
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST)
    throw new InvalidInputError(`The limit must be a whole number from 1 to ${MOST}`);
  const start = after === undefined ? null : readCursor(after, order);
  const typed = entityNameKey(query);
  const counts = entityCounts(index);
  const page = new Kept(limit);
  const breather = new Breather();
  let [total, looked, left] = [0, 0, 0];
  for (const profile of index.entities.current()) {
    if (++looked % PER_LOOK === 0) await breather.breathe();
    if (tag !== undefined && !profile.tags.includes(tag)) continue;
    if (
      typed !== '' &&
      ![profile.name, ...profile.aliases].some((name) => entityNameKey(name).includes(typed))
    )
      continue;
    total++;
    const ordinal = index.entities.ids.ordinalOf(profile.owner)!;
    const [facts, turns] = [counts.facts[ordinal] ?? 0, counts.turns[ordinal] ?? 0];
    const place = { key: keyOf(profile, { order, facts, ordinal }), line: lineOf(profile, facts, turns) };
    if (start !== null && compare(place, start) <= 0) continue;
    left++;
    page.offer(place);
  }
  const items = page.sorted();
  const last = items.at(-1);
  const next = last === undefined || items.length === left ? null : cursorOf(last, order);
  return { items: items.map(({ line }) => line), total, next };
}

type Order = NonNullable<EntityListRequest['order']>;

function keyOf(
  { name }: CurrentProfile,
  { order, facts, ordinal }: { readonly order: Order; readonly facts: number; readonly ordinal: number },
): number | string {
  if (order === 'name') return name.toLowerCase();
  return order === 'facts' ? -facts : -ordinal;
}

function lineOf(profile: CurrentProfile, facts: number, turns: number): EntityLine {
  const { owner, name, aliases, tags, createdAt } = profile;
  return { id: owner as EntityId, name, aliases, tags, facts, turns, updatedAt: createdAt };
}

type Position = Pick<Place, 'key'> & { readonly line: Pick<EntityLine, 'id'> };

function compare(a: Position, b: Position): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.line.id < b.line.id ? -1 : a.line.id > b.line.id ? 1 : 0;
}

/** The first places of those offered. */
class Kept {
  readonly #limit: number;
  #places: Place[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(place: Place): void {
    this.#places.push(place);
    // Sorting now and then costs less than keeping order at each step.
    if (this.#places.length >= 4 * this.#limit) this.#places = this.sorted();
  }

  sorted(): Place[] {
    return this.#places.sort(compare).slice(0, this.#limit);
  }
}

function cursorOf({ key, line }: Place, order: Order): string {
  return `${order}:${line.id}:${key}`;
}

const CURSOR = /^(facts|name|newest):([^:]+):(.*)$/s;

function readCursor(cursor: string, order: Order): Position {
  const [, of, id, key] = CURSOR.exec(cursor) ?? [];
  const value = order === 'name' ? key : Number(key);
  if (of !== order || id === undefined || value === undefined || Number.isNaN(value))
    throw new InvalidInputError('The cursor was not returned by a page of this order');
  return { key: value, line: { id: id as EntityId } };
}
