import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { checkGraph } from '../../src/files/backup/check-graph.ts';
import type { GraphChanges, RowRemoval, RowUpdate } from '../../src/model/graph-changes.ts';
import type { NodeKind } from '../../src/model/nodes.ts';
import type { Relationship, RelationshipKind } from '../../src/model/relationships.ts';
import { relationshipKey, unlinkKey } from '../../src/store/change-check.ts';
import type { GraphStore } from '../../src/store/graph-store.ts';
import { InMemoryStore } from '../../src/store/in-memory/in-memory-store.ts';
import { KuzuSession } from '../../src/store/kuzu/kuzu-connection.ts';
import { KuzuStore } from '../../src/store/kuzu/kuzu-store.ts';
import { edge, entity, episode, scopeOf } from '../contract/graph-rows.ts';
import { freshFolder } from '../fixtures/fresh-folder.ts';
import { inTier } from '../tier.ts';

const ROUNDS = 24;
const folder = freshFolder();
const A = scopeOf('a');
const KINDS = ['episode', 'entity'] as const;

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** Makes changes that fit the graph so far: few rows or hundreds, so that every form of statement is used. */
class Changes {
  readonly #random: () => number;
  readonly #ids = { episode: [] as string[], entity: [] as string[] };
  readonly #most: number;
  #edges = new Map<string, Relationship>();
  #count = 0;

  /** `most`: the share of rows and relationships that the larger half of the changes touches. */
  constructor(seed: number, most = 0.3) {
    this.#random = randomFrom(seed);
    this.#most = most;
  }

  chance(): number {
    return this.#random();
  }

  next(): GraphChanges {
    const share = this.#random() < 0.5 ? this.#most : 0.02;
    const unlinks = [...this.#edges.values()].filter(() => this.#random() < share);
    const gone = new Set(unlinks.map(unlinkKey));
    this.#keep((one) => !gone.has(unlinkKey(one)));
    const fresh = Array.from({ length: share > 0.1 ? 120 : 6 }, () => `${this.#count++}`);
    for (const kind of KINDS) this.#ids[kind].push(...fresh);
    const wanted = [...unlinks.filter(() => this.#random() < 0.5), ...fresh.map(() => this.#edge())];
    const updates = [...this.#updates(share), ...this.#updates(share / 4)];
    const removals = this.#removals(share / 4);
    return {
      unlinks,
      nodes: {
        episode: fresh.map((id) => episode(id, { key: id })),
        entity: fresh.map((id) => entity(id)),
      },
      relationships: wanted.flatMap((one) => this.#add(one)),
      updates,
      removals: this.#drop(removals),
    };
  }

  /** Changes that no store takes, for one of several reasons; they would change much if one did. */
  refused(): GraphChanges {
    const fresh = Array.from({ length: 6 }, (_, at) => `refused ${this.#count} ${at}`);
    const episodes = fresh.map((id) => episode(id, { key: id }));
    const unlinks = [...this.#edges.values()].filter(() => this.#random() < 0.02);
    const gone = new Set(unlinks.map(unlinkKey));
    const [stays] = [...this.#edges.values()].filter((one) => !gone.has(unlinkKey(one)));
    const removals: RowRemoval[] = [{ kind: 'entity', id: this.#one('entity') }];
    const updates = this.#updates(0.05);
    const good = { unlinks, nodes: { episode: episodes }, updates, removals };
    const missing = { kind: 'episode', id: 'of nobody' } as const;
    const reasons: GraphChanges[] = [
      { ...good, nodes: { episode: [...episodes, episode(this.#one('episode'))] } },
      { ...good, nodes: { episode: episodes, entity: [entity(this.#one('entity'))] } },
      { ...good, updates: [...updates, { ...missing, set: { expiredAt: 1 } }] },
      { ...good, removals: [...removals, missing] },
      { ...good, relationships: [edge('MENTIONS', 'of nobody', this.#one('entity'))] },
      { ...good, unlinks: [...unlinks, edge('MENTIONS', 'of nobody', this.#one('entity'))] },
      ...(stays === undefined ? [] : [{ ...good, relationships: [stays] }]),
    ];
    return reasons[Math.floor(this.#random() * reasons.length)]!;
  }

  #edge(): Relationship {
    const confidence = this.#random();
    return confidence < 0.5
      ? edge('MENTIONS', this.#one('episode'), this.#one('entity'))
      : edge('POSSIBLY_SAME', this.#one('entity'), this.#one('entity'), { confidence });
  }

  #add(one: Relationship): Relationship[] {
    if (this.#edges.has(relationshipKey(one))) return [];
    const anew = one.confidence === undefined ? one : { ...one, confidence: this.#random() };
    this.#edges.set(relationshipKey(anew), anew);
    return [anew];
  }

  #updates(share: number): RowUpdate[] {
    return this.#some('episode', share).map((id) => ({
      kind: 'episode',
      id,
      set:
        this.#random() < 0.5
          ? { verified: this.#random() < 0.5, gate: 'kept', status: 'extracted' }
          : { expiredAt: Math.floor(this.#random() * 1e12), gate: 'dropped' },
    }));
  }

  #removals(share: number): RowRemoval[] {
    return KINDS.flatMap((kind) => this.#some(kind, share).map((id) => ({ kind, id })));
  }

  #drop(removals: readonly RowRemoval[]): readonly RowRemoval[] {
    const dead = new Set(removals.map(({ kind, id }) => `${kind} ${id}`));
    for (const kind of KINDS) this.#ids[kind] = this.#ids[kind].filter((id) => !dead.has(`${kind} ${id}`));
    this.#keep((one) => !dead.has(`${one.fromKind} ${one.from}`) && !dead.has(`${one.toKind} ${one.to}`));
    return removals;
  }

  #keep(stays: (one: Relationship) => boolean): void {
    this.#edges = new Map([...this.#edges].filter(([, one]) => stays(one)));
  }

  #one(kind: (typeof KINDS)[number]): string {
    return this.#ids[kind][Math.floor(this.#random() * this.#ids[kind].length)]!;
  }

  #some(kind: (typeof KINDS)[number], share: number): string[] {
    return this.#ids[kind].filter(() => this.#random() < share);
  }
}

async function contentOf(store: GraphStore) {
  const found: string[] = [];
  for (const kind of ['episode', 'entity'] as const satisfies NodeKind[])
    for await (const batch of store.scan(A, kind))
      found.push(...batch.map((row) => `${kind} ${JSON.stringify(row, Object.keys(row).sort())}`));
  const entities: string[] = [];
  for await (const batch of store.scan(A, 'entity', ['id'])) entities.push(...batch.map(({ id }) => id));
  // An edge stands in the file once for each of its ends.
  for (const kind of ['MENTIONS', 'POSSIBLY_SAME'] as const satisfies RelationshipKind[])
    for (const filter of [undefined, { to: entities }])
      for await (const batch of store.relationships(A, kind, filter))
        found.push(...batch.map(({ from, to, confidence }) => `${kind} ${from} ${to} ${confidence}`));
  return found.sort();
}

/** The files as a killed process leaves them. */
function crashed(path: string, copy: string): string {
  for (const end of ['', '.wal', '.seal']) if (existsSync(path + end)) copyFileSync(path + end, copy + end);
  return copy;
}

const SEEDS = inTier({ fast: [1], slow: [1, 2], long: [1, 2, 3, 4, 5, 6, 7, 8] });

it.each(SEEDS)(
  'both stores are equal after random changes, crashes and checkpoints (seed %i)',
  async (seed) => {
    const changes = new Changes(seed);
    const memory = new InMemoryStore();
    let kuzu = await KuzuStore.open({ path: join(folder, `${seed}.db`), checkpointBytes: 100_000 });
    for (let round = 0; round < ROUNDS; round += 1) {
      const change = changes.next();
      await memory.commit(A, change);
      await kuzu.commit(A, change);
      if (round % 4 !== 3) continue;
      const { path } = kuzu.describe();
      const next = round % 8 === 3 ? path : crashed(path, join(folder, `${seed}-${round}.db`));
      await kuzu.close();
      kuzu = await KuzuStore.open({ path: next, checkpointBytes: 100_000 });
      expect(await contentOf(kuzu)).toEqual(await contentOf(memory));
    }
    expect((await contentOf(memory)).length).toBeGreaterThan(1000);
    await kuzu.close();
  },
);

/** Has the database fail at a statement of the next transaction, as for want of memory; its work is undone. */
function failOnce(statement: number): void {
  const run = KuzuSession.prototype.run;
  let left = statement;
  vi.spyOn(KuzuSession.prototype, 'run').mockImplementation(async function (this: KuzuSession, ...input) {
    const rows = await run.apply(this, input);
    if (input[0].startsWith('MATCH') && --left === 0) throw new Error('Buffer manager exception: as a test');
    return rows;
  });
}

it.each(inTier({ fast: [], slow: SEEDS }))(
  'both stores are equal when 30 % of the commits are rejected or fail (seed %i)',
  async (seed) => {
    const changes = new Changes(seed, 0.05);
    const memory = new InMemoryStore();
    const path = join(folder, `refused-${seed}.db`);
    let kuzu = await KuzuStore.open({ path, checkpointBytes: 200_000 });
    const tried = { kept: 0, refused: 0, failed: 0 };
    for (let round = 0; round < 150; round += 1) {
      const chance = round === 0 ? 1 : changes.chance();
      if (chance < 0.22) {
        const change = changes.refused();
        const [one, other] = await Promise.allSettled([memory.commit(A, change), kuzu.commit(A, change)]);
        expect([one.status, other.status]).toEqual(['rejected', 'rejected']);
        if (one.status === 'rejected' && other.status === 'rejected')
          expect(other.reason.code).toBe(one.reason.code);
        tried.refused += 1;
        continue;
      }
      const change = changes.next();
      if (chance < 0.3) {
        failOnce(1 + Math.floor(changes.chance() * 12));
        const failed = await kuzu.commit(A, change).then(
          () => false,
          () => true,
        );
        vi.restoreAllMocks();
        if (!failed) await memory.commit(A, change);
        if (!failed) continue;
        tried.failed += 1;
      }
      await memory.commit(A, change);
      await kuzu.commit(A, change);
      tried.kept += 1;
      if (round % 50 !== 49) continue;
      await kuzu.close();
      kuzu = await KuzuStore.open({ path, checkpointBytes: 200_000 });
      expect(await contentOf(kuzu)).toEqual(await contentOf(memory));
    }
    expect(tried.refused).toBeGreaterThan(20);
    expect(tried.failed).toBeGreaterThan(3);
    await kuzu.close();
    kuzu = await KuzuStore.open({ path });
    expect(await contentOf(kuzu)).toEqual(await contentOf(memory));
    expect((await kuzu.state(A)).sequence).toBe((await memory.state(A)).sequence);
    expect((await checkGraph(kuzu, A, undefined)).findings).toEqual([]);
    await kuzu.close();
  },
);
