import type { GraphChanges, RowUpdate, Unlink } from '../../model/graph-changes.ts';
import type { Correction, Description, NodeKind, Profile } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import type { IngestContext } from '../ingest-context.ts';
import { embedNodes } from '../write/embed-nodes.ts';
import { edgesOf } from './change-facts.ts';
import type { Journal } from './journal.ts';

/** The changes of an undoing while they are put together. What was forgotten meanwhile is left out. */
export class UndoDraft {
  readonly profiles: Profile[] = [];
  readonly descriptions: Description[] = [];
  readonly #ended: string[] = [];
  readonly #removed = new Map<string, NodeKind>();
  readonly #unlinks = new Map<string, Relationship>();
  readonly #links = new Map<string, Relationship>();
  readonly #updates = new Map<string, RowUpdate>();

  remove(kind: NodeKind, id: string): void {
    this.#removed.set(id, kind);
  }

  isRemoved(id: string): boolean {
    return this.#removed.has(id);
  }

  unlink(edge: Relationship): void {
    this.#unlinks.set(keyOf(edge), edge);
  }

  link(edge: Relationship): void {
    if (edge.from !== edge.to) this.#links.set(keyOf(edge), edge);
  }

  update(
    kind: 'fact' | 'profile',
    id: string,
    set: { expiredAt?: number | null; invalidAt?: number | null },
  ): void {
    this.#updates.set(id, { kind, id, set: { ...this.#updates.get(id)?.set, ...set } } as RowUpdate);
  }

  /** A profile version that comes after the current one. */
  retell(row: Profile, current: (Pick<Profile, 'id'> & { readonly expiredAt: number }) | undefined): void {
    this.profiles.push(row);
    if (current === undefined) return;
    this.#ended.push(current.id);
    this.update('profile', current.id, { expiredAt: current.expiredAt });
  }

  /** What became of profiles, for those that are undone later. */
  get retold(): Pick<Journal, 'created' | 'before'> {
    return {
      created: this.profiles.map(({ id }) => ({ kind: 'profile', id })),
      before: this.#ended.map((id) => ({ kind: 'profile', id, expiredAt: null })),
    };
  }

  /** Whether anything live will tell of an entity: a turn that mentions it, or a fact about it. */
  async isTold(context: IngestContext, entity: string): Promise<boolean> {
    const { store, scope } = context;
    const turns = await store.get(scope, 'episode', await this.#endsAfter(context, 'MENTIONS', entity));
    if (turns.some(({ expiredAt }) => expiredAt === null)) return true;
    const facts = await store.get(scope, 'fact', await this.#endsAfter(context, 'ABOUT', entity));
    return facts.some(({ id, expiredAt }) => {
      const set = this.#updates.get(id)?.set;
      const after = set !== undefined && 'expiredAt' in set ? set.expiredAt : expiredAt;
      return after === null && !this.#removed.has(id);
    });
  }

  /** Where edges to a node will come from. */
  async #endsAfter(context: IngestContext, kind: 'MENTIONS' | 'ABOUT', to: string): Promise<string[]> {
    const gone = new Set([...this.#unlinks.values()].map(pairOf));
    const now = (await edgesOf(context, kind, { to: [to] })).filter((edge) => !gone.has(pairOf(edge)));
    const fresh = [...this.#links.values()].filter((edge) => edge.kind === kind && edge.to === to);
    return [...new Set([...now, ...fresh].map(({ from }) => from))];
  }

  /** Turns that a fact is to rest on besides those of the graph. */
  newEvidenceOf(fact: string): readonly string[] {
    return [...this.#links.values()].flatMap(({ kind, from, to }) =>
      kind === 'EVIDENCED_BY' && from === fact ? [to] : [],
    );
  }

  async finish(
    context: IngestContext,
    { events, undone }: { events: readonly Correction[]; undone: RowUpdate },
  ): Promise<GraphChanges> {
    const nodes = { profile: this.profiles, description: this.descriptions };
    const there = await existing(context, this.#wanted());
    const fresh = new Set<string>(this.descriptions.map(({ id }) => id));
    const isThere = (id: string) => (there.has(id) || fresh.has(id)) && !this.#removed.has(id);
    const joins = ({ from, to }: Relationship) => isThere(from) && isThere(to);
    const unlinked = [...this.#unlinks.values()].filter(joins);
    const removed = [...this.#removed].filter(([id]) => there.has(id));
    return {
      unlinks: unlinked.map(({ role: _, relation: __, confidence: ___, ...edge }): Unlink => edge),
      nodes: { ...nodes, embedding: await embedNodes(context, nodes, undefined), correction: events },
      relationships: await missing(context, [...this.#links.values()].filter(joins), unlinked),
      updates: [...[...this.#updates.values()].filter(({ id }) => isThere(id)), undone],
      removals: [
        ...removed.map(([id, kind]) => ({ kind, id })),
        ...(await vectorsOf(context, new Set(removed.map(([id]) => id)))),
      ],
    };
  }

  #wanted(): ReadonlyMap<NodeKind, ReadonlySet<string>> {
    const wanted = new Map<NodeKind, Set<string>>();
    const want = (kind: NodeKind, id: string) => wanted.set(kind, (wanted.get(kind) ?? new Set()).add(id));
    for (const [id, kind] of this.#removed) want(kind, id);
    for (const { kind, id } of this.#updates.values()) want(kind, id);
    for (const { fromKind, from, toKind, to } of [...this.#unlinks.values(), ...this.#links.values()]) {
      want(fromKind, from);
      want(toKind, to);
    }
    return wanted;
  }
}

async function existing(
  { store, scope }: IngestContext,
  wanted: ReadonlyMap<NodeKind, ReadonlySet<string>>,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const [kind, ids] of wanted)
    for (const { id } of await store.get(scope, kind, [...ids])) found.add(id);
  return found;
}

/** Edges that are not in the graph, or not any more by then. An unlink takes all roles of a pair. */
async function missing(
  context: IngestContext,
  wanted: readonly Relationship[],
  unlinked: readonly Relationship[],
): Promise<Relationship[]> {
  const gone = new Set(unlinked.map(pairOf));
  const there = new Set<string>();
  for (const kind of new Set(wanted.map((edge) => edge.kind))) {
    const from = [...new Set(wanted.filter((edge) => edge.kind === kind).map((edge) => edge.from))];
    for (const edge of await edgesOf(context, kind, { from }))
      if (!gone.has(pairOf(edge))) there.add(keyOf(edge));
  }
  return wanted.filter((edge) => !there.has(keyOf(edge)));
}

/** The vectors of rows that go. */
async function vectorsOf(
  { store, scope }: IngestContext,
  owners: ReadonlySet<string>,
): Promise<{ kind: 'embedding'; id: string }[]> {
  const found: { kind: 'embedding'; id: string }[] = [];
  if (owners.size === 0) return found;
  for await (const rows of store.scan(scope, 'embedding', ['id', 'owner']))
    for (const { id, owner } of rows) if (owners.has(owner)) found.push({ kind: 'embedding', id });
  return found;
}

function keyOf(edge: Relationship): string {
  return `${pairOf(edge)} ${edge.role ?? ''}`;
}

function pairOf({ kind, from, to }: Relationship): string {
  return `${kind} ${from} ${to}`;
}
