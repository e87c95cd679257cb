import { describe, expect, it } from 'vitest';
import {
  jaccard,
  LocalRelator,
  nearestSegments,
  relateSegment,
  type SegmentRelation,
  type SegmentRelator,
  type SegmentToRelate,
} from '../../../../src/ingest/segment/relate/segment-relator.ts';
import type { SegmentId } from '../../../../src/model/ids.ts';

function segment(id: string, vector: readonly number[], entities = ''): SegmentToRelate {
  return {
    id: id as SegmentId,
    keywords: [],
    summary: '',
    vector: Float32Array.from(vector),
    entities: new Set(entities.split('').filter(Boolean)),
  };
}

/** At this many degrees from (1, 0). */
function at(degrees: number, id = `at${degrees}`, entities = ''): SegmentToRelate {
  const angle = (degrees * Math.PI) / 180;
  return segment(id, [Math.cos(angle), Math.sin(angle)], entities);
}

function answering(relations: readonly Partial<SegmentRelation>[]): SegmentRelator {
  const whole = { from: 'new', to: 'old', relation: 'semantic', confidence: 0.9 };
  return { relate: async () => relations.map((each) => ({ ...whole, ...each }) as SegmentRelation) };
}

const relator = new LocalRelator();
const NEW = at(0, 'new', 'abc');

describe('the nearest segments', () => {
  it('are five, nearest first', () => {
    const others = [90, 10, 50, 30, 70, 20, 120].map((degrees) => at(degrees));
    const nearest = nearestSegments(NEW, others).map(({ id }) => id);
    expect(nearest).toEqual(['at10', 'at20', 'at30', 'at50', 'at70']);
  });

  it('do not include the segment itself or segments without features', () => {
    expect(nearestSegments(NEW, [NEW, segment('blank', [0, 0]), at(170)]).map(({ id }) => id)).toEqual([
      'at170',
    ]);
    expect(nearestSegments(segment('new', [0, 0]), [at(10)])).toEqual([]);
  });

  it('are ordered by id on a tie, in any input order', () => {
    const [a, b, c] = [at(10, 'a'), at(10, 'b'), at(10, 'c')];
    for (const others of [
      [a, b, c],
      [c, b, a],
      [b, c, a],
    ])
      expect(nearestSegments(NEW, others, 2)).toEqual([a, b]);
  });
});

it.each([
  ['', '', 0],
  ['a', '', 0],
  ['ab', 'ab', 1],
  ['abc', 'bcd', 0.5],
  ['abcd', 'd', 0.25],
])('Jaccard of %j and %j is %d', (a, b, expected) => expect(jaccard(new Set(a), new Set(b))).toBe(expected));

describe('LocalRelator', () => {
  it.each([
    ['the cosine where it is greater', at(30, 'old', 'bcd'), 'semantic', 0.866025],
    ['the entities where their share is greater', at(80, 'old', 'abcd'), 'coreference', 0.75],
    ['neither where both say nothing', at(120, 'old'), 'semantic', 0],
    ['the cosine where both are the same', at(0, 'old', 'abc'), 'semantic', 1],
  ])('relates by %s', async (_, old, relation, confidence) => {
    const [found] = await relator.relate(NEW, [old]);
    expect(found).toEqual({ from: 'new', to: 'old', relation, confidence: expect.closeTo(confidence, 6) });
  });

  it('answers for every candidate, in order', async () => {
    const found = await relator.relate(NEW, [at(90), at(10), at(50)]);
    expect(found.map(({ to }) => to)).toEqual(['at90', 'at10', 'at50']);
  });

  it('stops when it is cancelled', async () => {
    const options = { signal: AbortSignal.abort() };
    await expect(relator.relate(NEW, [at(10)], options)).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('the edges of a segment', () => {
  it('need a confidence above 0.6', async () => {
    // cos 53° = 0.602, cos 54° = 0.588; three of five entities are exactly 0.6.
    const others = [at(53), at(54), at(90, 'edge', 'abcde')];
    const rows = await relateSegment(NEW, others, { relator });
    expect(rows).toEqual([
      {
        kind: 'RELATED',
        fromKind: 'segment',
        from: 'new',
        toKind: 'segment',
        to: 'at53',
        relation: 'semantic',
        confidence: expect.closeTo(0.602, 3),
      },
    ]);
  });

  it('may require a higher confidence', async () => {
    expect(await relateSegment(NEW, [at(30)], { relator, above: 0.9 })).toEqual([]);
  });

  it('have the direction that the relator gives', async () => {
    const backwards = answering([{ from: 'old' as SegmentId, to: 'new' as SegmentId, relation: 'causal' }]);
    const [row] = await relateSegment(NEW, [at(10, 'old')], { relator: backwards });
    expect(row).toMatchObject({ from: 'old', to: 'new', relation: 'causal' });
  });

  it.each([
    ['unrelated', [{ relation: 'unrelated' as const }]],
    ['to itself', [{ to: 'new' as SegmentId }]],
    ['to what is no candidate', [{ to: 'stranger' as SegmentId }]],
    ['between others', [{ from: 'old' as SegmentId, to: 'stranger' as SegmentId }]],
    ['without a number', [{ confidence: Number.NaN }]],
  ])('are none %s', async (_, relations) => {
    expect(await relateSegment(NEW, [at(10, 'old')], { relator: answering(relations) })).toEqual([]);
  });

  it('join a pair once', async () => {
    const twice = answering([{}, { relation: 'support' }]);
    expect(await relateSegment(NEW, [at(10, 'old')], { relator: twice })).toHaveLength(1);
  });

  it('are empty without candidates, and the relator is not called', async () => {
    const never: SegmentRelator = { relate: () => Promise.reject(new Error('asked')) };
    expect(await relateSegment(NEW, [], { relator: never })).toEqual([]);
  });
});
