import { InvalidInputError } from '../../errors/index.ts';
import { type NewDetail, writeDetail } from '../../ingest/corrections/correction-detail.ts';
import type { Journal, RowBefore } from '../../ingest/corrections/journal.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import { embedNodes } from '../../ingest/write/embed-nodes.ts';
import type { GraphChanges, RowUpdate, Unlink } from '../../model/graph-changes.ts';
import type { CorrectionId, Milliseconds } from '../../model/ids.ts';
import type { Correction, Description, Entity, Fact, NodeKind, Profile } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { MAX_CONTENT_LENGTH } from '../../model/turn-input.ts';

/** Author, time and id of a correction. */
export interface CorrectionEvent {
  readonly id: CorrectionId;
  readonly author: string;
  readonly at: Milliseconds;
}

interface Created {
  readonly entity: Entity[];
  readonly fact: Fact[];
  readonly profile: Profile[];
  readonly description: Description[];
}

/** Collects what a correction or its undoing changes, and the journal needed to undo it. */
export class CorrectionDraft {
  readonly event: CorrectionEvent;
  readonly created: Created = { entity: [], fact: [], profile: [], description: [] };
  readonly linked = new Map<string, Relationship>();
  readonly unlinked = new Map<string, Relationship>();
  readonly updates = new Map<string, RowUpdate>();
  /** Kinds of the rows to remove, by id. */
  readonly removed = new Map<string, NodeKind>();
  readonly #before = new Map<string, RowBefore>();

  constructor(event: CorrectionEvent) {
    this.event = event;
  }

  create<K extends keyof Created>(kind: K, row: Created[K][number]): void {
    (this.created[kind] as Created[K][number][]).push(row);
  }

  remove(kind: NodeKind, id: string): void {
    this.removed.set(id, kind);
  }

  link(edge: Relationship): void {
    if (edge.from !== edge.to) this.linked.set(edgeKey(edge), edge);
  }

  unlink(edge: Relationship): void {
    this.unlinked.set(edgeKey(edge), edge);
  }

  update(
    kind: 'fact' | 'profile',
    id: string,
    set: { expiredAt?: number | null; invalidAt?: number | null },
  ): void {
    this.updates.set(id, { kind, id, set: { ...this.updates.get(id)?.set, ...set } } as RowUpdate);
  }

  expire(kind: 'fact' | 'profile', { id, expiredAt }: Pick<Fact | Profile, 'id' | 'expiredAt'>): void {
    this.#note(kind, id, { expiredAt });
    this.update(kind, id, { expiredAt: this.event.at });
  }

  /** @param from The end of the fact before this correction. */
  end(id: string, from: Milliseconds | null, to: Milliseconds | null): void {
    this.#note('fact', id, { invalidAt: from, set: to });
    this.update('fact', id, { invalidAt: to });
  }

  get journal(): Journal {
    const kinds = Object.keys(this.created) as (keyof Created)[];
    return {
      created: kinds.flatMap((kind) => this.created[kind].map(({ id }) => ({ kind, id }))),
      linked: [...this.linked.values()],
      unlinked: [...this.unlinked.values()],
      before: [...this.#before.values()],
    };
  }

  /** @throws InvalidInputError when the correction affects more rows than one correction can hold. */
  async finish(context: IngestContext, detail: NewDetail): Promise<GraphChanges> {
    const { linked: relationships, unlinked, ...journal } = this.journal;
    const correction = this.row(detail, { ...journal, linked: relationships, unlinked });
    if (correction.detail.length > MAX_CONTENT_LENGTH)
      throw new InvalidInputError(
        'This affects more turns and facts than one correction can hold; of two entities, keep the one with more facts and mentions',
      );
    return {
      unlinks: unlinked.map(withoutProperties),
      nodes: await this.nodes(context, correction),
      relationships,
      updates: [...this.updates.values()],
    };
  }

  row(detail: NewDetail, journal: Journal): Correction {
    const { id, author, at } = this.event;
    const stored = writeDetail(detail, journal);
    return { id, kind: detail.kind, author, ...stored, createdAt: at, finishedAt: at, undoneAt: null };
  }

  /** The new rows with their vectors. */
  async nodes(context: IngestContext, correction: Correction): Promise<NonNullable<GraphChanges['nodes']>> {
    const embedding = await embedNodes(context, this.created, undefined);
    return { ...this.created, embedding, correction: [correction] };
  }

  #note(kind: 'fact' | 'profile', id: string, before: Omit<RowBefore, 'kind' | 'id'>): void {
    this.#before.set(id, { ...before, ...this.#before.get(id), kind, id });
  }
}

export function withoutProperties({ kind, fromKind, from, toKind, to }: Relationship): Unlink {
  return { kind, fromKind, from, toKind, to };
}

export function edgeKey(edge: Relationship): string {
  return `${pairKey(edge)} ${edge.role ?? ''}`;
}

/** Without the role: an unlink removes all roles of a pair. */
export function pairKey({ kind, from, to }: Relationship): string {
  return `${kind} ${from} ${to}`;
}
