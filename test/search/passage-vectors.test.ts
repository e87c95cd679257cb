import { describe, expect, it } from 'vitest';
import { PassageVectors } from '../../src/search/passage-vectors.ts';
import { VectorIndex } from '../../src/search/vector-index.ts';

const QUERY = Float32Array.of(1, 0);
const at = (cosine: number) => Float32Array.of(cosine, Math.sqrt(1 - cosine * cosine));
const raised = (passages: PassageVectors, cosines: readonly number[]) => {
  const changed = Float32Array.from(cosines);
  passages.raise(changed, QUERY);
  return Array.from(changed, (cosine) => Math.round(cosine * 100) / 100);
};

function filled(): PassageVectors {
  const passages = new PassageVectors(new VectorIndex(2));
  for (const [turn, cosine] of [
    [0, 0.2],
    [2, 0.9],
    [0, 0.8],
    [2, -0.5],
  ] as const)
    passages.add(turn, at(cosine));
  return passages;
}

describe('the vectors of passages', () => {
  it('give a turn the cosine of its best passage for the most part', () => {
    expect(raised(filled(), [0.4, 0.3, 0.1])).toEqual([0.72, 0.3, 0.74]);
    expect(raised(new PassageVectors(new VectorIndex(2)), [0.4])).toEqual([0.4]);
  });

  it('lower a turn whose passages are all further away', () => {
    const passages = new PassageVectors(new VectorIndex(2));
    passages.add(0, at(-0.2));
    expect(raised(passages, [0.4])).toEqual([-0.08]);
  });

  it('leave with their turn, and overwrite their numbers', () => {
    const passages = filled();
    passages.remove(0);
    expect(raised(passages, [0.4, 0.3, 0.1])).toEqual([0.4, 0.3, 0.74]);
    expect([...passages.counts(3)]).toEqual([0, 0, 2]);
    passages.add(1, at(1));
    expect([...passages.counts(3)]).toEqual([0, 1, 2]);
  });

  it('skip a vector that does not fit', () => {
    const passages = filled();
    passages.add(1, Float32Array.of(1, 0, 0));
    passages.add(1, Float32Array.of(Number.NaN, 0));
    expect([...passages.counts(3)]).toEqual([2, 0, 2]);
  });

  it('come back from their sections, and do not from others', () => {
    const passages = filled();
    const vectors = VectorIndex.fromSections(passages.vectors.toSections())!;
    const again = PassageVectors.fromSections(passages.toSections(), vectors)!;
    expect(raised(again, [0.4, 0.3, 0.1])).toEqual([0.72, 0.3, 0.74]);
    expect(PassageVectors.fromSections(new Map(), vectors)).toBeNull();
    expect(PassageVectors.fromSections(new Map([['turns', new Uint32Array(1)]]), vectors)).toBeNull();
  });
});
