import type { GraphChanges, RowRemoval, RowUpdate } from '../model/graph-changes.ts';
import type { ItemId, Milliseconds } from '../model/ids.ts';
import type { Item } from '../model/nodes.ts';
import type { ItemFields, ItemValue } from '../store/item-json.ts';
import type { ItemEntry, ItemTree } from './item-tree.ts';

interface Address {
  readonly namespace: readonly string[];
  readonly key: string;
}

/** A version to write, or the deletion of an item with all its versions. */
export type ItemWrite =
  | (Address & {
      readonly text: string;
      readonly value: ItemValue;
      readonly fields: ItemFields | undefined;
    })
  | (Address & { readonly text: null });

interface DraftClock {
  readonly newId: () => string;
  readonly now: Milliseconds;
}

/** The combined effect of the writes to one key. */
interface Draft extends Address {
  entry: ItemEntry | null;
  added: Item[];
  readonly expired: Map<string, Milliseconds>;
  readonly removed: string[];
}

/** Combines writes, in order, into one transaction; also returns the updates of the tree to apply after the commit. */
export function draftItems(
  tree: ItemTree,
  writes: readonly ItemWrite[],
  clock: DraftClock,
): { readonly changes: GraphChanges; readonly apply: () => void } {
  const drafts = new Map<string, Draft>();
  for (const write of writes) {
    const { namespace, key } = write;
    const address = JSON.stringify([namespace, key]);
    const entry = tree.get(namespace, key);
    const draft = drafts.get(address) ?? {
      namespace,
      key,
      entry,
      added: [],
      expired: new Map(),
      removed: [],
    };
    drafts.set(address, draft);
    if (write.text === null) remove(draft);
    else addVersion(draft, write, clock);
  }
  return { changes: changesOf([...drafts.values()]), apply: () => applyTo(tree, drafts.values()) };
}

function remove(draft: Draft): void {
  const added = new Set<string>(draft.added.map(({ id }) => id));
  draft.removed.push(...(draft.entry?.versions ?? []).filter((id) => !added.has(id)));
  draft.added = [];
  draft.expired.clear();
  draft.entry = null;
}

function addVersion(
  draft: Draft,
  { text, value, fields }: Extract<ItemWrite, { text: string }>,
  { newId, now }: DraftClock,
): void {
  const { namespace, key, entry } = draft;
  // Prevents a version from ending before it began if the clock was set back.
  const at = Math.max(now, entry?.updatedAt ?? now);
  const id = newId() as ItemId;
  for (const old of entry?.live ?? []) draft.expired.set(old, at);
  draft.added = draft.added.map((row) => (row.expiredAt === null ? { ...row, expiredAt: at } : row));
  draft.added.push({ id, namespace, key, value: text, createdAt: at, expiredAt: null });
  draft.entry = {
    namespace,
    key,
    value,
    fields,
    createdAt: entry?.createdAt ?? at,
    updatedAt: at,
    versions: [...(entry?.versions ?? []), id],
    live: [id],
  };
}

function changesOf(drafts: readonly Draft[]): GraphChanges {
  const updates = drafts.flatMap(({ added, expired }): RowUpdate[] => {
    const isNew = new Set<string>(added.map(({ id }) => id));
    return [...expired].flatMap(([id, expiredAt]) =>
      isNew.has(id) ? [] : [{ kind: 'item', id, set: { expiredAt } }],
    );
  });
  const removals = drafts.flatMap(({ removed }) => removed.map((id): RowRemoval => ({ kind: 'item', id })));
  return { nodes: { item: drafts.flatMap(({ added }) => added) }, updates, removals };
}

function applyTo(tree: ItemTree, drafts: Iterable<Draft>): void {
  for (const { namespace, key, entry } of drafts)
    if (entry === null) tree.delete(namespace, key);
    else tree.set(entry);
}

type Step = { readonly name: string } | { readonly place: number } | 'each';

/** One text per value that the path selects. The path `$` selects the whole value as one text. */
export function textsAt(value: ItemValue, path: string): string[] {
  if (path === '$') return nonEmpty([wordsIn(value).join('\n')]);
  let places: unknown[] = [value];
  for (const step of stepsOf(path)) places = places.flatMap((place) => stepInto(place, step));
  return nonEmpty(places.map((place) => wordsIn(place).join('\n')));
}

/**
 * Splits a path: `chapters[*].text` is a name, every element, and a name; `*` is every element of a list or an
 * object.
 */
function stepsOf(path: string): Step[] {
  return [...path.matchAll(/\[(\*|-?\d+)\]|([^.[\]]+)/g)].map(([, place, name]) => {
    if (place === '*' || name === '*') return 'each';
    return place === undefined ? { name: name! } : { place: Number(place) };
  });
}

function stepInto(place: unknown, step: Step): unknown[] {
  if (typeof place !== 'object' || place === null) return [];
  if (step === 'each') return Object.values(place);
  if ('place' in step) return Array.isArray(place) ? [place.at(step.place)] : [];
  return !Array.isArray(place) && Object.hasOwn(place, step.name)
    ? [(place as Readonly<Record<string, unknown>>)[step.name]]
    : [];
}

/** Includes field names, because they give a short value its meaning: `likes: tea`. */
function wordsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(wordsIn);
  return Object.entries(value).flatMap(([name, each]) => {
    const words = wordsIn(each);
    return words.length === 0 ? [] : [`${name}: ${words.join(', ')}`];
  });
}

function nonEmpty(texts: readonly string[]): string[] {
  return texts.filter((text) => text.trim() !== '');
}
