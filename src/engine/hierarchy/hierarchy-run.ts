import { createHash, randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { CommittedStep, HierarchySteps } from '../../../graphs/hierarchy/nodes.ts';
import type {
  Categorization,
  CategorizeRequest,
  Categorizer,
  ProposedCategory,
} from '../../hierarchy/categorizer.ts';
import {
  cursorAfter,
  hasRequest,
  type LayerStep,
  type UpdateMode,
} from '../../hierarchy/maintain/layer-step.ts';
import { NO_MODEL_USAGE } from '../../inference/language-model/tokens/usage-meter.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import { lastForgetting } from '../../ingest/corrections/tombstones.ts';
import { eitherSignal } from '../call-options.ts';
import {
  askCategorizer,
  commitStep,
  type HierarchyBuild,
  planLayerStep,
  readCategories,
  requestOf,
  sizesAtStart,
  waitsForLayer,
} from './build-layers.ts';

/** Replies held, unless the latest alone is larger: counted in the nodes that they name. */
const MOST_NODES = 50_000;
/** Layers of a rebuild that can be continued from one of their steps. */
const MOST_GATHERED = 500;

/** The proposals of a layer so far, the last step's first. */
interface Gathered {
  readonly before: Gathered | null;
  readonly categories: readonly ProposedCategory[];
}

/**
 * The results of the steps of graphs' runs, so that a step repeated in the same process costs no call. Keyed by what they
 * are computed from: whoever finds nothing asks again. They hold names, and are dropped when something is forgotten.
 */
export class StepResults {
  readonly replies = new LRUCache<string, Categorization>({
    maxSize: MOST_NODES,
    sizeCalculation: ({ categories }) =>
      Math.min(
        MOST_NODES,
        categories.reduce((sum, { nodes }) => sum + nodes.length, 1),
      ),
  });
  /** The request of the step that was planned last. */
  request: { readonly key: string; readonly request: CategorizeRequest | null } | null = null;
  readonly #gathered = new LRUCache<string, Gathered>({ max: MOST_GATHERED });

  /** The proposals of a layer that are not written yet; undefined if they were dropped. @param key Null: none. */
  gathered(key: string | null): readonly ProposedCategory[] | undefined {
    if (key === null) return [];
    const last = this.#gathered.get(key);
    if (last === undefined) return undefined;
    const parts: (readonly ProposedCategory[])[] = [];
    for (let part: Gathered | null = last; part !== null; part = part.before) parts.unshift(part.categories);
    return parts.flat();
  }

  /** Adds a step's proposals to those gathered before it. Returns the key of all of them. */
  gather(step: LayerStep, key: string, { categories }: Categorization): string {
    const before = step.gathered === null ? null : (this.#gathered.get(step.gathered) ?? null);
    const all = digest([step.gathered, key]);
    this.#gathered.set(all, { before, categories });
    return all;
  }

  drop(): void {
    this.replies.clear();
    this.#gathered.clear();
    this.request = null;
  }
}

interface HierarchyRunOptions extends Omit<HierarchyBuild, 'categorizer'> {
  readonly results: StepResults;
  readonly categorizerFor: (mode: UpdateMode) => Promise<Categorizer>;
}

/** A run over the hierarchy that a graph makes node by node; any node can be the first of a process. */
export class HierarchyRun implements HierarchySteps {
  readonly #options: HierarchyRunOptions;

  constructor(options: HierarchyRunOptions) {
    this.#options = options;
  }

  async begin(mode: UpdateMode) {
    return { run: randomUUID(), sizes: await sizesAtStart(this.#options, mode) };
  }

  async plan(options: Parameters<HierarchySteps['plan']>[0], calls: ModelCallOptions): Promise<LayerStep> {
    const { results } = this.#options;
    const build = await this.#build(options.mode, calls);
    const gathered = results.gathered(options.cursor?.gathered ?? null);
    const { step, request } = await planLayerStep(build, {
      ...options,
      // The layer begins again if its proposals were dropped.
      cursor: gathered === undefined ? null : options.cursor,
      gathered: gathered ?? [],
    });
    results.request = { key: stepKey(step, build.categorizer.name), request };
    return step;
  }

  async categorize(step: LayerStep, calls: ModelCallOptions): Promise<Categorization | null> {
    const replied = await this.#replyTo(step, await this.#build(step.mode, calls));
    return replied && { ...replied.reply, usage: replied.usage };
  }

  async commit(step: LayerStep, calls: ModelCallOptions): Promise<CommittedStep | null> {
    const build = await this.#build(step.mode, calls);
    const replied = hasRequest(step) ? await this.#replyTo(step, build) : null;
    if (hasRequest(step) && replied === null) return null;
    const usage = replied?.usage ?? NO_MODEL_USAGE;
    if (replied !== null && waitsForLayer(step)) {
      const gathered = this.#options.results.gather(step, replied.key, replied.reply);
      return { cursor: cursorAfter(step, gathered), written: null, usage };
    }
    const categories = replied && [...replied.gathered, ...replied.reply.categories];
    const written = await commitStep(build, step, categories);
    return written && { cursor: step.closes ? null : cursorAfter(step, null), written, usage };
  }

  /** Asks unless the reply is known. Null if the reply could not be used any more. */
  async #replyTo(step: LayerStep, build: HierarchyBuild) {
    const { scope, results } = this.#options;
    const context = await readCategories(scope);
    // The reply may contain text that was forgotten since the step was planned.
    if (lastForgetting(context.index) !== step.forgotten) return null;
    const key = stepKey(step, build.categorizer.name);
    const gathered = results.gathered(step.gathered);
    if (gathered === undefined) return null;
    const known = results.replies.get(key);
    if (known !== undefined) return { key, gathered, reply: known, usage: NO_MODEL_USAGE };
    const planned = results.request?.key === key ? results.request.request : null;
    results.request = null;
    const reply = await askCategorizer(build, planned ?? requestOf(build, context, { step, gathered }));
    results.replies.set(key, reply);
    return { key, gathered, reply, usage: reply.usage };
  }

  /** The calls of a node come before those of the run. */
  async #build(mode: UpdateMode, { signal, budget, meter }: ModelCallOptions): Promise<HierarchyBuild> {
    const { scope, settings, calls, categorizerFor } = this.#options;
    return {
      scope,
      settings,
      categorizer: await categorizerFor(mode),
      calls: {
        signal: eitherSignal(calls.signal, signal),
        budget: budget ?? calls.budget,
        meter: meter ?? calls.meter,
      },
    };
  }
}

/** Identifies the content of a step's request, however its description was stored or edited. */
export function stepKey(step: LayerStep, categorizer: string): string {
  const { run, mode, layer, kind, after, last, until, category, forgotten, gathered, revision } = step;
  const range = [after, last, until, category?.id ?? null];
  return digest([categorizer, run, mode, layer, kind, ...range, forgotten, gathered, revision]);
}

function digest(content: readonly (string | number | null)[]): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url');
}
