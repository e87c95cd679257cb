import type { CategoryId, EntityId } from '../model/ids.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import { TopHits } from '../search/top-k.ts';
import { Breather, gradually } from '../util/breathe.ts';
import { entityNameKey } from '../util/tidy.ts';
import { isShown } from './shown-categories.ts';

/** What is typed, to be completed to names. */
export interface NamesRequest {
  readonly typed: string;
  /** Default: entities and categories. */
  readonly kinds?: readonly ('entity' | 'category')[] | undefined;
  /** From 1 to 50. Default 10. */
  readonly limit?: number | undefined;
}

/** A name that fits what is typed. */
export interface KnownName {
  readonly kind: 'entity' | 'category';
  readonly id: EntityId | CategoryId;
  readonly name: string;
  /** The other name that fits, where the name itself does not. */
  readonly alias: string | null;
  readonly tags: readonly string[];
  /** 0 for an entity. */
  readonly layer: number;
  /** Number of live facts about an entity, or of members of a category. */
  readonly size: number;
}

const DEFAULT_LIMIT = 10;
/** How well a name fits; a better fit counts more than any size. */
const [STARTS, HAS_WORDS, CONTAINS, NO_FIT] = [3, 2, 1, 0];
const LARGEST_SIZE = 2 ** 32;
const NAMES_PER_LOOK = 4_096;

/**
 * Entities and categories whose name or alias starts with what is typed; then those with words that start so; then
 * those that contain it. Case and accents do not matter; of equal fits, the one with more facts or members comes first.
 * Reads the index alone.
 */
export async function namesTyped(
  index: ScopeIndex,
  { typed, kinds = ['entity', 'category'], limit = DEFAULT_LIMIT }: NamesRequest,
): Promise<readonly KnownName[]> {
  const fits = fitting(entityNameKey(typed));
  const owners: string[] = [];
  const places = new Map<string, { readonly at: number; fit: number }>();
  const breather = new Breather();
  const facts = await gradually(index.factCounts(), breather);
  let looked = 0;
  const offer = (owner: string, fit: number) => {
    const known = places.get(owner);
    if (known === undefined) places.set(owner, { at: owners.push(owner) - 1, fit });
    else known.fit = Math.max(known.fit, fit);
  };
  if (kinds.includes('category'))
    for (const [key, category] of index.hierarchy.namesByKey()) {
      const fit = fits(key);
      if (fit !== NO_FIT && isShown(index, category)) offer(category, fit);
      if (++looked % NAMES_PER_LOOK === 0) await breather.breathe();
    }
  if (kinds.includes('entity'))
    for (const [key, entities] of index.entities.namesByKey()) {
      const fit = fits(key);
      if (fit !== NO_FIT) for (const entity of entities) offer(entity, fit);
      if (++looked % NAMES_PER_LOOK === 0) await breather.breathe();
    }
  const sizeOf = (owner: string) =>
    index.hierarchy.has(owner)
      ? index.hierarchy.childCount(owner)
      : (facts[index.entities.ids.ordinalOf(owner) ?? -1] ?? 0);
  const best = new TopHits(limit, (a, b) => compareNames(index, owners[a]!, owners[b]!));
  for (const [owner, { at, fit }] of places) best.offer(at, fit * LARGEST_SIZE + sizeOf(owner));
  // A commit may have come in between.
  return best.hits().flatMap(({ ordinal }) => nameOf(index, owners[ordinal]!, { fits, sizeOf }));
}

type Fits = (key: string) => number;

/** Every word that is typed has to start a word of the name, or the name contains it as a whole. */
function fitting(typed: string): Fits {
  const words = typed.split(' ').filter((word) => word !== '');
  const longest = words.toSorted((a, b) => b.length - a.length)[0] ?? '';
  return (key) => {
    // Most names end here, so that this line decides how long a long list takes.
    if (!key.includes(longest)) return NO_FIT;
    if (key.startsWith(typed)) return STARTS;
    if (words.every((word) => hasWordFrom(key, word))) return HAS_WORDS;
    return key.includes(typed) ? CONTAINS : NO_FIT;
  };
}

const IN_WORD = /[\p{L}\p{N}]/u;

function hasWordFrom(key: string, word: string): boolean {
  for (let at = key.indexOf(word); at >= 0; at = key.indexOf(word, at + 1))
    if (at === 0 || !IN_WORD.test(key[at - 1]!)) return true;
  return false;
}

function compareNames(index: ScopeIndex, a: string, b: string): number {
  const [one, other] = [index.profileOf(a)?.name ?? '', index.profileOf(b)?.name ?? ''];
  return one.length - other.length || (one < other ? -1 : one > other ? 1 : a < b ? -1 : 1);
}

function nameOf(
  index: ScopeIndex,
  owner: string,
  { fits, sizeOf }: { readonly fits: Fits; readonly sizeOf: (owner: string) => number },
): KnownName[] {
  const profile = index.profileOf(owner);
  if (profile === undefined) return [];
  const { name, aliases, tags } = profile;
  const own = fits(entityNameKey(name));
  const alias = aliases.find((each) => fits(entityNameKey(each)) > own) ?? null;
  const layer = index.hierarchy.category(owner)?.layer ?? 0;
  return [
    {
      kind: layer === 0 ? 'entity' : 'category',
      id: owner as EntityId | CategoryId,
      name,
      alias,
      tags,
      layer,
      size: sizeOf(owner),
    },
  ];
}
