import { describe, expect, it } from 'vitest';
import { BudgetExhaustedError } from '../../../src/errors/index.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import type { IngestContext } from '../../../src/ingest/ingest-context.ts';
import { LocalFallback } from '../../../src/ingest/local-fallback.ts';
import { LocalSuperseder } from '../../../src/ingest/supersede/local-superseder.ts';
import { supersedeFacts } from '../../../src/ingest/supersede/supersede-facts.ts';
import type { Superseder, Supersession } from '../../../src/ingest/supersede/superseder.ts';
import { findReopened } from '../../../src/ingest/supersede/view-facts.ts';
import type { EntityId, EpisodeId, FactId, ProfileId, Scope } from '../../../src/model/ids.ts';
import type { Episode, Fact } from '../../../src/model/nodes.ts';
import type { Relationship } from '../../../src/model/relationships.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { ScopeIndex } from '../../../src/search/scope-index.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { episode as episodeRow } from '../../contract/graph-rows.ts';
import { DAY } from './judged-facts.ts';

const SCOPE = 'a' as Scope;
const NOW = 5_000 * DAY;

interface Line {
  readonly day: number;
  readonly statement: string;
  readonly invalidAt?: number | null;
  readonly statedEnd?: number | null;
  readonly confidence?: number;
  /** Days on which it was said; default: its own. */
  readonly saidOn?: readonly number[];
}

/** A memory of facts about the people they name, and a batch of new ones. */
class Desk {
  readonly store = new InMemoryStore();
  readonly index = ScopeIndex.empty(16);
  readonly #entities = new Set<string>();
  #ids = 0;

  get context(): IngestContext {
    return {
      scope: SCOPE,
      store: this.store,
      index: this.index,
      embedder: new HashingEmbedder({ analyze, dimension: 16 }),
      admission: { redactsSecrets: false, neverRemember: null },
      clock: () => NOW,
      newId: () => this.#newId(),
    };
  }

  async remember(...lines: readonly Line[]): Promise<Fact[]> {
    const { facts, episodes, relationships } = this.rows(lines);
    const names = new Set(relationships.flatMap(({ kind, to }) => (kind === 'ABOUT' ? [to] : [])));
    const fresh = [...names].filter((name) => !this.#entities.has(name));
    for (const name of fresh) this.#entities.add(name);
    const changes = {
      nodes: {
        fact: facts,
        episode: episodes,
        entity: fresh.map((name) => ({ id: name as EntityId, createdAt: 1 })),
        profile: fresh.map((name) => ({
          id: this.#newId() as ProfileId,
          owner: name as EntityId,
          name,
          aliases: [],
          summary: '',
          tags: [],
          createdAt: 1,
          expiredAt: null,
        })),
      },
      relationships,
    };
    await this.store.commit(SCOPE, changes);
    this.index.apply(changes);
    return facts;
  }

  rows(lines: readonly Line[]) {
    const facts: Fact[] = [];
    const episodes: Episode[] = [];
    const relationships: Relationship[] = [];
    for (const line of lines) {
      const { day, statement, invalidAt = null, statedEnd = null, confidence = 0.9, saidOn = [day] } = line;
      const id = this.#newId() as FactId;
      const row = { id, kind: 'proposition' as const, statement, relation: '', invalidAt, confidence };
      facts.push({
        ...row,
        validAt: day * DAY,
        createdAt: NOW,
        expiredAt: null,
        event: null,
        origin: 'read',
        statedEnd,
      });
      for (const name of new Set(statement.match(/\p{Lu}\p{L}+/gu)))
        relationships.push(edge('ABOUT', id, name));
      for (const said of saidOn) {
        const turn = this.#newId() as EpisodeId;
        episodes.push({ ...episodeRow(turn), key: turn, validAt: said * DAY, content: statement });
        relationships.push(edge('EVIDENCED_BY', id, turn));
      }
    }
    return { facts, episodes, relationships };
  }

  async tell(
    lines: readonly Line[],
    superseder: Superseder = new LocalSuperseder(),
    fallback = new LocalFallback(),
  ) {
    const batch = this.rows(lines);
    return this.judge(batch, superseder, fallback);
  }

  async judge(batch: ReturnType<Desk['rows']>, superseder: Superseder, fallback = new LocalFallback()) {
    const namesOf = (id: EntityId) => [id];
    return supersedeFacts(this.context, { ...batch, namesOf, expiring: new Set() }, { superseder, fallback });
  }

  #newId(): string {
    return `n${String(++this.#ids).padStart(6, '0')}`;
  }
}

function edge(kind: 'ABOUT' | 'EVIDENCED_BY', from: string, to: string): Relationship {
  if (kind === 'ABOUT') return { kind, fromKind: 'fact', from, toKind: 'entity', to, role: 'participant' };
  return { kind, fromKind: 'fact', from, toKind: 'episode', to };
}

const supersedes = (relationships: readonly Relationship[]) =>
  relationships.filter(({ kind }) => kind === 'SUPERSEDES').map(({ from, to }) => [from, to]);

describe('supersedeFacts', () => {
  it('ends a fact in memory where the new one begins, and stores which fact ended it', async () => {
    const desk = new Desk();
    const [oslo] = await desk.remember(
      { day: 1, statement: 'Mara lives in Oslo' },
      { day: 2, statement: 'Mara plays the cello' },
    );
    const { facts, relationships, updates } = await desk.tell([
      { day: 40, statement: 'Mara moved to Lisbon' },
    ]);
    expect(updates).toEqual([{ kind: 'fact', id: oslo!.id, set: { invalidAt: 40 * DAY } }]);
    expect(supersedes(relationships)).toEqual([[facts[0]!.id, oslo!.id]]);
    expect(facts[0]).toMatchObject({ invalidAt: null, expiredAt: null });
  });

  it('gives three facts with closed validity for there, away and back, in one batch', async () => {
    const { facts, relationships, updates } = await new Desk().tell([
      { day: 1, statement: 'Mara moved to Oslo' },
      { day: 100, statement: 'Mara moved to Lisbon' },
      { day: 200, statement: 'Mara moved back to Oslo' },
    ]);
    expect(facts.map(({ invalidAt }) => invalidAt)).toEqual([100 * DAY, 200 * DAY, null]);
    const [a, b, c] = facts.map(({ id }) => id);
    expect(supersedes(relationships)).toEqual(
      expect.arrayContaining([
        [b, a],
        [c, b],
      ]),
    );
    expect(supersedes(relationships)).toHaveLength(2);
    expect(updates).toEqual([]);
  });

  it('ends a late-arriving older fact by the one in memory, and does not change that one', async () => {
    const desk = new Desk();
    const [oslo] = await desk.remember({ day: 300, statement: 'Mara lives in Oslo' });
    const { facts, relationships, updates } = await desk.tell([
      { day: 10, statement: 'Mara moved to Hamburg' },
    ]);
    expect(facts[0]!.invalidAt).toBe(300 * DAY);
    expect(supersedes(relationships)).toEqual([[oslo!.id, facts[0]!.id]]);
    expect(updates).toEqual([]);
  });

  it('inserts a late fact between two: each ends at the next', async () => {
    const desk = new Desk();
    const [oslo] = await desk.remember(
      { day: 1, statement: 'Mara moved to Oslo', invalidAt: 300 * DAY },
      { day: 300, statement: 'Mara moved to Rome' },
    );
    const { facts, updates } = await desk.tell([{ day: 100, statement: 'Mara moved to Lisbon' }]);
    expect(updates).toEqual([{ kind: 'fact', id: oslo!.id, set: { invalidAt: 100 * DAY } }]);
    expect(facts[0]!.invalidAt).toBe(300 * DAY);
  });

  it.each([
    [30, 30, 0],
    [50, 40, 1],
  ])('with an end of its own on day %i keeps the earlier end', async (came, kept, changes) => {
    const desk = new Desk();
    await desk.remember({ day: 1, statement: 'Mara lives in Oslo', invalidAt: came * DAY });
    const { updates, relationships } = await desk.tell([{ day: 40, statement: 'Mara moved to Lisbon' }]);
    expect(updates).toHaveLength(changes);
    expect(supersedes(relationships)).toHaveLength(changes);
    for (const { set } of updates) expect(set).toEqual({ invalidAt: kept * DAY });
  });

  it('expires a corrected fact, which then ends nothing', async () => {
    const desk = new Desk();
    const [ghent] = await desk.remember({ day: 1, statement: 'Lily lives in Ghent' });
    const { facts, updates, supersessions } = await desk.tell([
      { day: 20, statement: 'Lily moved to Bruges' },
      { day: 30, statement: 'Lily lives in Lier, not in Bruges' },
    ]);
    expect(facts[0]).toMatchObject({ invalidAt: 20 * DAY, expiredAt: NOW });
    expect(facts[1]).toMatchObject({ invalidAt: null, expiredAt: null });
    expect(updates).toEqual([{ kind: 'fact', id: ghent!.id, set: { invalidAt: 30 * DAY } }]);
    expect(supersessions.map(({ kind }) => kind).sort()).toEqual(['corrects', 'replaces']);
  });

  it('creates a new fact when one is repeated after it had ended', async () => {
    const desk = new Desk();
    const result = await desk.tell([
      { day: 1, statement: 'Jo loves coffee', saidOn: [1, 5, 90, 95] },
      { day: 50, statement: 'Jo hates coffee' },
    ]);
    const [first, hates, again] = result.facts;
    expect(
      result.facts.map(({ validAt, invalidAt }) => [validAt / DAY, invalidAt && invalidAt / DAY]),
    ).toEqual([
      [1, 50],
      [50, 90],
      [90, null],
    ]);
    expect(again).toMatchObject({ statement: 'Jo loves coffee', createdAt: NOW });
    const of = (id: string, kind: string) =>
      result.relationships.filter((each) => each.kind === kind && each.from === id).length;
    expect([first, hates, again].map((fact) => of(fact!.id, 'EVIDENCED_BY'))).toEqual([2, 1, 2]);
    expect(of(again!.id, 'ABOUT')).toBe(of(first!.id, 'ABOUT'));
    expect(supersedes(result.relationships)).toEqual([
      [hates!.id, first!.id],
      [again!.id, hates!.id],
    ]);
  });

  it('does the same with a fact in memory that the batch supports again', async () => {
    const desk = new Desk();
    const [loves] = await desk.remember({ day: 1, statement: 'Jo loves coffee' });
    const batch = desk.rows([{ day: 50, statement: 'Jo hates coffee' }]);
    const turn = { ...episodeRow('later' as EpisodeId), validAt: 90 * DAY, content: 'I love coffee' };
    const result = await desk.judge(
      {
        ...batch,
        episodes: [...batch.episodes, turn],
        relationships: [...batch.relationships, edge('EVIDENCED_BY', loves!.id, 'later')],
      },
      new LocalSuperseder(),
    );
    const [hates, again] = result.facts;
    expect(result.updates).toEqual([{ kind: 'fact', id: loves!.id, set: { invalidAt: 50 * DAY } }]);
    expect(again).toMatchObject({ statement: 'Jo loves coffee', validAt: 90 * DAY, invalidAt: null });
    expect(hates!.invalidAt).toBe(90 * DAY);
    expect(result.relationships).toContainEqual(edge('EVIDENCED_BY', again!.id, 'later'));
    expect(result.relationships).not.toContainEqual(edge('EVIDENCED_BY', loves!.id, 'later'));
    expect(
      result.relationships.filter(({ kind, from }) => kind === 'ABOUT' && from === again!.id),
    ).toHaveLength(1);
  });

  it('a tool result ends no statement of a person', async () => {
    const desk = new Desk();
    await desk.remember({ day: 1, statement: 'Mara lives in Oslo' });
    const { updates } = await desk.tell([{ day: 40, statement: 'Mara moved to Lisbon', confidence: 0.4 }]);
    expect(updates).toEqual([]);
    const other = new Desk();
    await other.remember({ day: 1, statement: 'Mara lives in Oslo', confidence: 0.4 });
    expect(
      (await other.tell([{ day: 40, statement: 'Mara moved to Lisbon', confidence: 0.4 }])).updates,
    ).toHaveLength(1);
  });

  it('uses the earliest of several ends, in any order', async () => {
    const desk = new Desk();
    const [oslo] = await desk.remember({ day: 1, statement: 'Mara lives in Oslo' });
    const batch = desk.rows([
      { day: 80, statement: 'Mara moved to Rome' },
      { day: 40, statement: 'Mara moved to Lisbon' },
    ]);
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const judge: Superseder = {
        concerns: () => true,
        supersede: async () =>
          order.map((at): Supersession => {
            const { id, validAt } = batch.facts[at]!;
            return { old: oslo!.id, by: id, kind: 'replaces', at: validAt };
          }),
      };
      const { updates, relationships } = await desk.judge(batch, judge);
      expect(updates).toEqual([{ kind: 'fact', id: oslo!.id, set: { invalidAt: 40 * DAY } }]);
      expect(supersedes(relationships)).toEqual([[batch.facts[1]!.id, oslo!.id]]);
    }
  });

  it('merges a dated event that is repeated', async () => {
    const desk = new Desk();
    const batch = desk.rows([
      { day: 1, statement: 'Mara moved to Oslo', saidOn: [1, 90] },
      { day: 50, statement: 'Mara moved to Lisbon' },
    ]);
    const event = { start: DAY, end: 2 * DAY, precision: 'day', text: 'on 2 January' } as const;
    const facts = batch.facts.map((fact, at) => (at === 0 ? { ...fact, event } : fact));
    const result = await desk.judge({ ...batch, facts }, new LocalSuperseder());
    expect(result.facts.map(({ invalidAt }) => invalidAt)).toEqual([50 * DAY, null]);
  });

  it('finds facts about the same name if resolution was undecided', async () => {
    const desk = new Desk();
    const [ghent] = await desk.remember({ day: 1, statement: 'Lily lives in Ghent' });
    const batch = desk.rows([{ day: 30, statement: 'Lily lives in Bruges, not in Ghent' }]);
    const relationships = batch.relationships
      .filter(({ to }) => to !== 'Ghent')
      .map((each) => (each.to === 'Lily' ? { ...each, to: 'another' } : each));
    const { updates } = await supersedeFacts(
      desk.context,
      {
        ...batch,
        relationships,
        namesOf: (id) => [id === 'another' ? 'Lily' : id],
        expiring: new Set(),
      },
      { superseder: new LocalSuperseder(), fallback: new LocalFallback() },
    );
    expect(updates).toEqual([{ kind: 'fact', id: ghent!.id, set: { invalidAt: DAY, expiredAt: NOW } }]);
  });

  it('deleted facts end nothing', async () => {
    const desk = new Desk();
    const [oslo] = await desk.remember({ day: 1, statement: 'Mara lives in Oslo' });
    const batch = desk.rows([{ day: 40, statement: 'Mara moved to Lisbon' }]);
    const { updates } = await supersedeFacts(
      desk.context,
      { ...batch, namesOf: (id) => [id], expiring: new Set([oslo!.id]) },
      { superseder: new LocalSuperseder(), fallback: new LocalFallback() },
    );
    expect(updates).toEqual([]);
  });

  it('falls back to rules if the model fails, and rethrows errors that must stop the work', async () => {
    const desk = new Desk();
    const [oslo] = await desk.remember({ day: 1, statement: 'Mara lives in Oslo' });
    const failing: Superseder = {
      concerns: () => true,
      supersede: async () => {
        throw new BudgetExhaustedError(1, 1);
      },
    };
    const fallback = new LocalFallback();
    const { updates } = await desk.tell([{ day: 40, statement: 'Mara moved to Lisbon' }], failing, fallback);
    expect(updates).toEqual([{ kind: 'fact', id: oslo!.id, set: { invalidAt: 40 * DAY } }]);
    expect(fallback.stoppedBy).toBeInstanceOf(BudgetExhaustedError);
  });

  it('shows at most 40 candidates, and includes the relevant one among hundreds about one person', async () => {
    const desk = new Desk();
    const [oslo] = await desk.remember(
      { day: 1, statement: 'Mara lives in Oslo, in a small flat near the river' },
      ...Array.from({ length: 300 }, (_, day) => ({ day, statement: `Mara saw film ${day}` })),
    );
    let shown = 0;
    const watching: Superseder = {
      concerns: () => true,
      supersede: async (facts) => {
        shown = facts[0]!.candidates.length;
        return new LocalSuperseder().supersede(facts);
      },
    };
    const { updates } = await desk.tell([{ day: 400, statement: 'Mara moved to Lisbon' }], watching);
    expect(shown).toBe(40);
    expect(updates.map(({ id }) => id)).toEqual([oslo!.id]);
  });

  it('prefers candidates that share a rare entity', async () => {
    const desk = new Desk();
    const [luna] = await desk.remember(
      { day: 1, statement: 'Mara adopted the puppy Luna from some shelter outside of the town' },
      ...Array.from({ length: 100 }, (_, day) => ({ day, statement: `Mara saw film ${day} again` })),
    );
    let first: string | undefined;
    const watching: Superseder = {
      concerns: () => true,
      supersede: async (facts) => {
        first = facts[0]!.candidates[0]!.id;
        return [];
      },
    };
    await desk.tell([{ day: 400, statement: 'Mara gave Luna away' }], watching);
    expect(first).toBe(luna!.id);
  });

  it('deletes nothing and ends nothing before it began, for every verdict', async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = randomOf(seed);
      const desk = new Desk();
      const line = (): Line => ({
        day: random(50),
        statement: `Mara said thing number ${random(8)}`,
        invalidAt: random(3) === 0 ? (60 + random(50)) * DAY : null,
        saidOn: Array.from({ length: 1 + random(3) }, () => random(50)),
      });
      const stored = await desk.remember(...Array.from({ length: 5 }, line));
      const wild: Superseder = {
        concerns: () => true,
        supersede: async (facts) => {
          const all = facts.flatMap(({ fact, candidates }) => [fact, ...candidates]);
          return Array.from({ length: 8 }, (): Supersession => {
            const [old, by] = [all[random(all.length)]!, all[random(all.length)]!];
            const kind = random(3) === 0 ? 'corrects' : 'replaces';
            return { old: old.id, by: by.id, kind, at: by.validAt };
          });
        },
      };
      const batch = desk.rows(Array.from({ length: 5 }, line));
      const result = await desk.judge(batch, wild);
      const before = new Map([...stored, ...batch.facts].map((fact) => [fact.id as string, fact]));
      const after = new Map([...before, ...result.facts.map((fact) => [fact.id as string, fact] as const)]);
      for (const { id, set } of result.updates)
        after.set(id, { ...after.get(id)!, ...(set as Partial<Fact>) });
      for (const { id } of batch.facts) expect(result.facts.map((fact) => fact.id)).toContain(id);
      for (const [id, fact] of after) {
        const { invalidAt = null } = before.get(id) ?? {};
        if (fact.invalidAt !== null) expect(fact.invalidAt).toBeGreaterThanOrEqual(fact.validAt);
        if (invalidAt !== null) expect(fact.invalidAt).toBeLessThanOrEqual(invalidAt);
        const ended = supersedes(result.relationships).filter(([, to]) => to === id);
        expect(ended.length).toBe(fact.invalidAt === invalidAt && fact.expiredAt === null ? 0 : 1);
        for (const [from] of ended) expect(after.has(from!)).toBe(true);
      }
      const evidence = (edges: readonly Relationship[]) =>
        edges
          .filter(({ kind }) => kind === 'EVIDENCED_BY')
          .map(({ to }) => to)
          .sort();
      expect(evidence(result.relationships)).toEqual(evidence(batch.relationships));
    }
  });
});

describe('facts ended by deleted facts', () => {
  async function memoryOfMoves() {
    const desk = new Desk();
    const [oslo, lisbon, rome] = await desk.remember(
      { day: 1, statement: 'Mara moved to Oslo', invalidAt: 50 * DAY },
      { day: 50, statement: 'Mara moved to Lisbon', invalidAt: 90 * DAY },
      { day: 90, statement: 'Mara moved to Rome' },
    );
    const pairs = [
      [lisbon, oslo],
      [rome, oslo],
      [rome, lisbon],
    ] as const;
    const relationships = pairs.map(([by, old]): Relationship => {
      return { kind: 'SUPERSEDES', fromKind: 'fact', from: by!.id, toKind: 'fact', to: old!.id };
    });
    await desk.store.commit(SCOPE, { relationships });
    const reopen = async (...facts: (Fact | undefined)[]) => {
      const found = await findReopened(desk.context, new Set(facts.map((fact) => fact!.id)));
      return found.map(({ id, invalidAt }) => ({ kind: 'fact', id, set: { invalidAt } }));
    };
    return { desk, oslo, lisbon, rome, reopen };
  }

  it('end at the next remaining fact', async () => {
    const { desk, oslo, lisbon, rome, reopen } = await memoryOfMoves();
    expect(await reopen(lisbon)).toEqual([{ kind: 'fact', id: oslo!.id, set: { invalidAt: 90 * DAY } }]);
    const updates = [{ kind: 'fact' as const, id: rome!.id, set: { expiredAt: NOW } }];
    await desk.store.commit(SCOPE, { updates });
    expect(await reopen(lisbon)).toEqual([{ kind: 'fact', id: oslo!.id, set: { invalidAt: null } }]);
  });

  it('are reopened before new ends: a turn read again ends the same facts, or not', async () => {
    const { desk, oslo, lisbon, rome } = await memoryOfMoves();
    const expiring = new Set([lisbon!.id, rome!.id]);
    const judge = async (day: number, statement: string) => {
      const batch = desk.rows([{ day, statement }]);
      const options = { superseder: new LocalSuperseder(), fallback: new LocalFallback() };
      return supersedeFacts(desk.context, { ...batch, namesOf: (id) => [id], expiring }, options);
    };
    const again = await judge(50, 'Mara moved to Lyon');
    expect(again.updates).toEqual([{ kind: 'fact', id: oslo!.id, set: { invalidAt: 50 * DAY } }]);
    expect(supersedes(again.relationships)).toEqual([[again.facts[0]!.id, oslo!.id]]);
    const other = await judge(50, 'Mara plays the cello');
    expect(other.updates).toEqual([{ kind: 'fact', id: oslo!.id, set: { invalidAt: null } }]);
  });

  it('get back their own stated end if the fact that ended them sooner is deleted', async () => {
    const desk = new Desk();
    const [stay, move] = await desk.remember(
      { day: 1, statement: 'Mara lives in Oslo until June', invalidAt: 50 * DAY, statedEnd: 70 * DAY },
      { day: 50, statement: 'Mara moved to Lisbon' },
    );
    const edge = {
      kind: 'SUPERSEDES',
      fromKind: 'fact',
      from: move!.id,
      toKind: 'fact',
      to: stay!.id,
    } as const;
    await desk.store.commit(SCOPE, { relationships: [edge] });
    expect(await findReopened(desk.context, new Set([move!.id]))).toMatchObject([
      { id: stay!.id, invalidAt: 70 * DAY },
    ]);
  });

  it('are reopened if nothing ends them any more; those ended by others do not change', async () => {
    const { oslo, lisbon, rome, reopen } = await memoryOfMoves();
    expect(await reopen(rome)).toEqual([{ kind: 'fact', id: lisbon!.id, set: { invalidAt: null } }]);
    expect(await reopen(lisbon, rome)).toEqual([{ kind: 'fact', id: oslo!.id, set: { invalidAt: null } }]);
    expect(await reopen(oslo)).toEqual([]);
    expect(await reopen()).toEqual([]);
  });
});

function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
}
