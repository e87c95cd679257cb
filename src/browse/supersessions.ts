import type { IndexedScope } from '../ingest/ingest-context.ts';
import type { FactId, Milliseconds } from '../model/ids.ts';
import type { Fact } from '../model/nodes.ts';
import { Breather } from '../util/breathe.ts';
import { inBatches } from '../util/collections.ts';
import { type FactLine, factLinesOf } from './fact-line.ts';
import type { KeptHistory } from './feed/change-history.ts';
import { BY_TIME, type Page, type PageRequest, pageGradually } from './history/page.ts';
import { factsAbout, type Period, within } from './listed.ts';

/** Which supersessions to list, the latest first. Every condition is optional. */
export interface SupersessionRequest extends PageRequest, Period {
  /** Of facts about this entity, by id or by a name that no other entity has. */
  readonly entity?: string | undefined;
  /**
   * What the period and the order are about: since when the newer fact holds (default), or when memory learned of the
   * change.
   */
  readonly by?: 'held' | 'known' | undefined;
}

/** One fact that took the place of another. */
export interface Supersession {
  /** Unique in the list. */
  readonly id: string;
  /**
   * `replaced`: the older fact held until `heldSince`. `corrected`: it never held, or memory no longer believes it.
   */
  readonly how: 'replaced' | 'corrected';
  readonly older: FactLine;
  readonly newer: FactLine;
  /** Since when the newer fact holds. */
  readonly heldSince: Milliseconds;
  /** When memory learned that the one supersedes the other. */
  readonly learnedAt: Milliseconds;
}

/**
 * Which fact superseded which, page by page. Reads the kept history and the index; rows are read of what is shown, and of
 * facts that memory no longer believes, since the index does not have them.
 *
 * @throws InvalidInputError for an unknown entity, an ambiguous name, an invalid time or page.
 */
export async function supersessionsListed(
  context: IndexedScope,
  history: () => Promise<KeptHistory>,
  { entity, by = 'held', limit, after, ...period }: SupersessionRequest,
): Promise<Page<Supersession>> {
  const { index } = context;
  const isIn = within(period);
  const about = entity === undefined ? null : new Set(factsAbout(index, { entity }));
  const isAbout = (id: string) => about === null || about.has(index.facts.ids.ordinalOf(id) ?? NONE);
  const { drafts } = await history();
  const breather = new Breather();
  const pairs: Pair[] = [];
  const withdrawn = new Set<string>();
  for (const [at, draft] of drafts.entries()) {
    if (at % DRAFTS_PER_LOOK === 0) await breather.breathe();
    if (draft.type === 'withdrawn') withdrawn.add(draft.id);
    if (draft.type !== 'superseded' || !(isAbout(draft.id) || isAbout(draft.old))) continue;
    pairs.push({ newer: draft.id, older: draft.old, learnedAt: draft.at });
  }
  // A fact that was rejected, or lost its turns, superseded nothing.
  const valid = pairs.filter(({ newer }) => !withdrawn.has(newer));
  const beginnings = await beginningsOf(
    context,
    valid.map(({ newer }) => newer),
  );
  const placeOf = ({ newer, older, learnedAt }: Pair) => {
    const heldSince = beginnings.get(newer);
    if (heldSince === undefined || !isIn(by === 'held' ? heldSince : learnedAt)) return null;
    const [at, createdAt] = by === 'held' ? [heldSince, learnedAt] : [learnedAt, heldSince];
    return { at: -at, createdAt: -createdAt, id: `${newer} ${older}` };
  };
  const page = await pageGradually(valid, { order: BY_TIME, placeOf }, { limit, after });
  const shown = page.items.map((pair) => ({ ...pair, heldSince: beginnings.get(pair.newer)! }));
  return { ...page, items: await described(context, shown) };
}

/** No ordinal. */
const NONE = -1;
const DRAFTS_PER_LOOK = 512;
const ROWS_PER_READ = 500;

interface Pair {
  readonly newer: string;
  readonly older: string;
  readonly learnedAt: Milliseconds;
}

/** When facts began to hold; those that no longer exist are missing. */
async function beginningsOf(
  { store, scope, index }: IndexedScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Milliseconds>> {
  const found = new Map<string, Milliseconds>();
  const others: string[] = [];
  for (const id of new Set(ids)) {
    const ordinal = index.facts.ids.ordinalOf(id);
    if (ordinal !== undefined && index.facts.lexical.has(ordinal))
      found.set(id, index.validity.validAt(ordinal));
    else others.push(id);
  }
  for (const batch of inBatches(others, ROWS_PER_READ))
    for (const { id, validAt } of await store.get(scope, 'fact', batch)) found.set(id, validAt);
  return found;
}

async function described(
  context: IndexedScope,
  pairs: readonly (Pair & { readonly heldSince: Milliseconds })[],
): Promise<Supersession[]> {
  const ids = new Set(pairs.flatMap(({ newer, older }) => [newer, older]));
  const rows = ids.size === 0 ? [] : await context.store.get(context.scope, 'fact', [...ids]);
  const facts = new Map<string, Fact>(rows.map((row) => [row.id, row]));
  const lines = new Map<string, FactLine>(factLinesOf(context, rows).map((line) => [line.id, line]));
  return pairs.flatMap(({ newer, older, heldSince, learnedAt }) => {
    const [before, now] = [lines.get(older), lines.get(newer)];
    // A row may have been forgotten since the history was read.
    if (before === undefined || now === undefined) return [];
    const how = facts.get(older as FactId)!.expiredAt === null ? 'replaced' : 'corrected';
    return [{ id: `${newer} ${older}`, how, older: before, newer: now, heldSince, learnedAt }];
  });
}
