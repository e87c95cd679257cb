import { type OwnedText, scanEmbeddableTexts } from '../../ingest/write/embed-nodes.ts';
import type { EmbeddingId, Scope } from '../../model/ids.ts';
import type { EmbeddedField } from '../../model/nodes.ts';
import type { GraphStore } from '../../store/graph-store.ts';

/** Texts for one call of the embedder: some work, but little to lose. */
const MOST_TEXTS = 128;
const MOST_CHARACTERS = 100_000;

/**
 * Which texts of a scope have a vector of one embedder: ids alone are held, some fifty bytes for each. The texts
 * that have none are read from the graph by `missing`.
 */
export class EmbeddedTexts {
  readonly #source: { readonly store: GraphStore; readonly scope: Scope; readonly model: string };
  readonly #owners = new Map<EmbeddedField, Set<string>>();
  #hasDoubles = false;

  private constructor(store: GraphStore, scope: Scope, model: string) {
    this.#source = { store, scope, model };
  }

  static async load(store: GraphStore, scope: Scope, model: string): Promise<EmbeddedTexts> {
    const texts = new EmbeddedTexts(store, scope, model);
    for await (const rows of store.embeddings(scope, model, ['owner', 'field']))
      for (const { owner, field } of rows) {
        const owners = texts.#ownersOf(field);
        texts.#hasDoubles ||= owners.has(owner);
        owners.add(owner);
      }
    return texts;
  }

  /** The texts without a vector, in batches for the embedder. To be taken to the end before `redundant`, once. */
  async *missing(): AsyncGenerator<readonly OwnedText[]> {
    const { store, scope } = this.#source;
    let batch: OwnedText[] = [];
    let characters = 0;
    for await (const texts of scanEmbeddableTexts(store, scope))
      for (const text of texts) {
        // What is left in the end belongs to no text.
        if (this.#ownersOf(text.field).delete(text.owner)) continue;
        if (batch.length === MOST_TEXTS || (batch.length > 0 && characters > MOST_CHARACTERS)) {
          yield batch;
          [batch, characters] = [[], 0];
        }
        batch.push(text);
        characters += text.text.length;
      }
    if (batch.length > 0) yield batch;
  }

  /**
   * Rows to remove: a text was embedded twice because it came in meanwhile with its vector, or its row has been
   * removed meanwhile. Both are rare, so that their ids are only then looked for.
   */
  async redundant(): Promise<EmbeddingId[]> {
    if (!this.#hasDoubles && [...this.#owners.values()].every((owners) => owners.size === 0)) return [];
    const { store, scope, model } = this.#source;
    const seen = new Set<string>();
    const ids: EmbeddingId[] = [];
    for await (const rows of store.embeddings(scope, model, ['id', 'owner', 'field']))
      for (const { id, owner, field } of rows) {
        const key = `${field} ${owner}`;
        if (seen.has(key) || this.#ownersOf(field).has(owner)) ids.push(id);
        seen.add(key);
      }
    return ids;
  }

  #ownersOf(field: EmbeddedField): Set<string> {
    const known = this.#owners.get(field);
    if (known !== undefined) return known;
    const owners = new Set<string>();
    this.#owners.set(field, owners);
    return owners;
  }
}
