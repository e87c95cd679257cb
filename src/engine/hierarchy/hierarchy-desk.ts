import { createHash } from 'node:crypto';
import type { Categorization, CategorizeRequest, ProposedCategory } from '../../hierarchy/categorizer.ts';
import type { LayerStep } from '../../hierarchy/maintain/layer-step.ts';

/** Replies held, unless the latest alone is larger: counted in the nodes that they name. */
const MOST_NODES = 50_000;
/** Layers of a rebuild that can be continued from one of their steps. */
const MOST_GATHERED = 500;

interface Gathered {
  readonly before: Gathered | null;
  readonly categories: readonly ProposedCategory[];
}

/**
 * The replies that the steps of a hierarchy run refer to, so that a step repeated in the same process costs no call.
 * Keyed by what they are computed from: whoever finds nothing asks again. The desk holds names, so its owner drops it
 * when something is forgotten.
 */
export class HierarchyDesk {
  /** Oldest first. */
  readonly #replies = new Map<string, Categorization>();
  readonly #gathered = new Map<string, Gathered>();
  #nodes = 0;
  #request: { readonly key: string; readonly request: CategorizeRequest } | null = null;

  /** Passes a request from the step that planned it to the one that sends it. */
  offer(key: string, request: CategorizeRequest | null): void {
    this.#request = request === null ? null : { key, request };
  }

  takeRequest(key: string): CategorizeRequest | null {
    if (this.#request?.key !== key) return null;
    const { request } = this.#request;
    this.#request = null;
    return request;
  }

  reply(key: string): Categorization | undefined {
    return this.#replies.get(key);
  }

  keepReply(key: string, reply: Categorization): void {
    this.#dropReply(key);
    this.#replies.set(key, reply);
    this.#nodes += nodesIn(reply);
    for (const oldest of this.#replies.keys()) {
      if (this.#nodes <= MOST_NODES || oldest === key) return;
      this.#dropReply(oldest);
    }
  }

  /** The proposals of a layer that are not written yet; undefined if they were dropped. @param key Null: none. */
  gathered(key: string | null): readonly ProposedCategory[] | undefined {
    if (key === null) return [];
    const last = this.#gathered.get(key);
    if (last === undefined) return undefined;
    const parts: (readonly ProposedCategory[])[] = [];
    for (let part: Gathered | null = last; part !== null; part = part.before) parts.push(part.categories);
    return parts.reverse().flat();
  }

  /** Adds a step's proposals to those gathered before it. Returns the key of all of them. */
  gather(step: LayerStep, key: string, { categories }: Categorization): string {
    const before = step.gathered === null ? null : (this.#gathered.get(step.gathered) ?? null);
    const all = digest([step.gathered, key]);
    this.#gathered.delete(all);
    this.#gathered.set(all, { before, categories });
    const [oldest] = this.#gathered.keys();
    if (this.#gathered.size > MOST_GATHERED) this.#gathered.delete(oldest!);
    return all;
  }

  drop(): void {
    this.#replies.clear();
    this.#gathered.clear();
    this.#nodes = 0;
    this.#request = null;
  }

  #dropReply(key: string): void {
    const reply = this.#replies.get(key);
    if (reply === undefined) return;
    this.#replies.delete(key);
    this.#nodes -= nodesIn(reply);
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

function nodesIn({ categories }: Categorization): number {
  return categories.reduce((sum, { nodes }) => sum + nodes.length, 0);
}
