import type { OfferedNode, Pick } from '../../hierarchy/traverse/selector.ts';
import { entityNameKey } from '../../util/entity-name-key.ts';

/** What a model replied: numbers of entries, or their names. */
interface Reply {
  readonly open: readonly string[];
  readonly all: readonly string[];
}

/** "3", "#3", "3. Cities", "E3 Cities (travel)". */
const NUMBERED = /^\s*(?:[-*•]\s+)?[#"'([]*[A-Za-z]?(\d{1,9})(?!\d)/;

/** Numbers of entries and nothing else: "1 3", "1, 3 and 5", "2-4", "node 2", "Entries #1 to #3". */
const NUMBERS =
  /^\s*(?:(?:nodes?|entr(?:y|ies)|items?|lines?|numbers?|categor(?:y|ies)|nos?\.?)\s*[:#]?\s*)?#?\d{1,9}(?:(?:\s*(?:[,;&+/]|[-–—]|\b(?:and|to|through)\b)\s*|\s+)#?\d{1,9}){0,999}[\s.,;]*$/i;
/** Of characters; more is no list that a person would write. */
const LONGEST_LIST = 10_000;
const RANGE = /(\d+)(?:\s*(?:[-–—]|\b(?:to|through)\b)\s*#?(\d+))?/gi;

/**
 * The nodes that a reply means. A number that no entry has may be a name ("2022"); what is neither is noted and left
 * out. Whatever is named twice is picked once, and whole if one of the two says so.
 */
export function readPicks(
  { open, all }: Reply,
  nodes: readonly OfferedNode[],
): { readonly picks: readonly Pick[]; readonly notes: readonly string[] } {
  const entries = nodes.flatMap((node) => [node, ...(node.children ?? [])]);
  const byName = new Map<string, string[]>();
  for (const { id, name } of entries)
    byName.set(entityNameKey(name), [...(byName.get(entityNameKey(name)) ?? []), id]);
  const found = new Map<string, boolean>();
  let unknown = 0;
  for (const [said, whole] of [
    ...all.map((each) => [each, true] as const),
    ...open.map((each) => [each, false] as const),
  ]) {
    const ids = meant(said, entries, byName);
    if (ids.length === 0) unknown += 1;
    for (const id of ids) found.set(id, whole || found.get(id) === true);
  }
  const picks = entries
    .filter(({ id }) => found.has(id))
    .map(({ id }) => ({ id, all: found.get(id)!, score: 1 }));
  return { picks, notes: unknown === 0 ? [] : [`${unknown} in the reply that no entry is meant by`] };
}

function meant(
  said: string,
  entries: readonly OfferedNode[],
  byName: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const named = byName.get(entityNameKey(said));
  if (named !== undefined && !/^\d+$/.test(said)) return named;
  const listed = numbersOf(said, entries.length).map((number) => entries[number - 1]!.id);
  if (listed.length > 0) return listed;
  const number = Number(NUMBERED.exec(said)?.[1] ?? 0);
  const numbered = entries[number - 1];
  if (numbered !== undefined) return [numbered.id];
  return named ?? byName.get(entityNameKey(said.replace(/\s*[(:].*$/su, ''))) ?? [];
}

/** Those that entries have, of a text that says nothing but numbers; a range is cut to them. */
function numbersOf(said: string, most: number): number[] {
  if (said.length > LONGEST_LIST || !NUMBERS.test(said)) return [];
  const numbers = new Set<number>();
  for (const [, first, last = first] of said.matchAll(RANGE)) {
    const end = Math.min(Number(last), most);
    for (let number = Math.max(1, Number(first)); number <= end; number++) numbers.add(number);
  }
  return [...numbers];
}
