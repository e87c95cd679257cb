import { countEmbeddableTexts } from '../../ingest/write/embed-nodes.ts';
import type { Scope } from '../../model/ids.ts';
import { NODE_KINDS, type NodeKind, type NodeRows } from '../../model/nodes.ts';
import { RELATIONSHIP_KINDS } from '../../model/relationships.ts';
import { embeddingModel, type GraphStore } from '../../store/graph-store.ts';
import { Breather } from '../../util/breathe.ts';
import type { Found } from './check-report.ts';
import { CORRECTION_RULES, HIERARCHY_RULES } from './graph-rules.ts';
import { emptyScopeRows, keepRow, READ_ORDER, REFERENCES } from './scope-rows.ts';

interface GraphCheck {
  readonly rows: number;
  readonly relationships: number;
  readonly embeddings: Readonly<Record<string, number>>;
  readonly withoutVector: number;
  readonly findings: readonly Found[];
}

/** Reads and checks every row and relationship of a scope. */
export async function checkGraph(
  store: GraphStore,
  scope: Scope,
  signal: AbortSignal | undefined,
): Promise<GraphCheck> {
  const check = new ScopeCheck(store, scope, signal);
  const counts = await check.readRows();
  const relationships = await check.readRelationships();
  return { ...check.result(counts), relationships };
}

class ScopeCheck {
  readonly #store: GraphStore;
  readonly #scope: Scope;
  readonly #signal: AbortSignal | undefined;
  readonly #breather = new Breather();
  readonly #rows = emptyScopeRows();
  /** `kind field` → referenced ids. */
  readonly #named = new Map<string, string[]>();
  readonly #embeddings: Record<string, number> = {};
  /** Of these, the vectors of passages. */
  readonly #passages: Record<string, number> = {};
  readonly #findings: Found[] = [];
  #hasBadVector = false;

  constructor(store: GraphStore, scope: Scope, signal: AbortSignal | undefined) {
    this.#store = store;
    this.#scope = scope;
    this.#signal = signal;
  }

  async readRows() {
    const counts = await this.#store.count(this.#scope);
    for (const kind of READ_ORDER) {
      await this.#trying(`the rows of the kind ${kind} cannot all be read`, () => this.#readKind(kind));
      const { size } = this.#rows.ids.get(kind)!;
      if (size !== counts[kind])
        this.#findings.push({
          code: 'row-count',
          what: `${counts[kind]} rows of the kind ${kind} are counted, but ${size} are found`,
        });
    }
    this.#checkReferences();
    this.#findings.push(...CORRECTION_RULES.flatMap((rule) => rule.check(this.#rows)));
    return counts;
  }

  async #readKind<K extends NodeKind>(kind: K): Promise<void> {
    for await (const rows of this.#store.scan(this.#scope, kind))
      for (const row of rows as readonly NodeRows[K][]) {
        await this.#pause();
        keepRow(this.#rows, kind, row);
        for (const [field] of REFERENCES[kind] ?? []) {
          const key = `${kind} ${field}`;
          const named = this.#named.get(key) ?? [];
          named.push(String(row[field as keyof NodeRows[K]]));
          this.#named.set(key, named);
        }
        if (kind === 'embedding') this.#checkVector(row as NodeRows['embedding']);
      }
  }

  #checkVector({ model, vector, field }: NodeRows['embedding']): void {
    this.#embeddings[model] = (this.#embeddings[model] ?? 0) + 1;
    if (field === 'passage') this.#passages[model] = (this.#passages[model] ?? 0) + 1;
    const { fingerprint } = this.#store.describe();
    if (fingerprint === null || embeddingModel(fingerprint) !== model || this.#hasBadVector) return;
    if (vector.length === fingerprint.dimension && vector.every(Number.isFinite)) return;
    this.#hasBadVector = true;
    const what = `a vector of ${model} does not have ${fingerprint.dimension} numbers`;
    this.#findings.push({ code: 'bad-vector', what });
  }

  #checkReferences(): void {
    for (const kind of NODE_KINDS)
      for (const [field, kinds] of REFERENCES[kind] ?? []) {
        const named = this.#named.get(`${kind} ${field}`) ?? [];
        const lost = named.filter((id) => !kinds.some((each) => this.#rows.ids.get(each)!.has(id))).length;
        if (lost === 0) continue;
        const what = `${lost} rows of the kind ${kind} refer to a missing row (${field})`;
        this.#findings.push({ code: 'missing-row', what });
      }
  }

  /** @returns how many there are. */
  async readRelationships(): Promise<number> {
    const { ids, edges: categorizing } = this.#rows;
    let relationships = 0;
    for (const kind of RELATIONSHIP_KINDS) {
      let lost = 0;
      await this.#trying(`the relationships ${kind} cannot all be read`, async () => {
        for await (const edges of this.#store.relationships(this.#scope, kind))
          for (const edge of edges) {
            await this.#pause();
            relationships++;
            if (kind === 'CATEGORIZES') categorizing.push(edge);
            if (!ids.get(edge.fromKind)!.has(edge.from) || !ids.get(edge.toKind)!.has(edge.to)) lost++;
          }
      });
      if (lost > 0)
        this.#findings.push({
          code: 'missing-end',
          what: `${lost} relationships ${kind} have a missing end`,
        });
    }
    this.#findings.push(...HIERARCHY_RULES.flatMap((rule) => rule.check(this.#rows)));
    return relationships;
  }

  result(counts: Parameters<typeof countEmbeddableTexts>[0]): Omit<GraphCheck, 'relationships'> {
    const { fingerprint } = this.#store.describe();
    const model = fingerprint && embeddingModel(fingerprint);
    const vectors = model === null ? 0 : (this.#embeddings[model] ?? 0) - (this.#passages[model] ?? 0);
    const embeddable = countEmbeddableTexts(counts) - this.#rows.withoutText.size;
    return {
      rows: [...this.#rows.ids.values()].reduce((sum, { size }) => sum + size, 0),
      embeddings: this.#embeddings,
      withoutVector: Math.max(0, embeddable - vectors),
      findings: this.#findings,
    };
  }

  /** Reports an unreadable row as a finding instead of failing the check. */
  async #trying(what: string, read: () => Promise<void>): Promise<void> {
    try {
      await read();
    } catch {
      this.#signal?.throwIfAborted();
      this.#findings.push({ code: 'unreadable', what });
    }
  }

  async #pause(): Promise<void> {
    this.#signal?.throwIfAborted();
    await this.#breather.breathe();
  }
}
