import { ContextTooLongError, MalformedReplyError } from '../../../errors/index.ts';
import { stageCalls } from '../../../inference/language-model/calling/stage-calls.ts';
import type { LanguageModel, ModelCallOptions, StructuredReply } from '../../../inference/language-model.ts';
import type {
  Categorization,
  CategorizeRequest,
  Categorizer,
  LayerNode,
  ProposedCategory,
} from '../../categorizer.ts';
import { isFirstPerson, SPEAKER } from '../../category-name.ts';
import { type Batch, BatchQueue, Likeness, nearest, offeredCategories, orderByLikeness } from './batches.ts';
import { type CategorizeInput, type CategorizeReply, categorizeNodes } from './categorize-nodes-prompt.ts';
import { MergedReplies, NoteLog } from './merged-replies.ts';

/** Limits of a call; each has a default. */
export interface LlmCategorizerOptions {
  /** Due nodes per `categorize`; the caller may commit after each. */
  readonly nodesAtOnce?: number | undefined;
  readonly nodesPerCall?: number | undefined;
  /** Estimate for the prompt lines of the nodes. */
  readonly tokensPerCall?: number | undefined;
  /** Existing categories offered for reuse. */
  readonly offeredPerCall?: number | undefined;
  /** Loose nodes (alone in their category) shown again beside similar due nodes. */
  readonly loosePerCall?: number | undefined;
}

const DEFAULTS = {
  nodesAtOnce: 180,
  nodesPerCall: 90,
  tokensPerCall: 2_000,
  offeredPerCall: 40,
  loosePerCall: 10,
};
/** Nodes get 1/4 of the context; the rest is for rules, offered categories and the reply. */
const SHARE_OF_CONTEXT = 4;
const LOOSE_PER_NODE = 2;
const LEAST_LIKENESS_OF_LOOSE = 0.45;
const SHOWN_BELOW = 8;
/** Limit for models whose replies are always truncated: it reduces 90 nodes to parts of 6. */
const MOST_HALVINGS = 4;

interface Work {
  readonly request: CategorizeRequest;
  readonly calls: ModelCallOptions;
  readonly notes: NoteLog;
  readonly merged: MergedReplies;
  readonly queue: BatchQueue;
  readonly likeness: Likeness;
  readonly loose: readonly LayerNode[];
  /** Number of nodes that a call may show. */
  readonly open: number;
}

/**
 * Asks a model to group the nodes of a layer (Mnemis §2.2), in batches of similar nodes. The nearest existing
 * categories are offered for reuse. Names are passed as data; the code validates every reply.
 */
export class LlmCategorizer implements Categorizer {
  readonly name = 'llm';
  readonly nodesAtOnce: number;
  readonly #model: LanguageModel;
  readonly #calls: ModelCallOptions;
  readonly #limits: Required<{ [Key in keyof LlmCategorizerOptions]: number }>;

  constructor(model: LanguageModel, options: LlmCategorizerOptions = {}, calls: ModelCallOptions = {}) {
    this.#model = model;
    this.#calls = calls;
    const given = Object.entries(options).filter(([, value]) => value !== undefined);
    this.#limits = { ...DEFAULTS, ...Object.fromEntries(given) };
    this.nodesAtOnce = this.#limits.nodesAtOnce;
  }

  /**
   * Nodes that a reply omits are retried once. Nodes of a malformed reply are noted and skipped; those of a truncated
   * one are retried in halves.
   *
   * @throws what `LanguageModel.structured` throws, except MalformedReplyError.
   */
  async categorize(request: CategorizeRequest, given: ModelCallOptions = {}): Promise<Categorization> {
    const calls = stageCalls(this.#calls, given);
    const notes = new NoteLog();
    const likeness = new Likeness();
    const speaker = speakerOf(request);
    const open = request.nodes.filter(({ id, name }) => name.trim() !== '' && !speaker?.nodes.includes(id));
    const due = await orderByLikeness(
      open.filter(({ id }) => request.due.has(id)),
      likeness,
    );
    const work: Work = {
      request,
      calls,
      notes,
      likeness,
      merged: new MergedReplies(request, notes),
      queue: new BatchQueue(due, this.#batchLimits()),
      loose: open.filter(({ id }) => request.loose.has(id) && !request.due.has(id)),
      open: open.length,
    };
    for (let batch = work.queue.next(); batch !== undefined; batch = work.queue.next())
      await this.#ask(batch, work);
    const categories = [...(speaker === null ? [] : [speaker]), ...work.merged.result()];
    return { categories, notes: notes.list(), usage: calls.meter.total };
  }

  #batchLimits() {
    const { nodesPerCall, tokensPerCall } = this.#limits;
    const room = (this.#model.contextTokens ?? Number.POSITIVE_INFINITY) / SHARE_OF_CONTEXT;
    return { nodes: nodesPerCall, tokens: Math.min(tokensPerCall, room) };
  }

  async #ask(batch: Batch, work: Work): Promise<void> {
    const { merged, queue, notes } = work;
    const shown = [...batch.nodes, ...(await this.#looseFor(batch, work))];
    const reply = await this.#reply(batch, await this.#inputFor(shown, work), work);
    if (reply === null) return;
    merged.take(reply.value, shown);
    const missed = batch.nodes.filter((node) => !merged.isPlaced(node));
    if (!reply.truncated) notes.note('a node left out twice', queue.retry(missed));
    else if (!queue.halve(missed, batch.halvings, MOST_HALVINGS))
      notes.note('a node whose part of the reply was cut off', missed.length);
  }

  /** Null if the model gave no usable reply; nodes to retry are then in the queue. */
  async #reply(
    { nodes, halvings }: Batch,
    input: CategorizeInput,
    { queue, notes, calls }: Work,
  ): Promise<StructuredReply<CategorizeReply> | null> {
    try {
      return await this.#model.structured(categorizeNodes, input, calls);
    } catch (error) {
      if (ContextTooLongError.isInstance(error) && queue.halve(nodes, halvings, nodes.length)) return null;
      if (!MalformedReplyError.isInstance(error)) throw error;
      if (!error.truncated || !queue.halve(nodes, halvings, MOST_HALVINGS))
        notes.note('a node whose reply could not be read', nodes.length);
      return null;
    }
  }

  async #inputFor(
    shown: readonly LayerNode[],
    { request, merged, likeness, open }: Work,
  ): Promise<CategorizeInput> {
    const { layer, known, minimumChildren, within } = request;
    const offered = await offeredCategories([...known, ...merged.made()], shown, {
      likeness,
      atMost: this.#limits.offeredPerCall,
    });
    return {
      layer,
      nodes: shown.map(({ name, tags }) => ({ name, tags })),
      known: offered.map(({ name }) => name),
      below: layer === 1 || within !== undefined ? [] : sampleOf(request.nodes, shown),
      // Where a call shows a part of the layer, the rest of a new category may be in another one.
      minimumChildren: shown.length < open ? 1 : minimumChildren,
      within: within?.name,
    };
  }

  async #looseFor({ nodes }: Batch, { loose, merged, likeness }: Work): Promise<LayerNode[]> {
    return nearest(
      loose.filter((node) => !merged.isPlaced(node)),
      nodes,
      {
        likenessOf: (one, other) => likeness.ofNodes(one, other),
        atLeast: LEAST_LIKENESS_OF_LOOSE,
        perNode: LOOSE_PER_NODE,
        atMost: this.#limits.loosePerCall,
      },
    );
  }
}

/** All first-person nodes share one category, which the model does not decide (docs/papers.md §1.5). */
function speakerOf({ layer, nodes, due }: CategorizeRequest): ProposedCategory | null {
  if (layer !== 1) return null;
  const ids = nodes.filter((node) => due.has(node.id) && isFirstPerson(node)).map(({ id }) => id);
  return ids.length === 0 ? null : { name: SPEAKER, tags: ['person'], nodes: ids };
}

/** An evenly spaced sample of the other nodes of the layer below, oldest first. */
function sampleOf(nodes: readonly LayerNode[], shown: readonly LayerNode[]): string[] {
  const seen = new Set(shown.map(({ id }) => id));
  const others = nodes.filter(({ id, name }) => !seen.has(id) && name !== '');
  const step = Math.max(1, Math.ceil(others.length / SHOWN_BELOW));
  return others.filter((_, at) => at % step === 0).map(({ name }) => name);
}
