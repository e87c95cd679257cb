import type { Reranker } from '../../../src/inference/reranker.ts';
import type { Recipe } from '../../../src/retrieve/recipes/recipe.ts';
import { recipeNamed } from '../../../src/retrieve/recipes/recipes.ts';
import { TOPICS, type TopicsRoute } from '../../../src/retrieve/topics/defaults.ts';
import { day, HandMade } from '../../browse/history/hand-made.ts';
import { edge, entity, episode, fact, profile, segment } from '../../contract/graph-rows.ts';

/** Turns by id: speaker, time, content and topic; the last is still in the buffer. */
export const SAID = [
  ['t0', 'Ann', '2024-01-10', 'We founded a chess club', 'club'],
  ['t1', 'Bob', '2024-01-10', 'The chess club meets every week', 'club'],
  ['t2', 'Ann', '2024-02-20', 'My bishop was lost at the tournament', 'tournament'],
  ['t3', 'Bob', '2024-02-20', 'Nobody plays like you', 'tournament'],
  ['t4', 'Ann', '2024-03-05', 'Our garden has tomatoes', 'garden'],
  ['t5', 'Bob', '2024-03-05', 'Tomatoes love the sun', 'garden'],
  ['t6', 'Ann', '2024-04-01', 'The chess club has a new chess board', null],
] as const;

/**
 * Three topics: the summary of the tournament shares no word with the club, but an edge leads from one to the other.
 */
export async function topicMemory(): Promise<HandMade> {
  const memory = new HandMade();
  await memory.commit({
    nodes: {
      episode: SAID.map(([id, speaker, at, content, topic], index) =>
        episode(id, {
          ...{ content, speaker, index, session: `s-${at}`, validAt: day(at) },
          status: topic === null ? 'stored' : 'extracted',
          verified: id === 't3',
        }),
      ),
      segment: [
        segment('club', { keywords: ['chess club', 'chess'], summary: 'Ann and Bob have a chess club' }),
        segment('tournament', { keywords: ['bishop', 'tournament'], summary: 'A bishop was lost' }),
        segment('garden', { keywords: ['garden'], summary: 'Tomatoes grow in a garden' }),
      ],
      entity: [entity('e-club'), entity('e-bishop')],
      profile: [
        profile('p-club', { owner: 'e-club' as never, name: 'chess club' }),
        profile('p-bishop', { owner: 'e-bishop' as never, name: 'bishop' }),
      ],
      fact: [
        fact('f-club', { statement: 'Ann founded a chess club', validAt: day('2024-01-10') }),
        fact('f-ended', {
          statement: 'The chess club meets in a bar',
          validAt: day('2024-01-10'),
          invalidAt: day('2024-03-01'),
        }),
        fact('f-bishop', { statement: 'Ann lost a bishop', validAt: day('2024-02-20') }),
        fact('f-board', { statement: 'The chess club has a chess board', validAt: day('2024-04-01') }),
      ],
    },
    relationships: [
      ...SAID.flatMap(([id, , , , topic]) => (topic === null ? [] : [edge('IN_SEGMENT', id, topic)])),
      edge('RELATED', 'tournament', 'club', { relation: 'causal', confidence: 0.61 }),
      edge('EVIDENCED_BY', 'f-club', 't0'),
      edge('EVIDENCED_BY', 'f-ended', 't1'),
      edge('EVIDENCED_BY', 'f-bishop', 't2'),
      edge('EVIDENCED_BY', 'f-board', 't6'),
      edge('MENTIONS', 't0', 'e-club'),
      edge('MENTIONS', 't1', 'e-club'),
      edge('MENTIONS', 't2', 'e-bishop'),
    ],
  });
  return memory;
}

/** `gam` with some settings of its route changed. */
export function gamWith(more: Partial<TopicsRoute>): Recipe {
  return { ...recipeNamed('gam'), routes: [{ ...TOPICS, ...more }] };
}

/** Gives each text its assigned probability, and records the calls. */
export class ScriptedReranker implements Reranker {
  readonly model = 'scripted';
  readonly asked: { readonly query: string; readonly documents: readonly string[] }[] = [];
  readonly #probabilityOf: (document: string) => number;

  constructor(probabilityOf: (document: string) => number) {
    this.#probabilityOf = probabilityOf;
  }

  async rerank(query: string, documents: readonly string[]): Promise<number[]> {
    this.asked.push({ query, documents });
    return documents.map(this.#probabilityOf);
  }
}
