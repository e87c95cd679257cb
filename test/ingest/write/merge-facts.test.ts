import { describe, expect, it } from 'vitest';
import { NOTHING_STALE } from '../../../src/ingest/admit/superseded-turns.ts';
import type { DatedFact } from '../../../src/ingest/extract/segment-reader.ts';
import { mergeFacts, type ResolvedFact } from '../../../src/ingest/write/merge-facts.ts';
import type { EntityId, Milliseconds } from '../../../src/model/ids.ts';
import type { Episode, Fact } from '../../../src/model/nodes.ts';
import { ScopeIndex } from '../../../src/search/scope-index.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { entity, episode, scopeOf } from '../../contract/graph-rows.ts';

const ANN = 'ann' as EntityId;
const year = (number: number): Milliseconds => Date.UTC(number, 0);
type Said = Partial<DatedFact> & { readonly statement: string };

/** The statement of one turn about Ann. */
function saidIn(turn: Episode, said: Said): ResolvedFact {
  const read: DatedFact = {
    kind: 'proposition',
    subject: null,
    relation: '',
    object: null,
    participants: ['Ann'],
    validAt: turn.validAt,
    invalidAt: null,
    event: null,
    confidence: 1,
    turns: [0],
    ...said,
  };
  const reading = {
    keywords: [],
    summary: '',
    judgements: ['kept'] as const,
    verified: [true],
    extraction: { entities: [], facts: [read] },
  };
  const unit = { session: 's', trigger: 'end' as const, episodes: [turn], reading };
  return { read, unit, subject: undefined, object: undefined, participants: [ANN] };
}

/** A memory of Ann; each call adds statements in one batch, each statement in a turn of its own. */
class Told {
  readonly store = new InMemoryStore();
  readonly index = ScopeIndex.empty(4);
  readonly scope = scopeOf('a');
  #count = 0;
  readonly newId = () => `id ${String(++this.#count).padStart(4, '0')}`;
  readonly clock = () => year(2026);

  /** @returns Number of rows the batch added, and number of stored facts that it repeated. */
  async tell(
    at: Milliseconds,
    ...given: readonly (Said | ReadonlyMap<string, Partial<Fact>>)[]
  ): Promise<{ rows: number; repeated: number }> {
    const said = given.filter((each): each is Said => !(each instanceof Map));
    const changed = given.find((each) => each instanceof Map) ?? new Map<string, Partial<Fact>>();
    const turns = said.map(() => episode(this.newId(), { validAt: at }));
    await this.#commit({ nodes: { episode: turns, entity: this.#count > said.length ? [] : [entity(ANN)] } });
    const resolved = said.map((each, number) => saidIn(turns[number]!, each));
    const merged = await mergeFacts(this, resolved, { stale: NOTHING_STALE, unlinks: [], changed });
    await this.#commit({ nodes: { fact: merged.facts }, relationships: merged.relationships });
    return { rows: merged.facts.length, repeated: merged.repeated };
  }

  async end(old: string, { by, at }: { by: string; at: Milliseconds }): Promise<void> {
    const [from, to] = [this.index.factsStating(by)[0]!, this.index.factsStating(old)[0]!];
    await this.#commit({
      relationships: [{ kind: 'SUPERSEDES', fromKind: 'fact', from, toKind: 'fact', to }],
      updates: [{ kind: 'fact', id: to, set: { invalidAt: at } }],
    });
  }

  /** Number of turns of evidence of each fact, oldest fact first. */
  evidence(statement: string): number[] {
    return this.index.factsStating(statement).map((id) => this.index.evidenceOf(id).length);
  }

  async #commit(changes: Parameters<InMemoryStore['commit']>[1]): Promise<void> {
    await this.store.commit(this.scope, changes);
    this.index.apply(changes);
  }
}

const statement = 'Ann rents a flat in Oslo';

describe('mergeFacts', () => {
  it('adds evidence to a repeated fact instead of a second row', async () => {
    const told = new Told();
    expect(await told.tell(year(2024), { statement })).toEqual({ rows: 1, repeated: 0 });
    expect(await told.tell(year(2025), { statement: `${statement}!` })).toEqual({ rows: 0, repeated: 1 });
    expect(told.evidence(statement)).toEqual([2]);
  });

  it('also merges if the fact ends in the future', async () => {
    const told = new Told();
    const until = { statement, invalidAt: year(2030) };
    await told.tell(year(2024), until);
    expect(await told.tell(year(2025), until)).toEqual({ rows: 0, repeated: 1 });
    expect(told.evidence(statement)).toEqual([2]);
  });

  it('treats another end, or none, as another fact, in one batch as in two', async () => {
    const ends = [{ statement, invalidAt: year(2030) }, { statement, invalidAt: year(2031) }, { statement }];
    const [apart, together] = [new Told(), new Told()];
    for (const each of ends) expect(await apart.tell(year(2024), each)).toEqual({ rows: 1, repeated: 0 });
    expect(await together.tell(year(2024), ...ends, ...ends)).toEqual({ rows: 3, repeated: 0 });
    expect(apart.evidence(statement)).toEqual([1, 1, 1]);
    expect(together.evidence(statement)).toEqual([2, 2, 2]);
    expect(await apart.tell(year(2025), ...ends)).toEqual({ rows: 0, repeated: 3 });
  });

  it('treats a fact that had ended and is repeated as new', async () => {
    const told = new Told();
    await told.tell(year(2024), { statement, invalidAt: year(2025) });
    expect(await told.tell(year(2026), { statement })).toEqual({ rows: 1, repeated: 0 });
    expect(await told.tell(year(2026), { statement, invalidAt: year(2027) })).toMatchObject({ rows: 1 });
    expect(told.evidence(statement)).toEqual([1, 1, 1]);
  });

  describe('a fact that a newer one has ended', () => {
    const event = { start: year(2010), end: year(2011), precision: 'year', text: 'in 2010' } as const;

    async function ended(said: Said, changed = new Map<string, Partial<Fact>>()) {
      const told = new Told();
      await told.tell(year(2020), { statement: 'Ann moved to Rome' });
      await told.tell(year(2020), said);
      await told.end(statement, { by: 'Ann moved to Rome', at: year(2024) });
      return { told, tell: (at: Milliseconds) => told.tell(at, { ...said }, changed) };
    }

    it('merges what was said while it held, or before', async () => {
      for (const at of [year(2022), year(2018)]) {
        const { told, tell } = await ended({ statement });
        expect(await tell(at)).toEqual({ rows: 0, repeated: 1 });
        expect(told.evidence(statement)).toEqual([2]);
      }
    });

    it('treats what was said afterwards as new, and then adds evidence to the right one', async () => {
      const { told, tell } = await ended({ statement });
      expect(await tell(year(2024))).toEqual({ rows: 1, repeated: 0 });
      expect(await tell(year(2025))).toEqual({ rows: 0, repeated: 1 });
      expect(await tell(year(2021))).toEqual({ rows: 0, repeated: 1 });
      expect(told.evidence(statement)).toEqual([2, 2]);
    });

    it('merges a dated event that is repeated', async () => {
      const { tell } = await ended({ statement, event, validAt: year(2010) });
      expect(await tell(year(2026))).toEqual({ rows: 0, repeated: 1 });
    });

    it('uses the end that the same commit sets', async () => {
      const changed = new Map<string, Partial<Fact>>();
      const { told, tell } = await ended({ statement }, changed);
      changed.set(told.index.factsStating(statement)[0]!, { invalidAt: null });
      expect(await tell(year(2026))).toEqual({ rows: 0, repeated: 1 });
    });
  });

  it('merges a repeated past fact', async () => {
    const told = new Told();
    const past = { statement, validAt: year(2010), invalidAt: year(2015) };
    await told.tell(year(2024), past);
    expect(await told.tell(year(2025), past)).toEqual({ rows: 0, repeated: 1 });
  });
});
