import { countEmbeddableTexts } from '../../ingest/write/embed-nodes.ts';
import type { Scope } from '../../model/ids.ts';
import {
  type Correction,
  type Episode,
  NODE_KINDS,
  type NodeKind,
  type NodeRows,
  type Tombstone,
} from '../../model/nodes.ts';
import { RELATIONSHIP_KINDS } from '../../model/relationships.ts';
import { embeddingModel, type GraphStore } from '../../store/graph-store.ts';
import { Breather } from '../../util/breathe.ts';
import { parseJson } from '../../util/parse-json.ts';
import { HierarchyCheck } from './check-hierarchy.ts';
import { counted, type Found } from './check-report.ts';

/** HMAC-SHA-256. Any other content could be forgotten text. */
const DIGEST = /^[0-9a-f]{64}$/;
const SALT = /^[0-9a-f]{16,}$/;

export function isReadableDetail(detail: string): boolean {
  const read = parseJson(detail);
  return read.ok && typeof read.value === 'object' && read.value !== null && !Array.isArray(read.value);
}

export function isTombstoneDigest({ digest, salt }: Pick<Tombstone, 'digest' | 'salt'>): boolean {
  return DIGEST.test(digest) && SALT.test(salt);
}

/** Checks corrections, tombstones and turns without text against each other. Stores only ids and times. */
class CorrectionCheck {
  readonly #withoutText = new Set<string>();
  readonly #corrections = new Map<string, Pick<Correction, 'kind' | 'targets'>>();
  readonly #digests = new Map<string, number>();
  readonly #salts = new Set<string>();
  #badDetails = 0;
  #forgettings = 0;
  #badTombstones = 0;

  /** Number of turns without text, and so without a vector. */
  get withoutText(): number {
    return this.#withoutText.size;
  }

  noteTurn({ id, content, attachments }: Episode): void {
    if (content === '' && attachments.length === 0) this.#withoutText.add(id);
  }

  noteCorrection({ id, kind, targets, detail, finishedAt }: Correction): void {
    if (kind === 'forget' && finishedAt === null) this.#forgettings++;
    this.#corrections.set(id, { kind, targets });
    if (!isReadableDetail(detail)) this.#badDetails++;
  }

  noteTombstone({ digest, salt }: Tombstone): void {
    this.#digests.set(digest, (this.#digests.get(digest) ?? 0) + 1);
    this.#salts.add(salt);
    if (!isTombstoneDigest({ digest, salt })) this.#badTombstones++;
  }

  /** @param turns Ids of all turns. @param exists Whether a row with the id exists. */
  findings(turns: ReadonlySet<string>, exists: (id: string) => boolean): Found[] {
    const twice = [...this.#digests.values()].filter((count) => count > 1).length;
    return [
      ...counted('correction-detail', this.#badDetails, 'corrections have an unreadable detail'),
      ...counted('correction-target', this.#lost(exists), 'corrections have no existing target'),
      ...counted(
        'tombstone-content',
        this.#badTombstones,
        'tombstones contain more than a digest and its salt',
      ),
      ...counted('tombstone-repeated', twice, 'tombstones repeat another one'),
      ...(this.#salts.size > 1
        ? [
            {
              code: 'tombstone-salts' as const,
              what: `the tombstones have ${this.#salts.size} salts instead of one`,
            },
          ]
        : []),
      ...counted('unfinished-forgetting', this.#forgettings, 'forgettings are unfinished'),
      ...this.#textFindings(turns),
    ];
  }

  /**
   * Corrections whose targets are missing without reason. Forgetting removes targets, and a turn that lost its text
   * may be forgotten later, so those records may outlive them.
   */
  #lost(exists: (id: string) => boolean): number {
    let lost = 0;
    for (const { kind, targets } of this.#corrections.values()) {
      if (kind === 'forget' || kind === 'retain') continue;
      const isKnown = kind === 'undo' ? (id: string) => this.#corrections.has(id) : exists;
      if (!targets.some(isKnown)) lost++;
    }
    return lost;
  }

  #textFindings(turns: ReadonlySet<string>): Found[] {
    const removed = new Set<string>();
    for (const { kind, targets } of this.#corrections.values())
      if (kind === 'retain') for (const id of targets) removed.add(id);
    const empty = [...this.#withoutText].filter((id) => !removed.has(id)).length;
    const full = [...removed].filter((id) => turns.has(id) && !this.#withoutText.has(id)).length;
    return [
      ...counted('turn-without-text', empty, 'turns have no text, although no retention rule removed it'),
      ...counted('turn-with-text', full, 'turns still have text that a retention rule removed'),
    ];
  }
}

/** Row fields that refer to other rows, with the kinds they may refer to. */
export const REFERENCES: { readonly [K in NodeKind]?: readonly (readonly [string, readonly NodeKind[]])[] } =
  {
    profile: [['owner', ['entity', 'category']]],
    description: [
      ['entity', ['entity']],
      ['segment', ['segment']],
    ],
    embedding: [['owner', ['episode', 'segment', 'profile', 'description', 'fact']]],
  };

/** Categories come first, because the check of a profile depends on its owner. */
const READ_ORDER: readonly NodeKind[] = ['category', ...NODE_KINDS.filter((kind) => kind !== 'category')];

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
  await check.readRows();
  check.checkReferences();
  check.checkCorrections();
  await check.readRelationships();
  check.checkHierarchy();
  return check.result();
}

class ScopeCheck {
  readonly #store: GraphStore;
  readonly #scope: Scope;
  readonly #signal: AbortSignal | undefined;
  readonly #breather = new Breather();
  readonly #ids = new Map<NodeKind, Set<string>>();
  /** `kind field` → referenced ids. */
  readonly #named = new Map<string, string[]>();
  readonly #embeddings: Record<string, number> = {};
  readonly #findings: Found[] = [];
  readonly #corrections = new CorrectionCheck();
  readonly #hierarchy = new HierarchyCheck();
  #relationships = 0;
  #withoutVector = 0;

  constructor(store: GraphStore, scope: Scope, signal: AbortSignal | undefined) {
    this.#store = store;
    this.#scope = scope;
    this.#signal = signal;
  }

  async readRows(): Promise<void> {
    const counts = await this.#store.count(this.#scope);
    for (const kind of READ_ORDER) {
      const ids = new Set<string>();
      this.#ids.set(kind, ids);
      await this.#trying(`the rows of the kind ${kind} cannot all be read`, () => this.#readKind(kind, ids));
      if (ids.size !== counts[kind])
        this.#findings.push({
          code: 'row-count',
          what: `${counts[kind]} rows of the kind ${kind} are counted, but ${ids.size} are found`,
        });
    }
    const { fingerprint } = this.#store.describe();
    const vectors = fingerprint === null ? 0 : (this.#embeddings[embeddingModel(fingerprint)] ?? 0);
    this.#withoutVector = Math.max(0, countEmbeddableTexts(counts) - this.#corrections.withoutText - vectors);
  }

  async #readKind<K extends NodeKind>(kind: K, ids: Set<string>): Promise<void> {
    for await (const rows of this.#store.scan(this.#scope, kind))
      for (const row of rows as readonly NodeRows[K][]) {
        await this.#pause();
        ids.add(row.id);
        for (const [field] of REFERENCES[kind] ?? [])
          this.#note(`${kind} ${field}`, String(row[field as keyof NodeRows[K]]));
        if (kind === 'embedding') this.#checkVector(row as NodeRows['embedding']);
        this.#noteCorrection(kind, row);
        this.#noteHierarchy(kind, row);
      }
  }

  #noteCorrection(kind: NodeKind, row: NodeRows[NodeKind]): void {
    if (kind === 'episode') this.#corrections.noteTurn(row as NodeRows['episode']);
    if (kind === 'correction') this.#corrections.noteCorrection(row as NodeRows['correction']);
    if (kind === 'tombstone') this.#corrections.noteTombstone(row as NodeRows['tombstone']);
  }

  #noteHierarchy(kind: NodeKind, row: NodeRows[NodeKind]): void {
    if (kind === 'category') this.#hierarchy.noteCategory(row as NodeRows['category']);
    if (kind === 'profile') this.#hierarchy.noteProfile(row as NodeRows['profile']);
    if (kind === 'hierarchy') this.#hierarchy.noteHierarchy(row as NodeRows['hierarchy']);
    if (kind === 'correction') this.#hierarchy.noteCorrection(row as NodeRows['correction']);
  }

  checkHierarchy(): void {
    this.#findings.push(...this.#hierarchy.findings());
  }

  checkCorrections(): void {
    const exists = (id: string) => NODE_KINDS.some((kind) => this.#ids.get(kind)!.has(id));
    this.#findings.push(...this.#corrections.findings(this.#ids.get('episode')!, exists));
  }

  #checkVector({ model, vector }: NodeRows['embedding']): void {
    this.#embeddings[model] = (this.#embeddings[model] ?? 0) + 1;
    const { fingerprint } = this.#store.describe();
    if (fingerprint === null || embeddingModel(fingerprint) !== model) return;
    if (vector.length !== fingerprint.dimension || !vector.every(Number.isFinite))
      this.#once({
        code: 'bad-vector',
        what: `a vector of ${model} does not have ${fingerprint.dimension} numbers`,
      });
  }

  checkReferences(): void {
    for (const kind of NODE_KINDS)
      for (const [field, kinds] of REFERENCES[kind] ?? []) {
        const named = this.#named.get(`${kind} ${field}`) ?? [];
        const lost = named.filter((id) => !kinds.some((each) => this.#ids.get(each)!.has(id))).length;
        if (lost > 0)
          this.#findings.push({
            code: 'missing-row',
            what: `${lost} rows of the kind ${kind} refer to a missing row (${field})`,
          });
      }
  }

  async readRelationships(): Promise<void> {
    for (const kind of RELATIONSHIP_KINDS) {
      let lost = 0;
      await this.#trying(`the relationships ${kind} cannot all be read`, async () => {
        for await (const edges of this.#store.relationships(this.#scope, kind))
          for (const edge of edges) {
            await this.#pause();
            const { fromKind, from, toKind, to } = edge;
            this.#hierarchy.noteEdge(edge);
            this.#relationships++;
            if (!this.#ids.get(fromKind)!.has(from) || !this.#ids.get(toKind)!.has(to)) lost++;
          }
      });
      this.#findings.push(...counted('missing-end', lost, `relationships ${kind} have a missing end`));
    }
  }

  result(): GraphCheck {
    let rows = 0;
    for (const ids of this.#ids.values()) rows += ids.size;
    return {
      rows,
      relationships: this.#relationships,
      embeddings: this.#embeddings,
      withoutVector: this.#withoutVector,
      findings: this.#findings,
    };
  }

  #note(key: string, id: string): void {
    const ids = this.#named.get(key);
    if (ids === undefined) this.#named.set(key, [id]);
    else ids.push(id);
  }

  #once(found: Found): void {
    if (!this.#findings.some(({ what }) => what === found.what)) this.#findings.push(found);
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
