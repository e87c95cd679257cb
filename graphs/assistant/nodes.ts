import { AIMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import { interrupt } from '@langchain/langgraph';
import type { UpdateType } from '@langchain/langgraph/zod';
import type { z } from 'zod';
import type { MemoryContext } from '../../src/answer/memory-context.ts';
import { TokenBudget } from '../../src/inference/language-model/calling/token-budget.ts';
import type { LanguageModel } from '../../src/inference/language-model.ts';
import type { AddResult } from '../../src/ingest/admit/plan-episodes.ts';
import type { CallOptions } from '../../src/model/call-options.ts';
import { NOTHING_TO_ANSWER_FROM } from '../../src/model/fixed-replies.ts';
import type { Attachment } from '../../src/model/nodes.ts';
import { AGENT_TOKENS } from '../../src/model/options.ts';
import type { PromptImage } from '../../src/model/prompt.ts';
import type { RetrievedItem, SearchResult, SourceTurn } from '../../src/model/retrieved-item.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { DATA, fence, numberedSources } from '../../src/prompts/as-data.ts';
import { withoutUndefined } from '../../src/util/collections.ts';
import type { RetrievalSettings } from '../retrieval/context.ts';
import { chosenOf, evidencePlaces } from '../retrieval/evidence.ts';
import type { RetrievalSteps } from '../retrieval/steps.ts';
import { type RunConfig, readContext, scopeOf } from '../run-context.ts';
import { type AssistantTools, answerInRounds, memoryAlone, type ToolRun } from './assistant-tools.ts';
import { chatWithMemory } from './chat-with-memory-prompt.ts';
import {
  CHOICES,
  type ConfirmationRequest,
  type Decision,
  decidedTurns,
  readDecision,
} from './confirmation.ts';
import { answerIdFor, answerTo, earlierThan, lastQuestion, searchableText, turnsOf } from './exchange.ts';
import { kindOfMessage } from './kind-of-message.ts';
import { ChatReply, type ShownSource } from './read-chat-reply.ts';
import { type AnswerCitation, type AssistantState, assistantContext } from './state.ts';
import { StreamedAnswer } from './streamed-answer.ts';

type State = z.output<typeof AssistantState>;
type Update = UpdateType<typeof AssistantState>;

/** The operations on one scope's memory that the assistant needs; `MemoryScope` implements them. */
export interface AssistantMemory {
  retrievalSteps(
    question: string,
    options: RetrievalSettings & CallOptions & { readonly begins: boolean },
  ): Promise<RetrievalSteps>;
  add(turns: readonly TurnInput[], options?: CallOptions): Promise<AddResult>;
}

/** What came with the last message besides its text. */
export interface Attached {
  /** For models that see. */
  readonly images: readonly PromptImage[];
  /** What they show, where somebody said it. */
  readonly captions: readonly string[];
  /** As memory keeps them with the message. */
  readonly forMemory: () => Promise<readonly Attachment[]>;
}

/** Closures, because Studio builds graphs itself and a memory is opened on first use. */
export interface AssistantSetup {
  readonly memoryOf: (scope: string) => Promise<AssistantMemory>;
  /** The answering model; without one, answers quote memory. */
  readonly languageModel?: (() => Promise<LanguageModel | null>) | undefined;
  readonly clock?: (() => number) | undefined;
  readonly attached?: Attached | undefined;
  /** How far the user's clock is ahead of UTC at a time, in milliseconds. Default: 0. */
  readonly offsetAt?: ((at: number) => number) | undefined;
  /** What the model may use while it answers. Default: it may search memory again. */
  readonly tools?: AssistantTools | undefined;
  /** Ids of turns that are no evidence, such as earlier versions of the message, with facts that only they support. */
  readonly without?: ReadonlySet<string> | undefined;
  /** Receives all that a run recalled; the state keeps its ids only. Not called by runs that do not recall. */
  readonly onRecalled?: ((found: SearchResult, shown: MemoryContext) => void) | undefined;
}

/** Above a quoted answer that stands in for one of a model. */
const NO_ANSWER = 'The language model gave no answer to read; this quotes memory:';

/** Session of the turns of a run without a thread. */
const NO_THREAD = 'assistant';
/** Replies to a message that tells something, where no model writes a better one. */
const NOTED = 'Noted.';
const NOTED_IF_CONFIRMED = 'Noted, once you confirm it.';
const NO_ALARM =
  'I give no signal at a time; what has a date is shown on a new chat in the seven days before it.';
/** Lines in the state, and their length in characters. */
const [LINES, LONGEST_LINE] = [3, 80];
/** Of what a model searches itself. */
const AGAIN_TOKENS = 1_500;

export function assistantNodes(
  {
    memoryOf,
    languageModel,
    clock = Date.now,
    offsetAt = () => 0,
    tools = memoryAlone,
    attached,
    without,
    onRecalled,
  }: AssistantSetup,
  context = assistantContext(),
) {
  const modelFor = async ({ settings }: State) =>
    settings.tier === 'local' ? null : ((await languageModel?.()) ?? null);
  const stepsFor = async (state: State, { signal }: RunConfig, { begins = false, asked = '' } = {}) => {
    const {
      speaker: _s,
      confirm: _c,
      rememberQuotes: _q,
      session: _n,
      recall: _r,
      ...settings
    } = state.settings;
    const tier = (await modelFor(state)) === null ? 'local' : settings.tier;
    const { contextTokens = AGENT_TOKENS } = settings;
    const { question, earlier } =
      asked === '' ? askedIn(state.messages) : { question: searchableText(asked), earlier: [] };
    const memory = await memoryOf(state.scope!);
    const offset = offsetAt(clock());
    const conversation = { asker: state.settings.speaker, earlier, offset };
    return memory.retrievalSteps(question, {
      ...settings,
      ...withoutUndefined(conversation),
      tier,
      contextTokens: asked === '' ? contextTokens : Math.min(contextTokens, AGAIN_TOKENS),
      signal,
      begins,
    });
  };
  return {
    /** Searches memory for the last message, by the retrieval graph, and composes the evidence for an answer. */
    async recall(state: State, config: RunConfig): Promise<Update> {
      const { scope: given, ...settings } = readContext(context, config);
      const scope = scopeOf(state, { scope: given });
      const begun = {
        scope,
        settings,
        askedAt: clock(),
        isPrivate: state.private ?? false,
        private: false,
        citations: [],
        remembered: null,
      };
      if (settings.recall === false) {
        const evidence = { episodes: [], facts: [], entities: [] };
        return { ...begun, evidence, recalled: { sources: 0, tokens: 0, leftOut: 0, first: [] } };
      }
      const steps = await stepsFor({ ...state, scope, settings }, config, { begins: true });
      const { signal } = config;
      const found = await steps.rerank({ signal });
      const all = await steps.evidence({ signal });
      const evidence = evidencePlaces(all, (item) => !isFrom(without, item));
      const shown = await steps.compose(chosenOf(all, evidence), { signal });
      onRecalled?.(found, shown);
      const { sources, tokens, leftOut } = shown;
      const first = sources.slice(0, LINES).map(({ line }) => line.slice(0, LONGEST_LINE));
      return {
        ...begun,
        evidence,
        recalled: { sources: sources.length, tokens, leftOut, first },
      };
    },

    /**
     * Answers from the evidence. A model's answer is streamed, with the final numbers of its citations: as custom events
     * `{ type: 'answer', id, text }` and as a message.
     */
    async respond(state: State, config: RunConfig): Promise<Update> {
      const model = await modelFor(state);
      const steps = state.settings.recall === false ? null : await stepsFor(state, config);
      const id = answerIdFor(lastQuestion(state.messages).id);
      const search = async (asked: string) => {
        const again = await stepsFor(state, config, { begins: true, asked });
        const { signal } = config;
        const all = await again.evidence({ signal });
        const evidence = evidencePlaces(all, (item) => !isFrom(without, item));
        return (await again.compose(chosenOf(all, evidence), { signal })).sources;
      };
      const written =
        model === null
          ? null
          : await modelAnswer(state, { model, steps, id, now: clock(), attached, config, tools, search });
      // A model may write nothing but its reasoning, or call a tool that it was not given.
      const isQuoted = written === null || written.answer === '';
      const quoting = { ...state, settings: { ...state.settings, tier: 'local' as const } };
      const { answer, citations } = isQuoted
        ? await quotedAnswer(steps && (await stepsFor(quoting, config)), state, {
            hasImages: (attached?.captions.length ?? 0) > 0,
            signal: config.signal,
          })
        : written;
      const content = isQuoted && model !== null ? `${NO_ANSWER}\n\n${answer}` : answer;
      return {
        messages: [new AIMessage({ id, content })],
        citations,
        answeredAt: clock(),
        isQuoted,
        ...(state.isPrivate ? { remembered: { decision: 'private', turns: [] } } : {}),
      };
    },

    /**
     * Adds both turns in one call, after asking a human if `confirm` is set. A resumed run executes it from its
     * start.
     */
    async remember(state: State, { configurable, signal }: RunConfig): Promise<Update> {
      const thread = state.settings.session ?? String(configurable?.thread_id ?? NO_THREAD);
      const { id: messageId, text: question } = lastQuestion(state.messages);
      const exchange = { ...state, thread, messageId, question, answer: answerTo(messageId, state.messages) };
      const { speaker } = state.settings;
      const attachments = await attached?.forMemory();
      const turns = turnsOf({ ...exchange, speaker, attachments, offset: offsetAt(state.askedAt) });
      const decision = state.settings.confirm ? confirmed(state, exchange) : { action: 'approve' as const };
      const decided = decidedTurns(turns, decision, keepsAnswer(state));
      if (decided.length === 0) return { remembered: { decision: 'declined', turns: [] } };
      const { outcomes } = await (await memoryOf(state.scope!)).add(decided, { signal });
      return { remembered: { decision: 'remembered', turns: outcomes.map(toTurn) } };
    },
  };
}

/** Earlier messages of the user that are passed on; a follow-up continues one of the last few. */
const MOST_EARLIER = 8;

/** The last message as it is searched for, and what the user wrote before it. */
function askedIn(messages: State['messages']): { readonly question: string; readonly earlier: string[] } {
  const { id, text } = lastQuestion(messages);
  const before = messages.slice(
    0,
    messages.findIndex((message) => message.id === id),
  );
  const told = before
    .filter((message) => message.type === 'human')
    .map((message) => searchableText(message.text));
  return { question: searchableText(text), earlier: told.slice(-MOST_EARLIER) };
}

/** Whether it is one of the turns, or a fact that only they support. */
function isFrom(turns: AssistantSetup['without'], item: RetrievedItem): boolean {
  if (turns === undefined || item.kind === 'entity') return false;
  if (item.kind === 'episode') return turns.has(item.id);
  return item.sources.every(({ episode }) => turns.has(episode));
}

interface Said {
  readonly answer: string;
  readonly citations: AnswerCitation[];
}

async function quotedAnswer(
  steps: RetrievalSteps | null,
  { evidence, messages, settings }: State,
  { hasImages, signal }: { readonly hasImages: boolean; readonly signal: AbortSignal | undefined },
): Promise<Said> {
  if (steps === null) return { answer: NOTHING_TO_ANSWER_FROM, citations: [] };
  const { asks, tellsOfSpeaker, isKeyWords, isToKeep, isReminder } = kindOfMessage(
    lastQuestion(messages).text,
  );
  const noted = settings.confirm ? NOTED_IF_CONFIRMED : NOTED;
  if (isReminder && !asks) return { answer: `${noted} ${NO_ALARM}`, citations: [] };
  if (!asks && (tellsOfSpeaker || isToKeep || hasImages)) return { answer: noted, citations: [] };
  const { answered, text, citations } = await steps.answer(
    chosenOf(await steps.evidence({ signal }), evidence),
    { signal },
  );
  if (!asks && !isKeyWords && !answered) return { answer: noted, citations: [] };
  return {
    answer: text,
    citations: citations.map(({ number, item, quote }) => ({
      number,
      id: item.id as string,
      quote,
      sources: item.sources.map(toSource),
    })),
  };
}

interface Answering {
  readonly model: LanguageModel;
  /** Null if memory is left out. */
  readonly steps: RetrievalSteps | null;
  /** Of the answer's message. */
  readonly id: string;
  readonly now: number;
  readonly attached: Attached | undefined;
  readonly config: RunConfig;
  readonly tools: AssistantTools;
  /** Sources for other words. */
  readonly search: (asked: string) => Promise<MemoryContext['sources']>;
}

async function modelAnswer(
  { messages, evidence, settings }: State,
  { model, steps, id, now, attached, config, tools, search }: Answering,
): Promise<Said> {
  const { signal, writer } = config;
  const { id: messageId, text: question } = lastQuestion(messages);
  const sources =
    steps === null
      ? []
      : (await steps.compose(chosenOf(await steps.evidence({ signal }), evidence), { signal })).sources;
  const earlier = earlierThan(messageId, messages);
  const budget = await budgetLeft(settings, steps, signal);
  const reply = new ChatReply(sources.map(toShown));
  const run: ToolRun = {
    ...{ signal, contextTokens: model.contextTokens },
    searchMemory:
      steps &&
      (async (asked) => {
        const found = asked === '' ? [] : await search(asked);
        const fresh = found.filter(({ item }) => !reply.shows(item.id));
        if (fresh.length === 0) return found.length === 0 ? FOUND_NOTHING : FOUND_SAME;
        return fence(DATA, numberedSources(fresh, reply.show(fresh.map(toShown))));
      }),
  };
  const offered = model.callsTools === true ? await tools.offered(run) : [];
  const { images, captions } = attached ?? {};
  const input = {
    ...{ question, earlier, evidence: sources, now, hasTools: offered.length > 0 },
    ...withoutUndefined({ images, captions }),
  };
  let said: Said | undefined;
  const streamed = new StreamedAnswer(id, async (onText) => {
    const show = (text: string) => {
      if (text === '') return;
      writer?.({ type: 'answer', id, text });
      onText(text);
    };
    const onPiece = (piece: string) => show(reply.add(piece));
    await answerInRounds({
      offered,
      ask: (tools) => model.text(chatWithMemory, input, { signal, budget, onText: onPiece, tools }),
      call: (request) => tools.call(request, run),
      onBreak: () => onPiece('\n\n'),
    });
    const { rest, ...whole } = reply.end();
    show(rest);
    said = whole;
  });
  // The stream's consumers are LangGraph's callbacks in the config.
  for await (const _ of await streamed.stream([], config as RunnableConfig));
  return said!;
}

/** What the search left of the run's tokens. */
async function budgetLeft(
  { tokenBudget }: State['settings'],
  steps: RetrievalSteps | null,
  signal: AbortSignal | undefined,
): Promise<TokenBudget | undefined> {
  if (tokenBudget === undefined) return undefined;
  if (steps === null) return new TokenBudget(tokenBudget);
  const { promptTokens, completionTokens } = (await steps.rerank({ signal })).usage;
  return new TokenBudget(Math.max(1, tokenBudget - promptTokens - completionTokens));
}

/** Interrupts until the reply is one of the choices. */
function confirmed(state: State, { question, answer }: { question: string; answer: string }): Decision {
  const remembers = keepsAnswer(state) ? (['question', 'answer'] as const) : (['question'] as const);
  const request: ConfirmationRequest = {
    kind: 'remember',
    scope: state.scope!,
    question,
    answer,
    remembers,
    choices: CHOICES,
  };
  let decision = readDecision(interrupt(request));
  while (decision === null)
    decision = readDecision(interrupt({ ...request, problem: 'the reply is none of the choices' }));
  return decision;
}

function keepsAnswer({ isQuoted, settings }: State): boolean {
  return settings.rememberQuotes === true || !isQuoted;
}

function toTurn(outcome: AddResult['outcomes'][number]) {
  const { status } = outcome;
  return outcome.status === 'rejected' ? { status, reason: outcome.reason } : { status, id: outcome.id };
}

/** What a model reads of a search that found nothing, or nothing that it has not read. */
const FOUND_NOTHING = 'Memory holds nothing about this.';
const FOUND_SAME = 'Memory holds nothing more about this than the sources that you have.';

function toShown({ item, line }: MemoryContext['sources'][number]): ShownSource {
  return { id: item.id, line, sources: item.sources.map(toSource) };
}

function toSource({ session, index }: SourceTurn) {
  return { session, index };
}
