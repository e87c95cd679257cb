import {
  NO_USAGE,
  type RetrievedEntity,
  type RetrievedEpisode,
  type RetrievedFact,
  type SearchResult,
} from '../../src/model/retrieved-item.ts';

export const NOON = Date.UTC(2024, 5, 10, 12);

export function episodeItem(id: string, more: Partial<RetrievedEpisode> = {}): RetrievedEpisode {
  return {
    ...{ kind: 'episode', id: id as never, content: `Words of ${id}.`, speaker: 'Ann', role: 'user' },
    ...{ session: 's', index: 0, validAt: NOON, source: 'api', sourceId: null, attachments: [] },
    ...{ rank: 1, score: 1, why: [], sources: [{ episode: id as never, session: 's', index: 0 }] },
    ...more,
  };
}

export function factItem(id: string, statement: string, more: Partial<RetrievedFact> = {}): RetrievedFact {
  return {
    ...{ kind: 'fact', id: id as never, statement, factKind: 'proposition', validAt: NOON, invalidAt: null },
    ...{ event: null, saidAt: NOON, confidence: 1, rank: 1, score: 1, why: [], sources: [] },
    ...more,
  };
}

export function entityItem(id: string, name: string, more: Partial<RetrievedEntity> = {}): RetrievedEntity {
  return {
    ...{ kind: 'entity', id: id as never, layer: 0, name, aliases: [], summary: `All of ${name}.`, tags: [] },
    ...{ rank: 1, score: 1, why: [], sources: [] },
    ...more,
  };
}

export function found(more: Partial<SearchResult> = {}): SearchResult {
  return {
    ...{ query: 'What is it?', recipe: 'r', episodes: [], entities: [], facts: [], usage: NO_USAGE },
    ...{ ranked: { episodes: [], entities: [], facts: [] }, routes: [], milliseconds: 1 },
    reranked: { episode: null, fact: null, entity: null },
    ...more,
  };
}
