import { describe, expect, it } from 'vitest';
import { FACT_ROLES, TOPIC_RELATIONS } from '../../src/model/relationships.ts';
import { OrdinalTable } from '../../src/search/ordinals.ts';
import { emptyScopeGraphs, linkRows, unlinkRows } from '../../src/search/scope-graphs.ts';
import { edge } from '../contract/graph-rows.ts';

const rows = {
  episode: new OrdinalTable(['t1', 't2']),
  fact: new OrdinalTable(['f1']),
  entity: new OrdinalTable(['e1', 'e2']),
  segment: new OrdinalTable(['s1', 's2']),
};
const EDGES = [
  edge('MENTIONS', 't1', 'e2'),
  edge('ABOUT', 'f1', 'e1', { role: 'subject' }),
  edge('ABOUT', 'f1', 'e2', { role: 'object' }),
  edge('ABOUT', 'f1', 'e2', { role: 'participant' }),
  edge('EVIDENCED_BY', 'f1', 't2'),
  edge('IN_SEGMENT', 't2', 's2'),
  edge('RELATED', 's2', 's1', { relation: 'causal', confidence: 0.75 }),
];

describe('the graphs of a scope', () => {
  it('contain each relationship with its type and weight, and none whose end has no ordinal', () => {
    const graphs = emptyScopeGraphs();
    linkRows(graphs, rows, [...EDGES, edge('MENTIONS', 't1', 'gone'), edge('SUPERSEDES', 'f1', 'f1')]);
    const out = (graph: keyof typeof graphs, from: number) => {
      const { ordinals, weights, types } = graphs[graph].neighbours(from);
      return Array.from(ordinals, (to, at) => [to, weights[at], types[at]]);
    };
    expect(out('mentions', 0)).toEqual([[1, 1, 0]]);
    const [subject, object, participant] = FACT_ROLES.map((_, place) => place);
    expect(out('about', 0)).toEqual([
      [0, 1, subject],
      [1, 1, object],
      [1, 1, participant],
    ]);
    expect(out('evidence', 0)).toEqual([[1, 1, 0]]);
    expect(out('inSegment', 1)).toEqual([[1, 1, 0]]);
    expect(out('related', 1)).toEqual([[0, 0.75, TOPIC_RELATIONS.indexOf('causal')]]);
  });

  it('remove a relationship in every role and relation, and no other', () => {
    const graphs = emptyScopeGraphs();
    linkRows(graphs, rows, EDGES);
    unlinkRows(graphs, rows, edge('ABOUT', 'f1', 'e2'));
    expect([...graphs.about.neighbours(0).ordinals]).toEqual([0]);
    unlinkRows(graphs, rows, edge('RELATED', 's2', 's1'));
    expect(graphs.related.edgeCount).toBe(0);
    unlinkRows(graphs, rows, edge('MENTIONS', 't1', 'gone'));
    for (const graph of ['mentions', 'evidence', 'inSegment'] as const)
      expect(graphs[graph].edgeCount).toBe(1);
  });
});
