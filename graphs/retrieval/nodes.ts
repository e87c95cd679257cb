import type { UpdateType } from '@langchain/langgraph/zod';
import type { z } from 'zod';
import { entityLine, factLine, turnLine, turnText } from '../../src/answer/source-lines.ts';
import type { WalkTrace } from '../../src/model/retrieved-item.ts';
import { NO_USAGE, type RetrievedItem, type SearchResult } from '../../src/model/retrieved-item.ts';
import type { RouteName } from '../../src/retrieve/recipes/recipe.ts';
import type { RouteOutcome } from '../../src/retrieve/run-routes.ts';
import { type RunConfig, readContext, scopeOf } from '../run-context.ts';
import { retrievalContext } from './context.ts';
import { type BestItems, chosenOf, evidenceIds, evidencePlaces } from './evidence.ts';
import type { RetrievalState, RouteSummary } from './state.ts';
import type { RetrievalStepsOf } from './steps.ts';

type State = z.output<typeof RetrievalState>;
type Update = UpdateType<typeof RetrievalState>;

/** Best items of each kind in the state. */
const BEST = 2;
/** In characters. */
const LONGEST_LINE = 30;

export function retrievalNodes(stepsOf: RetrievalStepsOf, context = retrievalContext()) {
  const stepsFor = ({ question, scope, settings }: State, config: RunConfig) =>
    stepsOf({ question, scope: scope!, settings, begins: false }, config);
  return {
    /** Reads the question, embeds it, and decides which routes of the recipe run. */
    async read(state: State, config: RunConfig): Promise<Update> {
      const { scope: given, ...settings } = readContext(context, config);
      const scope = scopeOf(state, { scope: given });
      const steps = await stepsOf({ question: state.question, scope, settings, begins: true }, config);
      const { kindWords, enumerates, terms, speakerTerms } = steps.question;
      const planned = steps.routes.flatMap(({ route, runs }, place) => (runs ? [[place, route]] : []));
      return {
        scope,
        settings,
        routes: null,
        answer: null,
        usage: NO_USAGE,
        reading: {
          kind: kindWords,
          asksForAll: enumerates,
          speakers: [...speakerTerms],
          terms: [...terms].slice(0, 2 * BEST),
        },
        planned: Object.fromEntries(planned),
      };
    },

    /** A branch that runs every planned route of one kind. A late or failing route loses only its own results. */
    route(name: RouteName) {
      return async (state: State, config: RunConfig): Promise<Update> => {
        const steps = await stepsFor(state, config);
        const routes: Record<string, ReturnType<typeof summaryOf>> = {};
        for (const [place, route] of Object.entries(state.planned))
          if (route === name) routes[place] = summaryOf(await steps.route(Number(place), config));
        return { routes };
      };
    },

    /** Fuses the lists of the routes by reciprocal rank, each kind on its own. */
    async fuse(state: State, config: RunConfig): Promise<Update> {
      const steps = await stepsFor(state, config);
      const result = await steps.fuse(config);
      const { episode, fact, entity } = result.fused;
      const skipped = result.outcomes.flatMap((outcome, place) =>
        outcome.trace.end === 'skipped' ? [[place, summaryOf(outcome)]] : [],
      );
      return {
        routes: Object.fromEntries(skipped),
        fused: {
          episodes: episode.length,
          facts: fact.length,
          entities: entity.length,
          best: await steps.best(result),
        },
      };
    },

    /**
     * Reads the best rows of each kind, and reranks them if the recipe says so and there is a reranker. For an answer
     * these are more turns than a search returns, and turns beside found ones.
     */
    async rerank(state: State, config: RunConfig): Promise<Update> {
      const steps = await stepsFor(state, config);
      const isSearch = state.settings.answers === false;
      const result = isSearch ? await steps.rerank(config) : await steps.evidence(config);
      const { episode, fact, entity } = result.reranked;
      config.writer?.({ type: 'evidence', items: itemsOf(result).map(shownItem) });
      return {
        evidence: isSearch ? evidenceIds(result) : evidencePlaces(result),
        reranked: {
          ...(episode && { episode }),
          ...(fact && { fact }),
          ...(entity && { entity }),
        },
        ...(result.usage.calls > 0 && { usage: result.usage }),
      };
    },

    /** Chooses the evidence that fits the token budget, as the numbered sources of the answer. */
    async compose(state: State, config: RunConfig): Promise<Update> {
      const steps = await stepsFor(state, config);
      const evidence = chosenOf(await steps.evidence(config), state.evidence);
      const { sources, tokens, leftOut } = await steps.compose(evidence, config);
      const first = sources
        .slice(0, BEST)
        .map(({ number, text }) => `[${number}] ${text.slice(0, LONGEST_LINE)}`);
      return { composed: { sources: sources.length, tokens, leftOut, first } };
    },

    /**
     * Answers from the evidence, or says that memory does not contain enough. Streams its text as custom events
     * `{ type: 'answer', text }`, with the final numbers of the citations.
     */
    async respond(state: State, config: RunConfig): Promise<Update> {
      const steps = await stepsFor(state, config);
      const { writer } = config;
      const onText = writer && ((text: string) => writer({ type: 'answer', text }));
      const { answered, text, citations, answerer, confidence, notes, usage } = await steps.answer(
        chosenOf(await steps.evidence(config), state.evidence),
        { signal: config.signal, onText },
      );
      const cited = citations.map(({ number, item, quote }) => ({
        number,
        id: item.id as string,
        // The text of a quoting answer has it already.
        ...(!text.includes(quote) && { quote }),
      }));
      return {
        answer: {
          answered,
          text,
          citations: cited,
          answerer,
          notes: [...notes],
          confidence: confidence === null ? null : Math.round(confidence * 1_000) / 1_000,
        },
        ...(usage.calls > 0 && { usage }),
      };
    },
  };
}

/** What a person is shown of a ranking. */
export function bestItems({
  episodes,
  facts,
  entities,
}: Pick<SearchResult, 'episodes' | 'facts' | 'entities'>): BestItems {
  const best = (items: readonly RetrievedItem[]) =>
    items.slice(0, BEST).map((item) => beginningOf(item).slice(0, LONGEST_LINE));
  return { episodes: best(episodes), facts: best(facts), entities: best(entities) };
}

function itemsOf({ episodes, facts, entities }: SearchResult): readonly RetrievedItem[] {
  return [...episodes, ...facts, ...entities];
}

/** An item as shown to a client. Its text is the line that a model reads; a prompt must still fence it as data. */
function shownItem(item: RetrievedItem) {
  const { id, kind, rank, score } = item;
  return { id, kind, rank, score, text: lineOf(item) };
}

/** Its words without the day, for a short look at a ranking. */
function beginningOf(item: RetrievedItem): string {
  return item.kind === 'episode' ? turnText(item) : lineOf(item);
}

function lineOf(item: RetrievedItem): string {
  if (item.kind === 'episode') return turnLine(item);
  return item.kind === 'fact' ? factLine({ first: item, all: [item] }) : entityLine(item);
}

const MOST_NOTES = 3;

/** A route's outcome without its lists. */
export function summaryOf({ trace }: RouteOutcome): RouteSummary {
  const { route, end, found, milliseconds, failure, notes, walk } = trace;
  return {
    route,
    end,
    found,
    milliseconds: Math.round(milliseconds),
    ...(failure !== null && { failure }),
    ...(end !== 'found' && notes.length > 0 && { notes: notes.slice(0, MOST_NOTES) }),
    ...(walk && { walk: layersOf(walk) }),
  };
}

function layersOf({ steps, end }: WalkTrace): string[] {
  return [
    ...steps.map(({ layer, picked, offered }) => `layer ${layer}: ${picked} of ${offered} picked`),
    end,
  ];
}
