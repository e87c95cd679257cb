import { describe, expect, it } from 'vitest';
import { randomNumbers } from '../../bench/synthetic-turns.ts';
import { SparseVectors } from '../../src/search/sparse-vectors.ts';
import { VectorIndex } from '../../src/search/vector-index.ts';
import { roundedVector } from '../../src/util/rounded-vector.ts';

const DIMENSION = 24;

describe('SparseVectors', () => {
  const random = randomNumbers(3);
  const vector = () => roundedVector(Float32Array.from({ length: DIMENSION }, () => random() - 0.5));
  const both = () => {
    const [dense, sparse] = [new VectorIndex(DIMENSION), new SparseVectors(DIMENSION)];
    for (const ordinal of [3, 4, 70, 1_000]) {
      const each = vector();
      dense.set(ordinal, each);
      sparse.set(ordinal, each);
    }
    return [dense, sparse] as const;
  };

  it('scores like an index with room for every ordinal', () => {
    const [dense, sparse] = both();
    const query = vector();
    expect(sparse.cosines(query, 2_000)).toEqual(dense.cosines(query, 2_000));
    expect(sparse.top(query, 3)).toEqual(dense.top(query, 3));
    const only = new Uint8Array(2_000);
    only[4] = only[1_000] = 1;
    expect(sparse.top(query, 3, only)).toEqual(dense.top(query, 3, only));
    const [one, other] = [new Float32Array(1_001), new Float32Array(1_001)];
    dense.score(query, one);
    sparse.score(query, other);
    expect(other).toEqual(one);
    expect([sparse.size, sparse.ordinals]).toEqual([dense.size, dense.ordinals]);
  });

  it('replaces and removes vectors, and uses their places again', () => {
    const [, sparse] = both();
    const each = vector();
    sparse.set(70, each);
    expect(sparse.get(70)).toEqual(each);
    expect([sparse.remove(70), sparse.remove(70), sparse.has(70), sparse.get(70)]).toEqual([
      true,
      false,
      false,
      null,
    ]);
    sparse.set(9, each);
    expect(sparse.get(9)).toEqual(each);
    expect(sparse.get(3)).not.toEqual(each);
    expect(sparse.size).toBe(4);
    expect(sparse.top(each, 1)).toHaveLength(1);
  });
});
