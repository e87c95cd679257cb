import { describe, expect, it } from 'vitest';
import { EnrichmentIndex } from '../../src/search/episode-index.ts';

const listsOf = (index: EnrichmentIndex) => ({
  pending: [...index.pending],
  setAside: [...index.setAside],
});

describe('EnrichmentIndex', () => {
  it('has turns that wait and turns that were set aside, each once, and drops the others', () => {
    const index = new EnrichmentIndex();
    index.set('a', 'stored');
    index.set('b', 'stored');
    index.set('c', 'extracted');
    index.set('d', 'set-aside');
    expect(listsOf(index)).toEqual({ pending: ['a', 'b'], setAside: ['d'] });
    index.set('a', 'set-aside');
    index.set('b', 'extracted');
    index.set('d', 'stored');
    expect(listsOf(index)).toEqual({ pending: ['d'], setAside: ['a'] });
    index.remove('d');
    index.remove('a');
    index.remove('nobody');
    expect(listsOf(index)).toEqual({ pending: [], setAside: [] });
  });

  it('puts turns that wait again behind those that waited before', () => {
    const index = new EnrichmentIndex({ pending: ['a', 'b'], setAside: ['c'] });
    index.set('c', 'stored');
    index.set('a', 'stored');
    expect(listsOf(index)).toEqual({ pending: ['b', 'c', 'a'], setAside: [] });
  });

  it('rejects invalid sections', () => {
    for (const json of [null, {}, { pending: ['a'] }, { pending: ['a'], setAside: [1] }, ['a']])
      expect(EnrichmentIndex.fromSections(new Map([['enrichment', { json }]]))).toBeNull();
    expect(EnrichmentIndex.fromSections(new Map())).toBeNull();
    expect(EnrichmentIndex.fromSections(new Map([['enrichment', Uint8Array.of(1)]]))).toBeNull();
  });
});
