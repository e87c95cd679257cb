import { AIMessage } from '@langchain/core/messages';
import { interrupt, type LangGraphRunnableConfig } from '@langchain/langgraph';
import { memoryContext } from '../../src/answer/memory-context.ts';
import { InvalidInputError } from '../../src/errors/index.ts';
import { roughTokens } from '../../src/inference/language-model/tokens/count-tokens.ts';
import type { LanguageModel } from '../../src/inference/language-model.ts';
import type { AddResult } from '../../src/ingest/admit/plan-episodes.ts';
import type { Answer, SearchResult, SourceTurn } from '../../src/model/retrieved-item.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { chatWithMemory } from './chat-with-memory-prompt.ts';
import {
  CHOICES,
  type ConfirmationRequest,
  type Decision,
  decidedTurns,
  readDecision,
} from './confirmation.ts';
import { answerIdFor, earlierThan, lastQuestion, turnsOf } from './exchange.ts';
import { ChatReply } from './read-chat-reply.ts';
import type { AnswerCitation, AssistantState } from './state.ts';

type State = typeof AssistantState.State;
type Update = typeof AssistantState.Update;
type Config = Pick<LangGraphRunnableConfig, 'configurable' | 'signal' | 'writer'>;
type Signal = { readonly signal?: AbortSignal };

/** The operations on one scope's memory that the assistant needs; `MemoryScope` implements them. */
export interface AssistantMemory {
  search(question: string, options?: Signal): Promise<SearchResult>;
  /** Answers without the assistant's language model. */
  ask(question: string, options?: Signal): Promise<Answer>;
  add(turns: readonly TurnInput[], options?: Signal): Promise<AddResult>;
}

/** Closures, because Studio builds graphs itself and a memory is opened on first use. */
export interface AssistantSetup {
  readonly memoryOf: (scope: string) => Promise<AssistantMemory>;
  /** The answering model; without one, answers quote memory. */
  readonly languageModel?: (() => Promise<LanguageModel | null>) | undefined;
  readonly clock?: (() => number) | undefined;
}

/** Session of the turns of a run without a thread. */
const NO_THREAD = 'assistant';

export function assistantNodes({ memoryOf, languageModel, clock = Date.now }: AssistantSetup) {
  return {
    /** Searches memory for the last message. */
    async recall(state: State, { signal }: Config): Promise<Update> {
      expectOneScope(state);
      const { text: question } = lastQuestion(state.messages);
      const memory = await memoryOf(state.scope);
      const evidence = evidenceOf(await memory.search(question, given(signal)), state.contextTokens);
      return {
        ...{ question, askedAt: clock(), isPrivate: state.private, private: false },
        evidence: await evidence,
        threadScope: state.scope,
        ...{ answer: '', citations: [], remembered: null },
      };
    },

    /** Answers from the evidence and streams a model's answer as custom events `{ answer }`. */
    async respond(state: State, { signal, writer }: Config): Promise<Update> {
      const model = (await languageModel?.()) ?? null;
      const { answer, citations } =
        model === null
          ? await memoryAnswer(await memoryOf(state.scope), state, given(signal))
          : await modelAnswer(model, state, {
              ...given(signal),
              now: clock(),
              onText: (piece) => writer?.({ answer: piece }),
            });
      const { id } = lastQuestion(state.messages);
      return {
        messages: [new AIMessage({ id: answerIdFor(id), content: answer })],
        ...{ answer, citations, answeredAt: clock(), isQuoted: model === null },
        ...(state.isPrivate ? { remembered: { decision: 'private', turns: [] } } : {}),
      };
    },

    /**
     * Adds both turns in one call, after asking a human if `confirm` is set. A resumed run executes it from its
     * start.
     */
    async remember(state: State, { configurable, signal }: Config): Promise<Update> {
      const thread = String(configurable?.thread_id ?? NO_THREAD);
      const turns = turnsOf({ ...state, thread, messageId: lastQuestion(state.messages).id });
      const decision = state.confirm ? confirmed(state) : { action: 'approve' as const };
      const decided = decidedTurns(turns, decision, keepsAnswer(state));
      if (decided.length === 0) return { remembered: { decision: 'declined', turns: [] } };
      const { outcomes } = await (await memoryOf(state.scope)).add(decided, given(signal));
      return { remembered: { decision: 'remembered', turns: outcomes.map(toTurn) } };
    },
  };
}

/** A thread belongs to one scope: no model may read the conversation of another one. */
function expectOneScope({ scope, threadScope }: State): void {
  if (threadScope !== null && threadScope !== scope)
    throw new InvalidInputError('A thread of the assistant belongs to one scope; begin another thread');
}

async function evidenceOf(search: SearchResult, budget: number) {
  const countTokens = async (text: string) => roughTokens(text);
  const { sources } = await memoryContext(search, { budget, countTokens });
  return sources.map(({ item, line }) => ({
    ...{ id: item.id as string, kind: item.kind, line },
    sources: item.sources.map(toSource),
  }));
}

interface Said {
  readonly answer: string;
  readonly citations: AnswerCitation[];
}

async function memoryAnswer(memory: AssistantMemory, { question }: State, options: Signal): Promise<Said> {
  const { text, citations } = await memory.ask(question, options);
  return {
    answer: text,
    citations: citations.map(({ number, item, quote }) => ({
      ...{ number, id: item.id as string, quote },
      sources: item.sources.map(toSource),
    })),
  };
}

async function modelAnswer(
  model: LanguageModel,
  { messages, question, evidence }: State,
  { now, onText, ...options }: Signal & { readonly now: number; readonly onText: (piece: string) => void },
): Promise<Said> {
  const earlier = earlierThan(lastQuestion(messages).id, messages);
  const input = { question, earlier, evidence: evidence.map(({ line }) => line), now };
  const reply = new ChatReply(evidence);
  const show = (piece: string) => {
    if (piece !== '') onText(piece);
  };
  await model.text(chatWithMemory, input, { ...options, onText: (piece) => show(reply.add(piece)) });
  const { rest, ...said } = reply.end();
  show(rest);
  return said;
}

/** Interrupts until the reply is one of the choices. */
function confirmed(state: State): Decision {
  const { scope, question, answer } = state;
  const remembers = keepsAnswer(state) ? (['question', 'answer'] as const) : (['question'] as const);
  const request: ConfirmationRequest = {
    ...{ kind: 'remember', scope, question, answer, remembers },
    choices: CHOICES,
  };
  let decision = readDecision(interrupt(request));
  while (decision === null)
    decision = readDecision(interrupt({ ...request, problem: 'the reply is none of the choices' }));
  return decision;
}

function keepsAnswer({ isQuoted, rememberQuotes }: State): boolean {
  return rememberQuotes || !isQuoted;
}

function toTurn(outcome: AddResult['outcomes'][number]) {
  const { status } = outcome;
  return outcome.status === 'rejected' ? { status, reason: outcome.reason } : { status, id: outcome.id };
}

function toSource({ session, index }: SourceTurn) {
  return { session, index };
}

function given(signal: AbortSignal | undefined): Signal {
  return signal === undefined ? {} : { signal };
}
