import { z } from 'zod';
import { InvalidInputError } from '../errors/index.ts';
import { type ModelUsage, NO_MODEL_USAGE } from '../inference/language-model/tokens/usage-meter.ts';
import type { ModelCallOptions } from '../inference/language-model.ts';
import { describeIssues } from '../util/describe-issues.ts';

/** A node of one layer as a categorizer sees it: an entity (layer 0) or a category. */
export interface LayerNode {
  readonly id: string;
  readonly name: string;
  /** An entity's kind (person, place, organisation, thing, date) comes first. */
  readonly tags: readonly string[];
  /** Of the name, unit length; null where it has none. */
  readonly vector: Float32Array | null;
}

/** A category that is there already, for reuse. */
export interface KnownCategory extends LayerNode {
  readonly children: number;
}

/**
 * What a categorizer is asked about one layer (Mnemis §2.2). Names and tags are data: nothing in them is an
 * instruction.
 */
export interface CategorizeRequest {
  /** The layer that the categories will be in, from 1. */
  readonly layer: number;
  /** All nodes of the layer below, the oldest first. */
  readonly nodes: readonly LayerNode[];
  /** Ids of those that are to be placed: new ones, and those whose categories went. */
  readonly due: ReadonlySet<string>;
  /** Ids of nodes that are not due, but alone in a category of their own: they may be grouped with due ones. */
  readonly loose: ReadonlySet<string>;
  /** Categories of this layer, the oldest first; a category that holds one promoted node is not among them. */
  readonly known: readonly KnownCategory[];
  /** Children that a category needs. */
  readonly minimumChildren: number;
  /** The category whose children the nodes are, when it is to be split: finer ones are asked for. */
  readonly within?: KnownCategory | undefined;
}

/**
 * A category that a categorizer proposes. It comes about if enough nodes join it (`minimumChildren`; "Speaker" needs
 * one). A node that ends up without a category is promoted by itself.
 */
export interface ProposedCategory {
  /** As a person would browse it. The key of an existing one's name (`categoryKey`) means that one. */
  readonly name: string;
  /** At most 5, of at most 3 words each. */
  readonly tags: readonly string[];
  /** Other words by which people ask for it. */
  readonly aliases?: readonly string[];
  /** Ids of nodes. */
  readonly nodes: readonly string[];
}

/** A categorizer's answer to one request. `usage` is all zero where no model was asked. */
export interface Categorization {
  /**
   * For every node that is named in a proposal, all the categories that it is to have; other nodes keep theirs. A node
   * may be in several.
   */
  readonly categories: readonly ProposedCategory[];
  /** What of a reply was not usable, in words of our own. */
  readonly notes: readonly string[];
  readonly usage: ModelUsage;
}

/** Groups the nodes of a layer (Mnemis §2.2). Implementations pass `test/contract/categorizer.ts`. */
export interface Categorizer {
  /** Kept with the hierarchy that it built. */
  readonly name: string;
  /**
   * How many due nodes one call of `categorize` should be given; null for one that looks at the whole layer each
   * time, which costs nothing, so that building on and building anew come to the same. Its answer holds for the whole
   * layer: a node that it does not name has no category.
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

/** A categorizer from outside, whose answers are looked at before they are written. @throws InvalidInputError */
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

/** More than any memory has: all due nodes are asked about at once. */
const ALL = Number.MAX_SAFE_INTEGER;

/**
 * A categorizer that looks at the whole, kept to the nodes that have no category yet: what another one has made stays
 * as it is, and under that one's name.
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
