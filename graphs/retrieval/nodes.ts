import type { AnswerListener } from '../../src/answer/given-answer.ts';
import { entityLine, factLine, turnLine } from '../../src/answer/memory-context.ts';
import type { Answer, RetrievedItem, SearchResult } from '../../src/model/retrieved-item.ts';
import type { RouteOutcome } from '../../src/retrieve/run-routes.ts';
import type { RunningSearch } from '../../src/retrieve/search.ts';
import type { RetrievalState } from './state.ts';

type State = typeof RetrievalState.State;
type Update = typeof RetrievalState.Update;

/** A question, its scope and its search settings. */
export interface RetrievalRequest
  extends Pick<State, 'scope' | 'question' | 'recipe' | 'k' | 'routeMilliseconds' | 'answers'> {
  readonly signal?: AbortSignal | undefined;
}

/** Begins a search in the engine. A closure is passed in because Studio builds graphs itself. */
export type BeginSearch = (
  request: RetrievalRequest,
) => Promise<RunningSearch & { answer(result: SearchResult, listener?: AnswerListener): Promise<Answer> }>;

interface Config {
  readonly signal?: AbortSignal | undefined;
  readonly writer?: ((chunk: unknown) => void) | undefined;
}

export function retrievalNodes(begin: BeginSearch) {
  /** A run resumed from a checkpoint begins its search again: the state contains the question but not the search. */
  const searchOf = async (state: State, { signal }: Config) =>
    (state.search as Awaited<ReturnType<BeginSearch>> | undefined) ?? begin({ ...state, signal });
  return {
    /** Parses the question and lists the routes. */
    async plan(state: State, { signal }: Config): Promise<Update> {
      const search = await begin({ ...state, signal });
      const planned = search.routes.map(({ route }) => route);
      return { search, planned, outcomes: null, evidence: [], answer: null, trace: undefined };
    },

    /** A branch that runs every route of one kind in the recipe. Its trace reports late or failed routes. */
    route(name: string) {
      return async (state: State, config: Config): Promise<Update> => {
        const search = await searchOf(state, config);
        const places = search.routes.flatMap(({ route }, place) => (route === name ? [place] : []));
        const outcomes: Record<string, RouteOutcome> = {};
        for (const place of places) outcomes[place] = await search.route(place);
        return { outcomes };
      };
    },

    /** Fuses the branches' results, reads the rows, and reranks. */
    async fuse(state: State, config: Config): Promise<Update> {
      const search = await searchOf(state, config);
      const outcomes = search.routes.flatMap((_, place) => state.outcomes[place] ?? []);
      const result = await search.end(outcomes);
      const { routes, reranked, usage, milliseconds, episodes, facts, entities } = result;
      return {
        result,
        trace: { routes, reranked, usage, milliseconds },
        evidence: [...episodes, ...facts, ...entities].map(toEvidence),
      };
    },

    /**
     * Answers from the evidence, or says that memory does not contain enough. Streams its text as custom events `{
     * answer }`.
     */
    async respond(state: State, config: Config): Promise<Update> {
      const search = await searchOf(state, config);
      const outcomes = search.routes.flatMap((_, place) => state.outcomes[place] ?? []);
      const result = state.result ?? (await search.end(outcomes));
      const onText = (piece: string) => config.writer?.({ answer: piece });
      const { answered, text, citations } = await search.answer(result, { onText });
      const cited = citations.map(({ number, item, quote }) => ({ number, id: item.id as string, quote }));
      return { answer: { answered, text, citations: cited } };
    },
  };
}

function lineOf(item: RetrievedItem): string {
  if (item.kind === 'episode') return turnLine(item);
  return item.kind === 'fact' ? factLine({ first: item, all: [item] }) : entityLine(item);
}

function toEvidence(item: RetrievedItem) {
  const { id, kind, rank, score } = item;
  return { id, kind, rank, score, text: lineOf(item) };
}
