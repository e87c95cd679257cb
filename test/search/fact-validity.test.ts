import { describe, expect, it } from 'vitest';
import type { GraphChanges, RowUpdate } from '../../src/model/graph-changes.ts';
import { FactValidity } from '../../src/search/fact-index.ts';
import { ScopeIndex } from '../../src/search/scope-index.ts';
import { scopeIndexFromSections, scopeIndexSections } from '../../src/search/scope-index-sections.ts';
import { topK } from '../../src/search/top-k.ts';
import { VectorIndex } from '../../src/search/vector-index.ts';
import { InMemoryStore } from '../../src/store/in-memory/in-memory-store.ts';
import { fact, scopeOf } from '../contract/graph-rows.ts';
import { randomVector, seededRandom } from './random.ts';

const EVER = { begunBy: Number.POSITIVE_INFINITY, openAt: Number.NEGATIVE_INFINITY };
const currentAt = (now: number) => ({ begunBy: Number.POSITIVE_INFINITY, openAt: now });
const at = (time: number) => ({ begunBy: time, openAt: time });

function of(rows: readonly (readonly [number, number | null])[]): FactValidity {
  const validity = new FactValidity();
  for (const [ordinal, [validAt, invalidAt]] of rows.entries()) validity.add(ordinal, { validAt, invalidAt });
  return validity;
}
const selected = (validity: FactValidity, period: { begunBy: number; openAt: number }) => {
  const marks = validity.select(period);
  return marks && Array.from(marks.keys()).filter((ordinal) => marks[ordinal] === 1);
};

describe('FactValidity', () => {
  it('lets a fact hold from its beginning until before its end', () => {
    const validity = of([
      [10, 20],
      [10, null],
      [20, 30],
      [-5, -1],
    ]);
    expect([9, 10, 19, 20, 29, 30, -5, -1].map((time) => selected(validity, at(time)))).toEqual([
      [],
      [0, 1],
      [0, 1],
      [1, 2],
      [1, 2],
      [1],
      [3],
      [],
    ]);
    expect(selected(validity, currentAt(5))).toEqual([0, 1, 2]);
    expect(selected(validity, currentAt(Number.POSITIVE_INFINITY))).toEqual([1]);
    expect(selected(validity, { ...EVER, begunBy: 15 })).toEqual([0, 1, 3]);
  });

  it('does nothing if nothing is excluded', () => {
    expect(of([[10, 20]]).select(EVER)).toBeNull();
    const open = of([[10, null]]);
    expect(open.select(currentAt(50))).toBeNull();
    open.change(0, { invalidAt: 40 });
    expect([open.ending, selected(open, currentAt(50))]).toEqual([1, []]);
    open.change(0, { invalidAt: null });
    expect([open.ending, open.select(currentAt(50))]).toEqual([0, null]);
    open.change(0, { invalidAt: 40 });
    open.remove(0);
    expect([open.ending, selected(open, at(20))]).toEqual([0, []]);
    open.change(7, { invalidAt: 40 });
    expect(open.length).toBe(1);
    const moved = of([[10, 30]]);
    moved.change(0, { validAt: 20 });
    expect([selected(moved, at(15)), selected(moved, at(25)), selected(moved, at(30))]).toEqual([
      [],
      [0],
      [],
    ]);
  });
});

describe('the validity of facts in a scope index', () => {
  it('is the same from commits, from the graph and from a snapshot', async () => {
    const random = seededRandom(3);
    const time = () => Math.floor(random() * 30);
    const scope = scopeOf('a');
    const store = new InMemoryStore();
    const index = ScopeIndex.empty(8);
    const live = new Set<string>();
    const ended: RowUpdate[] = [];
    const commit = async (changes: GraphChanges) => {
      await store.commit(scope, changes);
      index.apply(changes);
    };
    for (let now = 0; now < 60; now++) {
      const id = `f${String(now).padStart(2, '0')}`;
      const some = [...live].filter(() => random() < 0.2);
      const updates = some.map((old): RowUpdate => {
        if (random() < 0.4 && live.delete(old)) return { kind: 'fact', id: old, set: { expiredAt: now } };
        const end = { kind: 'fact', id: old, set: { invalidAt: random() < 0.2 ? null : time() } } as const;
        ended.push(end);
        return end;
      });
      const row = fact(id, { validAt: time(), invalidAt: random() < 0.3 ? time() : null, createdAt: now });
      await commit({ nodes: { fact: [row] }, updates });
      live.add(id);
    }
    expect(ended.length).toBeGreaterThan(20);
    const loaded = await ScopeIndex.load(8, {
      rows: (kind, fields) => store.scan(scope, kind, fields),
      embeddings: async function* () {},
      relationships: (kind) => store.relationships(scope, kind),
    });
    const restored = scopeIndexFromSections(8, scopeIndexSections(index))!;
    const naive = await store.get(scope, 'fact', [...live]);
    for (const period of [at(5), at(15), at(29), currentAt(12), { ...EVER, begunBy: 10 }]) {
      const expected = naive
        .filter(({ validAt }) => validAt <= period.begunBy)
        .filter(({ invalidAt }) => invalidAt === null || invalidAt > period.openAt)
        .map(({ id }) => id as string);
      for (const each of [index, loaded, restored]) {
        const found = selected(each.validity, period)!.map((ordinal) => each.facts.ids.idOf(ordinal));
        expect(found.sort()).toEqual(expected.toSorted());
      }
    }
    const ends = naive.filter(({ invalidAt }) => invalidAt !== null).length;
    expect([index, loaded, restored].map(({ validity }) => validity.ending)).toEqual([ends, ends, ends]);
  });

  it('rejects a snapshot of other facts', () => {
    const index = ScopeIndex.empty(8);
    index.apply({ nodes: { fact: [fact('f')] } });
    const sections = new Map(scopeIndexSections(index));
    expect(scopeIndexFromSections(8, sections)).not.toBeNull();
    for (const name of ['validity/validAt', 'validity/invalidAt']) {
      expect(scopeIndexFromSections(8, new Map(sections).set(name, new Float64Array(2)))).toBeNull();
    }
  });
});

it.each([50, 3_000])(
  'the best vectors of some ordinals are those of a scan of them alone, of %i',
  (count) => {
    const random = seededRandom(count);
    const index = new VectorIndex(16);
    for (let ordinal = 0; ordinal < count; ordinal++) index.set(ordinal, randomVector(random, 16));
    for (let ordinal = 0; ordinal < count; ordinal += 7) index.remove(ordinal);
    for (const share of [0, 0.01, 0.5, 1]) {
      const only = Uint8Array.from({ length: count }, () => (random() < share ? 1 : 0));
      const query = randomVector(random, 16);
      const scores = new Float32Array(count);
      index.score(query, scores);
      for (const [ordinal, mark] of only.entries())
        if (mark === 0) scores[ordinal] = Number.NEGATIVE_INFINITY;
      for (const k of [1, 10, 100])
        expect(index.top(query, k, only)).toEqual(
          topK(scores, k).filter(({ score }) => Number.isFinite(score)),
        );
      expect(index.top(query, 10, only.subarray(0, 5)).every(({ ordinal }) => ordinal < 5)).toBe(true);
    }
  },
);
