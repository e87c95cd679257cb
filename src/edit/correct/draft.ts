import { InvalidInputError } from '../../errors/index.ts';
import { type NewDetail, writeDetail } from '../../ingest/corrections/correction-detail.ts';
import type { RowBefore } from '../../ingest/corrections/journal.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import { embedNodes } from '../../ingest/write/embed-nodes.ts';
import type { GraphChanges, RowUpdate } from '../../model/graph-changes.ts';
import type { CorrectionId, Milliseconds } from '../../model/ids.ts';
import type { Correction, Description, Entity, Fact, Profile } from '../../model/nodes.ts';
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

/** Collects the changes of one correction and the journal needed to undo it. */
export class CorrectionDraft {
  readonly event: CorrectionEvent;
  readonly #created: Created = { entity: [], fact: [], profile: [], description: [] };
  readonly #linked = new Map<string, Relationship>();
  readonly #unlinked = new Map<string, Relationship>();
  readonly #before = new Map<string, RowBefore>();
  readonly #updates = new Map<string, RowUpdate>();

  constructor(event: CorrectionEvent) {
    this.event = event;
  }

  get facts(): readonly Fact[] {
    return this.#created.fact;
  }

  /** Updates of facts only. */
  get updates(): readonly RowUpdate[] {
    return [...this.#updates.values()].filter(({ kind }) => kind === 'fact');
  }

  get relationships(): readonly Relationship[] {
    return [...this.#linked.values()];
  }

  create<K extends keyof Created>(kind: K, row: Created[K][number]): void {
    (this.#created[kind] as Created[K][number][]).push(row);
  }

  link(edge: Relationship): void {
    this.#linked.set(keyOf(edge), edge);
  }

  unlink(edge: Relationship): void {
    this.#unlinked.set(keyOf(edge), edge);
  }

  expire(kind: 'fact' | 'profile', row: Pick<Fact | Profile, 'id' | 'expiredAt'>): void {
    this.#note(kind, row.id, { expiredAt: this.event.at }, { expiredAt: row.expiredAt });
  }

  /** @param from The end of the fact before this correction. */
  end(id: string, from: Milliseconds | null, to: Milliseconds | null): void {
    this.#note('fact', id, { invalidAt: to }, { invalidAt: from, set: to });
  }

  /** @throws InvalidInputError when the correction affects more rows than one correction can hold. */
  async finish(context: IngestContext, detail: NewDetail): Promise<GraphChanges> {
    const nodes = this.#created;
    const embedding = await embedNodes(context, nodes, undefined);
    const created = (Object.keys(nodes) as (keyof Created)[]).flatMap((kind) =>
      nodes[kind].map(({ id }) => ({ kind, id })),
    );
    const journal = {
      created,
      linked: [...this.#linked.values()],
      unlinked: [...this.#unlinked.values()],
      before: [...this.#before.values()],
    };
    const stored = writeDetail(detail, journal);
    if (stored.detail.length > MAX_CONTENT_LENGTH)
      throw new InvalidInputError(
        'This affects more turns and facts than one correction can hold; of two entities, keep the one with more facts and mentions',
      );
    return {
      unlinks: [...this.#unlinked.values()].map(
        ({ role: _, relation: __, confidence: ___, ...edge }) => edge,
      ),
      nodes: { ...nodes, embedding, correction: [correctionRow(this.event, detail.kind, stored)] },
      relationships: [...this.#linked.values()],
      updates: [...this.#updates.values()],
    };
  }

  #note(
    kind: 'fact' | 'profile',
    id: string,
    set: { expiredAt?: number | null; invalidAt?: number | null },
    before: Omit<RowBefore, 'kind' | 'id'>,
  ): void {
    this.#before.set(id, { ...before, ...this.#before.get(id), kind, id });
    this.#updates.set(id, { kind, id, set: { ...this.#updates.get(id)?.set, ...set } } as RowUpdate);
  }
}

export function correctionRow(
  { id, author, at }: CorrectionEvent,
  kind: Correction['kind'],
  stored: Pick<Correction, 'targets' | 'detail'>,
): Correction {
  return { id, kind, author, ...stored, createdAt: at, finishedAt: at, undoneAt: null };
}

function keyOf({ kind, from, to, role }: Relationship): string {
  return `${kind} ${from} ${to} ${role ?? ''}`;
}
