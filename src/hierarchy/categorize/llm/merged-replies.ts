import { isGarbled } from '../../../prompts/broken-text.ts';
import { tidyTags } from '../../../util/tidy.ts';
import type { CategorizeRequest, KnownCategory, LayerNode, ProposedCategory } from '../../categorizer.ts';
import { categoryKey, categoryNames, SPEAKER } from '../../category-name.ts';
import { centreOf, type OfferedCategory } from './batches.ts';
import type { CategorizeReply } from './categorize-nodes-prompt.ts';

/** Limits replies that put a node into every category. */
const MOST_CATEGORIES_OF_NODE = 4;
/** Characters of a proposed name that are read. */
const LONGEST_PROPOSED = 200;
/** No category has these in its name: marks of JSON, of Markdown, or "category: Food". */
const LEAKED = /[{}[\]`]|\*\*|^\s*["']?(?:category|name)["']?\s*[:=]/i;

interface Growing {
  readonly name: string;
  tags: readonly string[];
  readonly known: KnownCategory | undefined;
  readonly nodes: Map<string, LayerNode>;
}

type Entry = NonNullable<CategorizeReply['categories'][number]>;

/** Merges the replies to one request: one category per name key, with the name that came first. */
export class MergedReplies {
  readonly #request: CategorizeRequest;
  readonly #notes: NoteLog;
  readonly #known: ReadonlyMap<string, KnownCategory>;
  readonly #refused: ReadonlyMap<string, string>;
  readonly #categories = new Map<string, Growing>();
  readonly #placed = new Map<string, number>();
  readonly #alone = new Set<string>();

  constructor(request: CategorizeRequest, notes: NoteLog) {
    this.#request = request;
    this.#notes = notes;
    // If two known categories have the same key, the oldest wins.
    this.#known = new Map(request.known.toReversed().map((each) => [categoryKey(each.name), each]));
    this.#refused = new Map([
      [categoryKey(SPEAKER), 'a category for the speaker'],
      ...(request.within
        ? [[categoryKey(request.within.name), 'the category that is to be split'] as const]
        : []),
    ]);
  }

  /** Whether a reply has said where the node belongs, or that it belongs nowhere. */
  isPlaced(node: LayerNode): boolean {
    return this.#placed.has(node.id) || this.#alone.has(node.id);
  }

  /** Categories created so far, in the order of their first naming. */
  made(): OfferedCategory[] {
    return [...this.#categories.values()]
      .filter(({ known }) => known === undefined)
      .map(({ name, tags, nodes }) => ({
        name,
        tags,
        vector: centreOf([...nodes.values()]),
        children: nodes.size,
      }));
  }

  /** @param shown Nodes in the order of their numbers in the prompt. */
  take(reply: CategorizeReply, shown: readonly LayerNode[]): void {
    for (const entry of this.#notes.wellFormed(reply.categories)) {
      const numbers = [...new Set(entry.nodes)];
      const nodes = numbers.flatMap((number) => shown[number - 1] ?? []);
      this.#notes.note('a number that is no node of the list', numbers.length - nodes.length);
      const names = this.#namesOf(entry);
      for (const node of nodes) this.#place(node, names, entry);
    }
    for (const number of reply.alone) {
      const node = shown[number - 1];
      if (node !== undefined) this.#alone.add(node.id);
    }
  }

  #namesOf({ category }: Entry): readonly string[] {
    const proposed = category.slice(0, LONGEST_PROPOSED);
    if (isGarbled(proposed, () => false) || LEAKED.test(proposed)) {
      this.#notes.note('a category whose name is a loop or leaked markup');
      return [];
    }
    const names = settledNames(proposed);
    if (names.length === 0) this.#notes.note('a category without a usable name');
    return names.filter((name) => {
      const why =
        this.#refused.get(categoryKey(name)) ?? (categoryKey(name) === '' ? 'a name of marks' : null);
      if (why !== null) this.#notes.note(why);
      return why === null;
    });
  }

  #place(node: LayerNode, names: readonly string[], entry: Entry): void {
    for (const name of names) {
      const key = categoryKey(name);
      const count = this.#placed.get(node.id) ?? 0;
      if (this.#categories.get(key)?.nodes.has(node.id)) continue;
      if (count >= MOST_CATEGORIES_OF_NODE) this.#notes.note('a node in too many categories');
      else {
        this.#grow(key, name, entry).nodes.set(node.id, node);
        this.#placed.set(node.id, count + 1);
      }
    }
  }

  #grow(key: string, proposed: string, { tags }: Entry): Growing {
    const known = this.#known.get(key);
    const growing = this.#categories.get(key) ?? {
      name: known?.name ?? proposed,
      tags: tidyTags(known?.tags ?? []),
      known,
      nodes: new Map<string, LayerNode>(),
    };
    if (known === undefined) growing.tags = tidyTags([...growing.tags, ...tags]);
    this.#categories.set(key, growing);
    return growing;
  }

  /**
   * Proposals in the order in which they were first named, nodes in the order of the request. A loose node joins only
   * a category that will persist: otherwise it would be promoted again under a new id.
   */
  result(): ProposedCategory[] {
    const { nodes: all, due, minimumChildren } = this.#request;
    const place = new Map(all.map(({ id }, at) => [id, at]));
    return [...this.#categories].flatMap(([key, { name, tags, known, nodes }]) => {
      const persists = known !== undefined || nodes.size >= minimumChildren;
      const kept = [...nodes.values()].filter(({ id }) => persists || due.has(id));
      const isEcho = known === undefined && kept.every((node) => categoryKey(node.name) === key);
      const ids = kept.map(({ id }) => id).sort((a, b) => place.get(a)! - place.get(b)!);
      return isEcho ? [] : [{ name, tags, nodes: ids }];
    });
  }
}

/** Names that `categoryNames` returns unchanged; a tidied name may need tidying again. */
function settledNames(proposed: string, rounds = 3): string[] {
  const names = categoryNames(proposed);
  if (names.length === 1 && names[0] === proposed) return [proposed];
  return rounds === 0 ? [] : names.flatMap((name) => settledNames(name, rounds - 1));
}

/** Counts what is wrong with replies, in our own words: no text of a reply is repeated. */
export class NoteLog {
  readonly #counts = new Map<string, number>();

  note(what: string, count = 1): void {
    if (count > 0) this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  /** Entries that match the schema; notes the others. */
  wellFormed<Entry>(entries: readonly (Entry | null)[]): Entry[] {
    const whole = entries.filter((entry) => entry !== null);
    this.note('an entry of another shape', entries.length - whole.length);
    return whole;
  }

  list(): readonly string[] {
    return Array.from(this.#counts, ([what, count]) => (count === 1 ? what : `${what} (${count} times)`));
  }
}
