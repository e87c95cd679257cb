import { describe, expect, it } from 'vitest';
import { Archive } from '../../../src/retrieve/topics/archive.ts';
import { findAnchors } from '../../../src/retrieve/topics/candidates.ts';
import { ScopeIndex } from '../../../src/search/scope-index.ts';
import { edge, embedding, episode, segment } from '../../contract/graph-rows.ts';

/** Cosines of the summaries with the question (1, 0). */
const COSINES = { a: 1, b: 0.8, c: 0.6, d: 0, e: -1, f: 0.9 };
/** From, to; a weak one, and one each way. */
const EDGES = [
  ['c', 'a', 0.01],
  ['b', 'd', 0.9],
  ['e', 'b', 0.9],
  ['d', 'e', 0.9],
  ['a', 'f', 0.9],
] as const;

function network(): ScopeIndex {
  const index = ScopeIndex.empty(2);
  const names = Object.keys(COSINES);
  index.apply({
    nodes: {
      episode: names.map((name, at) => episode(`t-${name}`, { index: at })),
      segment: names.map((name) =>
        segment(name, { keywords: [`word${name}`], summary: `summary of ${name}` }),
      ),
      embedding: Object.entries(COSINES).map(([name, cosine]) =>
        embedding(`v-${name}`, {
          ...{ owner: name as never, field: 'summary' },
          vector: Float32Array.of(cosine, Math.sqrt(1 - cosine * cosine)),
        }),
      ),
    },
    relationships: [
      ...names.map((name) => edge('IN_SEGMENT', `t-${name}`, name)),
      ...EDGES.map(([from, to, confidence]) => edge('RELATED', from, to, { relation: 'causal', confidence })),
    ],
  });
  index.apply({ updates: [{ kind: 'segment', id: 'f', set: { expiredAt: 9 } }] });
  return index;
}

const index = network();
function anchors(count: number, more: { vector?: Float32Array; terms?: string[]; eligible?: string[] } = {}) {
  const { vector = Float32Array.of(1, 0), terms = [], eligible } = more;
  const mask = eligible && Uint8Array.from(index.episodes.ids.ids(), (id) => (eligible.includes(id) ? 1 : 0));
  const topics = new Archive(index, mask ?? null).topics();
  const found = findAnchors(index, { queryVector: vector, terms, topics, count });
  const nameOf = (ordinal: number) => index.segments.ids.idOf(ordinal);
  return {
    top: found.top.map(nameOf),
    neighbours: Object.fromEntries([...found.neighbours].map((pair) => pair.map(nameOf))),
    byWords: found.byWords,
  };
}

describe('anchors (GAM equation 9)', () => {
  it('are the nearest topics and all with an edge to or from them, of any weight', () => {
    expect(anchors(1)).toEqual({ top: ['a'], neighbours: { c: 'a' }, byWords: false });
    // d is a neighbour of b; e points to b, but is not reached through d, which is only a neighbour.
    expect(anchors(2)).toEqual({ top: ['a', 'b'], neighbours: { c: 'a', d: 'b', e: 'b' }, byWords: false });
    // c is an anchor itself; d and e, which are not near, are reached by their edges only.
    expect(anchors(9)).toEqual({ top: ['a', 'b', 'c'], neighbours: { d: 'b', e: 'b' }, byWords: false });
  });

  it('are live topics with an eligible turn', () => {
    expect(anchors(9).top).not.toContain('f');
    expect(anchors(9, { eligible: ['t-b', 't-e'] })).toMatchObject({ top: ['b'], neighbours: { e: 'b' } });
  });

  it('do not include turns of a deleted topic, which return to the buffer', () => {
    const turns = new Archive(index, null).turns();
    expect(index.episodes.ids.ids().filter((_, turn) => turns[turn] === 1)).toEqual(
      ['a', 'b', 'c', 'd', 'e'].map((name) => `t-${name}`),
    );
  });

  it('are found by words if no topic vector matches', () => {
    const vector = new Float32Array(2);
    expect(anchors(9, { vector, terms: ['wordb'] })).toMatchObject({ top: ['b'], byWords: true });
    expect(anchors(9, { vector, terms: ['nothing'] })).toMatchObject({ top: [], neighbours: {} });
  });
});
