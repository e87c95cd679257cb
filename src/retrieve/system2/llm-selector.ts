import { ContextTooLongError, MalformedReplyError } from '../../errors/index.ts';
import type {
  OfferedNode,
  Pick,
  Selection,
  Selector,
  SelectRequest,
} from '../../hierarchy/traverse/selector.ts';
import { stageCalls } from '../../inference/language-model/calling/stage-calls.ts';
import { roughTokens } from '../../inference/language-model/tokens/rough-tokens.ts';
import type { LanguageModel, ModelCallOptions } from '../../inference/language-model.ts';
import { type ShownNode, selectNodes, shownNode } from '../../prompts/select-nodes.ts';
import { readPicks } from './read-picks.ts';
import type { Shown } from './settings.ts';

export interface LlmSelectorOptions {
  readonly shown: Shown;
  /** Tokens of one call's list; a longer list is parted, and its parts are asked about at the same time. */
  readonly listTokens: number;
  /** Needed where summaries are shown. */
  readonly summariesOf?: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** A line's number and its end. */
const TOKENS_PER_LINE = 3;

interface Part {
  readonly picks: readonly Pick[];
  readonly notes: readonly string[];
}

/** Asks a language model, which sees numbers in the place of ids (Mnemis §2.3, Appendix E). */
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
      if (parts.length > 1) notes.unshift(`the list was asked about in ${parts.length} parts`);
      return { picks: answers.flatMap(({ picks }) => picks), notes, usage: calls.meter.total };
    } catch (error) {
      stop.abort();
      await Promise.allSettled(parts);
      throw error;
    }
  }

  /** A part that proves too long, or whose reply was cut short, is asked about in halves. */
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
