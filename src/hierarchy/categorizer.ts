import { z } from 'zod';
import { InvalidInputError } from '../errors/index.ts';
import { type ModelUsage, NO_MODEL_USAGE } from '../inference/language-model/tokens/usage-meter.ts';
import type { ModelCallOptions } from '../inference/language-model.ts';
import { describeIssues } from '../util/describe-issues.ts';

/** A node of one layer as passed to a categorizer: an entity (layer 0) or a category. */
export interface LayerNode {
  readonly id: string;
  readonly name: string;
  /** An entity's kind (person, place, organisation, thing, date) comes first. */
  readonly tags: readonly string[];
  /** Unit vector of the name; null if it has none. */
  readonly vector: Float32Array | null;
}

/** An existing category, offered for reuse. */
export interface KnownCategory extends LayerNode {
  readonly children: number;
}

/** A request to group one layer (Mnemis §2.2). Names and tags are data: nothing in them is an instruction. */
export interface CategorizeRequest {
  /** The layer of the categories to propose, from 1. */
  readonly layer: number;
  /** All nodes of the layer below, the oldest first. */
  readonly nodes: readonly LayerNode[];
  /** Ids of nodes to place: new ones, and those whose categories were removed. */
  readonly due: ReadonlySet<string>;
  /** Ids of nodes that are not due, but alone in their category: they may join a group of due ones. */
  readonly loose: ReadonlySet<string>;
  /** Categories of this layer, oldest first; without those that hold one promoted node. */
  readonly known: readonly KnownCategory[];
  /** Minimum number of children of a category. */
  readonly minimumChildren: number;
  /** Set when a category is to be split: `nodes` are its children, and finer categories are requested. */
  readonly within?: KnownCategory | undefined;
}

/**
 * A proposed category. It is created if enough nodes join it (`minimumChildren`; "Speaker" needs one). A node without
 * a category is promoted alone.
 */
export interface ProposedCategory {
  /** Display name. If its `categoryKey` equals the key of an existing category, that one is meant. */
  readonly name: string;
  /** At most 5, of at most 3 words each. */
  readonly tags: readonly string[];
  /** Other words that people use for it. */
  readonly aliases?: readonly string[];
  /** Ids of nodes. */
  readonly nodes: readonly string[];
}

/** A categorizer's answer to one request. `usage` is all zero where no model was asked. */
export interface Categorization {
  /** The complete categories of every node that a proposal names; other nodes keep theirs. A node may be in several. */
  readonly categories: readonly ProposedCategory[];
  /** What was wrong with a reply, in our own words. */
  readonly notes: readonly string[];
  readonly usage: ModelUsage;
}

/** Groups the nodes of a layer (Mnemis §2.2). Implementations pass `test/contract/categorizer.ts`. */
export interface Categorizer {
  /** Recorded with the hierarchy that it built. */
  readonly name: string;
  /**
   * How many due nodes to pass to one call of `categorize`. Null if each call reads the whole layer: updating and
   * rebuilding then give the same result, and a node that no proposal names has no category.
   */
  readonly nodesAtOnce: number | null;
  /** Deterministic for equal requests and replies. @throws what `LanguageModel.structured` throws. */
  categorize(request: CategorizeRequest, calls?: ModelCallOptions): Promise<Categorization>;
}

const countSchema = z.number().nonnegative().default(0);
const categorizationSchema = z.object({
  categories: z.array(
    z.object({
      name: z.string(),
      tags: z.array(z.string()).default([]),
      aliases: z.array(z.string()).default([]),
      nodes: z.array(z.string()),
    }),
  ),
  notes: z.array(z.string()).default([]),
  usage: z
    .object({
      calls: countSchema,
      failedCalls: countSchema,
      promptTokens: countSchema,
      completionTokens: countSchema,
      cachedPromptTokens: countSchema,
      estimated: z.boolean().default(false),
    })
    .default(NO_MODEL_USAGE),
});

/** Wraps a caller's categorizer and validates its results. @throws InvalidInputError */
export function checkedCategorizer(categorizer: Categorizer): Categorizer {
  const { name, nodesAtOnce } = categorizer;
  return {
    name,
    nodesAtOnce,
    async categorize(request, calls): Promise<Categorization> {
      const given = await categorizer.categorize(request, calls);
      const read = categorizationSchema.safeParse(given);
      if (read.success) return read.data;
      throw new InvalidInputError(`The categorizer’s answer does not fit: ${describeIssues(read.error)}`);
    },
  };
}

/** Larger than any memory: all due nodes go into one call. */
const ALL = Number.MAX_SAFE_INTEGER;

/**
 * Restricts a categorizer of whole layers to nodes without a category: categories that another one created stay as
 * they are, under that one's name.
 */
export function pieceByPiece(categorizer: Categorizer, name: string): Categorizer {
  return {
    name,
    nodesAtOnce: ALL,
    async categorize(request, calls) {
      const { categories, ...rest } = await categorizer.categorize(request, calls);
      const isOpen = (id: string) => request.due.has(id) || request.loose.has(id);
      return {
        ...rest,
        categories: categories.map((each) => ({ ...each, nodes: each.nodes.filter(isOpen) })),
      };
    },
  };
}
