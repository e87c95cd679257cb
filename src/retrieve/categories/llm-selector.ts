import { ContextTooLongError, MalformedReplyError } from '../../errors/index.ts';
import type {
  OfferedNode,
  Pick,
  Selection,
  Selector,
  SelectRequest,
} from '../../hierarchy/traverse/selector.ts';
import { stageCalls } from '../../inference/language-model/calling/stage-calls.ts';
import { roughTokens } from '../../inference/language-model/tokens/count-tokens.ts';
import type { LanguageModel, ModelCallOptions } from '../../inference/language-model.ts';
import { entityNameKey } from '../../util/tidy.ts';
import type { Shown } from './defaults.ts';
import { type ShownNode, selectNodes, shownNode } from './select-nodes-prompt.ts';

export interface LlmSelectorOptions {
  readonly shown: Shown;
  /** Tokens of the list in one call; a longer list is split into parts, which are sent concurrently. */
  readonly listTokens: number;
  /** Required if summaries are shown. */
  readonly summariesOf?: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** Tokens of a line's number and end. */
const TOKENS_PER_LINE = 3;

interface Part {
  readonly picks: readonly Pick[];
  readonly notes: readonly string[];
}

/** Asks a language model, which sees numbers instead of ids (Mnemis §2.3, Appendix E). */
export class LlmSelector implements Selector {
  readonly name: string;
  readonly #model: LanguageModel;
  readonly #options: LlmSelectorOptions;

  constructor(model: LanguageModel, options: LlmSelectorOptions) {
    this.name = `llm, ${options.shown}`;
    this.#model = model;
    this.#options = options;
  }

  async select({ question, nodes }: SelectRequest, given: ModelCallOptions = {}): Promise<Selection> {
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, ...(given.signal ? [given.signal] : [])]);
    const calls = stageCalls({}, { ...given, signal });
    const shown = await this.#shown(nodes);
    const parts = this.#parts(nodes, shown).map((part) => this.#ask(part, { question, shown, calls }));
    try {
      const answers = await Promise.all(parts);
      const notes = answers.flatMap((answer) => answer.notes);
      if (parts.length > 1) notes.unshift(`the list was sent in ${parts.length} parts`);
      return { picks: answers.flatMap(({ picks }) => picks), notes, usage: calls.meter.total };
    } catch (error) {
      stop.abort();
      await Promise.allSettled(parts);
      throw error;
    }
  }

  /** Halves and retries a part that is too long, or whose reply was truncated. */
  async #ask(part: readonly OfferedNode[], asked: Asked): Promise<Part> {
    const { question, shown, calls } = asked;
    const input = { question, nodes: part.map((node) => shown.get(node)!) };
    const halve = async (): Promise<Part> => {
      const middle = Math.ceil(part.length / 2);
      const first = await this.#ask(part.slice(0, middle), asked);
      const second = await this.#ask(part.slice(middle), asked);
      return { picks: [...first.picks, ...second.picks], notes: [...first.notes, ...second.notes] };
    };
    try {
      const { value, truncated } = await this.#model.structured(selectNodes, input, calls);
      if (truncated && part.length > 1) return await halve();
      const { picks, notes } = readPicks(value, part);
      return { picks, notes: truncated ? [...notes, 'the reply was cut short'] : notes };
    } catch (error) {
      if (part.length > 1 && isTooLong(error)) return halve();
      throw error;
    }
  }

  #parts(
    nodes: readonly OfferedNode[],
    shown: ReadonlyMap<OfferedNode, ShownNode>,
  ): readonly (readonly OfferedNode[])[] {
    const parts: OfferedNode[][] = [];
    let left = 0;
    for (const node of nodes) {
      const tokens = tokensOf(shown.get(node)!);
      if (parts.length === 0 || tokens > left) {
        parts.push([]);
        left = this.#options.listTokens;
      }
      parts.at(-1)!.push(node);
      left -= tokens;
    }
    return parts;
  }

  async #shown(nodes: readonly OfferedNode[]): Promise<ReadonlyMap<OfferedNode, ShownNode>> {
    const { shown, summariesOf } = this.#options;
    const withSummary = shown === 'names+tags+summary';
    const ids = nodes.flatMap(({ id, children = [] }) => [id, ...children.map((child) => child.id)]);
    const summaries = withSummary ? await summariesOf?.(ids) : undefined;
    const show = ({ id, name, tags, children = [] }: OfferedNode): ShownNode => ({
      name,
      tags: shown === 'names' ? [] : tags,
      summary: summaries?.get(id) ?? '',
      children: children.map(show),
    });
    return new Map(nodes.map((node) => [node, show(node)]));
  }
}

interface Asked {
  readonly question: string;
  readonly shown: ReadonlyMap<OfferedNode, ShownNode>;
  readonly calls: ModelCallOptions;
}

function tokensOf(node: ShownNode): number {
  const own = roughTokens(shownNode(node)) + TOKENS_PER_LINE;
  return node.children.reduce((sum, child) => sum + tokensOf(child), own);
}

function isTooLong(error: unknown): boolean {
  return ContextTooLongError.isInstance(error) || (MalformedReplyError.isInstance(error) && error.truncated);
}

interface ShortlistOptions {
  /** Maximum of nodes shown; of a longer list the best are shown, in the list's order. */
  readonly most: number;
  readonly score: (node: OfferedNode) => number;
}

/** Limits long lists to the best nodes, for selectors that have a cost. */
export class ShortlistSelector implements Selector {
  readonly name: string;
  readonly #selector: Selector;
  readonly #options: ShortlistOptions;

  constructor(selector: Selector, options: ShortlistOptions) {
    this.name = selector.name;
    this.#selector = selector;
    this.#options = options;
  }

  async select(request: SelectRequest, calls?: ModelCallOptions): Promise<Selection> {
    const { most, score } = this.#options;
    const { nodes } = request;
    if (nodes.length <= most) return this.#selector.select(request, calls);
    const best = nodes
      .map((node, place) => ({ node, place, score: score(node) }))
      .sort((a, b) => b.score - a.score || a.place - b.place)
      .slice(0, most)
      .sort((a, b) => a.place - b.place);
    const selection = await this.#selector.select({ ...request, nodes: best.map(({ node }) => node) }, calls);
    const note = `${nodes.length - most} with the lowest scores were not shown`;
    return { ...selection, notes: [note, ...selection.notes] };
  }
}

/** A model's reply: numbers of entries, or their names. */
interface Reply {
  readonly open: readonly string[];
  readonly all: readonly string[];
}

/** "3", "#3", "3. Cities", "E3 Cities (travel)". */
const NUMBERED = /^\s*(?:[-*•]\s+)?[#"'([]*[A-Za-z]?(\d{1,9})(?!\d)/;

/** A text of only numbers of entries: "1 3", "1, 3 and 5", "2-4", "node 2", "Entries #1 to #3". */
const NUMBERS =
  /^\s*(?:(?:nodes?|entr(?:y|ies)|items?|lines?|numbers?|categor(?:y|ies)|nos?\.?)\s*[:#]?\s*)?#?\d{1,9}(?:(?:\s*(?:[,;&+/]|[-–—]|\b(?:and|to|through)\b)\s*|\s+)#?\d{1,9}){0,999}[\s.,;]*$/i;
/** In characters; longer lists of numbers are ignored. */
const LONGEST_LIST = 10_000;
const RANGE = /(\d+)(?:\s*(?:[-–—]|\b(?:to|through)\b)\s*#?(\d+))?/gi;

/**
 * The nodes that a reply names. A number beyond the list may be a name ("2022"). Unknown entries are skipped and
 * noted. A node that is named twice is picked once, with `all` if either entry says so.
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
  for (const [said, isWhole] of [
    ...all.map((each) => [each, true] as const),
    ...open.map((each) => [each, false] as const),
  ]) {
    const ids = idsNamed(said, entries, byName);
    if (ids.length === 0) unknown += 1;
    for (const id of ids) found.set(id, isWhole || found.get(id) === true);
  }
  const picks = entries
    .filter(({ id }) => found.has(id))
    .map(({ id }) => ({ id, all: found.get(id)!, score: 1 }));
  return { picks, notes: unknown === 0 ? [] : [`${unknown} in the reply that match no entry`] };
}

function idsNamed(
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

/** The numbers, up to `most`, of a text that contains nothing else. */
function numbersOf(said: string, most: number): number[] {
  if (said.length > LONGEST_LIST || !NUMBERS.test(said)) return [];
  const numbers = new Set<number>();
  for (const [, first, last = first] of said.matchAll(RANGE)) {
    const end = Math.min(Number(last), most);
    for (let number = Math.max(1, Number(first)); number <= end; number++) numbers.add(number);
  }
  return [...numbers];
}
