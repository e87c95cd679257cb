import { tidyTags } from '../../../util/tidy.ts';
import type { CategorizeRequest, KnownCategory, LayerNode, ProposedCategory } from '../../categorizer.ts';
import { categoryKey, categoryNames, SPEAKER } from '../../category-name.ts';
import { centreOf, type OfferedCategory } from './batches.ts';
import type { CategorizeReply } from './categorize-nodes-prompt.ts';

/** A reply that puts a node everywhere says nothing of it. */
const MOST_CATEGORIES_OF_NODE = 4;
/** More of a name is not looked at. */
const LONGEST_PROPOSED = 200;

interface Growing {
  readonly name: string;
  tags: readonly string[];
  readonly known: KnownCategory | undefined;
  readonly nodes: Map<string, LayerNode>;
}

type Entry = NonNullable<CategorizeReply['categories'][number]>;

/** Gathers the replies about one request: one category for each name key, whoever named it first. */
export class Harvest {
  readonly #request: CategorizeRequest;
  readonly #notes: NoteLog;
  readonly #known: ReadonlyMap<string, KnownCategory>;
  readonly #refused: ReadonlyMap<string, string>;
  readonly #categories = new Map<string, Growing>();
  readonly #placed = new Map<string, number>();

  constructor(request: CategorizeRequest, notes: NoteLog) {
    this.#request = request;
    this.#notes = notes;
    // Of two that bear one name the oldest counts.
    this.#known = new Map(request.known.toReversed().map((each) => [categoryKey(each.name), each]));
    this.#refused = new Map([
      [categoryKey(SPEAKER), 'a category for the speaker'],
      ...(request.within
        ? [[categoryKey(request.within.name), 'the category that is to be split'] as const]
        : []),
    ]);
  }

  isPlaced(node: LayerNode): boolean {
    return this.#placed.has(node.id);
  }

  /** Categories made so far, in the order in which they were first named. */
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
  }

  #namesOf({ category }: Entry): readonly string[] {
    const names = settledNames(category.slice(0, LONGEST_PROPOSED));
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
   * In the order in which they were first named, nodes in the request's. A node that is alone so far goes only where it
   * will not be alone again: else it would be promoted anew, by another id.
   */
  result(): ProposedCategory[] {
    const { nodes: all, due, minimumChildren } = this.#request;
    const place = new Map(all.map(({ id }, at) => [id, at]));
    return [...this.#categories].flatMap(([key, { name, tags, known, nodes }]) => {
      const lasts = known !== undefined || nodes.size >= minimumChildren;
      const kept = [...nodes.values()].filter(({ id }) => lasts || due.has(id));
      const isEcho = known === undefined && kept.every((node) => categoryKey(node.name) === key);
      const ids = kept.map(({ id }) => id).sort((a, b) => place.get(a)! - place.get(b)!);
      return isEcho ? [] : [{ name, tags, nodes: ids }];
    });
  }
}

/** Names that are kept as they are: of some, tidying leaves what is to be tidied again. */
function settledNames(proposed: string, rounds = 3): string[] {
  const names = categoryNames(proposed);
  if (names.length === 1 && names[0] === proposed) return [proposed];
  return rounds === 0 ? [] : names.flatMap((name) => settledNames(name, rounds - 1));
}

/** What of replies was not usable, counted, in words of our own: nothing that a reply says is repeated. */
export class NoteLog {
  readonly #counts = new Map<string, number>();

  note(what: string, count = 1): void {
    if (count > 0) this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  /** The entries of a list that were objects of the asked shape. */
  wellFormed<Entry>(entries: readonly (Entry | null)[]): Entry[] {
    const whole = entries.filter((entry) => entry !== null);
    this.note('an entry of another shape', entries.length - whole.length);
    return whole;
  }

  list(): readonly string[] {
    return Array.from(this.#counts, ([what, count]) => (count === 1 ? what : `${what} (${count} times)`));
  }
}
