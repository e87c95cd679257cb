import { expect, it } from 'vitest';
import { readQuestion } from '../../src/retrieve/question.ts';
import { foundInStore } from '../../src/retrieve/search-in-store.ts';
import { ScopeIndex } from '../../src/search/scope-index.ts';
import type { ScopeSearch } from '../../src/store/scope-search.ts';
import { episode } from '../contract/graph-rows.ts';

it.each([
  ['What did we do in August 2023?', ['told-later', 'told-then']],
  ['What did we do?', []],
])('compares the turns of the time that a question names: %s', async (text, expected) => {
  const index = ScopeIndex.empty(2, true);
  const turns = {
    'told-then': { content: 'The kiln is hot.', validAt: Date.UTC(2023, 7, 9) },
    'told-later': { content: 'We built it on 9 August 2023.', validAt: Date.UTC(2024, 5, 1) },
    other: { content: 'The boat is dry.', validAt: Date.UTC(2024, 5, 2) },
  };
  const rows = Object.entries(turns).map(([id, more]) => episode(id, { ...more, session: id }));
  index.apply({ nodes: { episode: rows } });
  const compared: string[] = [];
  const search: ScopeSearch = {
    nearest: async () => [],
    scores: async (kind, _query, ids) => {
      if (kind === 'episode') compared.push(...ids);
      return [];
    },
    words: async () => ({ frequencies: new Map(), turns: [] }),
    frequencies: async () => new Map(),
    async *measures() {},
    turnsWithAll: async () => 0,
    similar: async () => new Map(),
  };
  await foundInStore({ index }, search, {
    question: readQuestion(text, [], { now: Date.UTC(2024, 6, 1) }),
    queryVector: Float32Array.of(1, 0),
    eligible: { episode: null, fact: null, entity: null },
  });
  expect(compared.sort()).toEqual([...expected].sort());
});
