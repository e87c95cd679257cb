import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import { z } from 'zod';
import type { AssistantTools } from '../../../graphs/assistant/assistant-tools.ts';
import { lastQuestion, sourceIdsOf } from '../../../graphs/assistant/exchange.ts';
import { assistantGraph } from '../../../graphs/assistant/graph.ts';
import type { AssistantMemory, Attached } from '../../../graphs/assistant/nodes.ts';
import { replyToSmallTalk } from '../../../graphs/assistant/small-talk.ts';
import { replyToOrder } from '../../../graphs/assistant/without-model.ts';
import type { MemoryContext } from '../../../src/answer/memory-context.ts';
import { APP_SOURCE } from '../../../src/browse/session-list.ts';
import { InvalidInputError, MnemisError } from '../../../src/errors/index.ts';
import {
  addUsage,
  NO_MODEL_USAGE,
  UsageMeter,
} from '../../../src/inference/language-model/tokens/usage-meter.ts';
import type { AddResult } from '../../../src/ingest/admit/plan-episodes.ts';
import type { SearchResult, Usage } from '../../../src/model/retrieved-item.ts';
import { withoutUndefined } from '../../../src/util/collections.ts';
import { zoneOffset } from '../../../src/util/time-zone.ts';
import { toWire } from '../../client/errors.ts';
import type { ChatEvent, Conversation, Message, MessageCitation, ToolCall } from '../../contract.ts';
import { findRecipe, recipeNames } from '../../papers.ts';
import type { AppContext } from '../app-context.ts';
import { type MessagePatch, messageOf, type StoredMessage } from '../store/message-table.ts';
import { ChatTools, endedCalls } from '../tools/chat-tools.ts';
import { type AnswerModel, metered } from './answer-models.ts';
import { attachedImages, imagesForMemory, imagesOf, wordsWithImages } from './message-images.ts';
import { sourcesOf, storedWhy } from './why.ts';

export interface Manner {
  readonly isPrivate: boolean;
  readonly confirm: boolean;
  readonly tier: 'local' | 'llm';
  readonly recipe: string;
  readonly tools: 'all' | 'memory';
  readonly speaker: string | undefined;
}

/** A stored message whose answer is to be written. */
export interface Exchange {
  readonly conversation: Conversation;
  readonly question: StoredMessage;
  readonly answer: StoredMessage;
  /** The branch before the question. */
  readonly earlier: readonly StoredMessage[];
  readonly manner: Manner;
  /** Brings documents into memory; a failure becomes the answer's problem. */
  readonly prepare: (emit: Emit, signal: AbortSignal) => Promise<void>;
  /** @throws InvalidSettingError, which becomes the answer's problem. */
  readonly findModel: () => Promise<AnswerModel | null>;
}

type Emit = (event: ChatEvent) => void;

const NOT_REMEMBERED: NonNullable<Message['remembered']> = { decision: 'none', turns: [] };
const LOST = 'The answer could not be written because of an internal error; your message is kept. Try again.';
/** A crash loses no more of an answer than was said in this time. */
const SAVE_MILLISECONDS = 1_000;

/** Runs the assistant graph on a message and stores what comes of it. Never throws: a failure is kept in the answer. */
export async function runExchange(
  context: AppContext,
  exchange: Exchange,
  { emit, signal }: { readonly emit: Emit; readonly signal: AbortSignal },
): Promise<StoredMessage> {
  return new ExchangeRun(context, exchange, emit).run(signal);
}

class ExchangeRun {
  readonly #context: AppContext;
  readonly #exchange: Exchange;
  readonly #emit: Emit;
  readonly #pieces: TextPieces;
  readonly #meter = new UsageMeter();
  readonly #adding: AddingMemory;
  #searched: Usage = NO_MODEL_USAGE;
  #found: { readonly search: SearchResult; readonly shown: MemoryContext } | null = null;
  #savedAt: number;
  #hasAnswer = false;
  #isWaiting = false;
  /** It broke off: what its tools still say nobody waits for. */
  #isOver = false;
  #model: AnswerModel | null = null;
  readonly #begun = performance.now();
  /** Milliseconds to the end of the answer; what follows it nobody waits for. */
  #answeredIn: number | null = null;

  constructor(context: AppContext, exchange: Exchange, emit: Emit) {
    this.#context = context;
    this.#exchange = exchange;
    this.#emit = emit;
    this.#savedAt = context.clock();
    this.#adding = new AddingMemory(context, exchange.conversation.scope);
    this.#pieces = new TextPieces((text) => {
      emit({ type: 'text', text });
      this.#saveNowAndThen();
    });
  }

  async run(signal: AbortSignal): Promise<StoredMessage> {
    const { checkpoints } = this.#context.store;
    try {
      await this.#stream(signal);
      await this.#settle();
    } catch (error) {
      this.#pieces.flush();
      this.#isOver = true;
      await this.#breakOff(error, signal);
    }
    this.#recordUsage();
    const { id, isPrivate } = this.#exchange.answer;
    if (!isPrivate && !this.#isWaiting) await checkpoints.deleteThread(id);
    return this.#context.store.messages.get(id);
  }

  async #stream(signal: AbortSignal): Promise<void> {
    const { conversation, question, answer, manner } = this.#exchange;
    await this.#exchange.prepare(this.#emit, signal);
    const model = await this.#exchange.findModel();
    this.#model = model;
    const hasImages = imagesOf(question).length > 0;
    const courtesy =
      model === null && !hasImages ? (replyToSmallTalk(question.text) ?? replyToOrder(question.text)) : null;
    if (courtesy !== null) {
      await this.#answered({ messages: [new AIMessage(courtesy)], citations: [] });
      return;
    }
    const graph = await graphFor(this.#context, {
      memory: this.#adding,
      recipe: manner.recipe,
      isKept: !manner.isPrivate,
      attached: attachedImages(this.#context, {
        ...{ scope: conversation.scope, question, earlier: this.#exchange.earlier },
        ...{ model, meter: this.#meter, signal },
      }),
      model: model && { ...model, model: metered(model.model, this.#meter) },
      // Memory still has the message as it was before an edit, and the answer that another one replaces.
      without: new Set(this.#context.store.messages.turnsOf(conversation.id, question.memoryKey)),
      onRecalled: (search, shown) => this.#recalled(search, shown),
      tools: new ChatTools(this.#context, {
        ...{ conversation: conversation.id, scope: conversation.scope, isPrivate: manner.isPrivate },
        ofServers: manner.tools === 'all',
        onCalls: (calls) => this.#called(calls),
      }),
    });
    const input = {
      messages: [
        ...(await importedMessages(this.#context, this.#exchange)),
        ...messagesOf(this.#exchange),
        new HumanMessage({ id: question.memoryKey, content: question.text }),
      ],
      private: manner.isPrivate,
    };
    const stream = await graph.stream(input, {
      configurable: { thread_id: answer.id },
      context: {
        scope: conversation.scope,
        session: conversation.session ?? conversation.id,
        recipe: manner.recipe,
        tier: model === null ? ('local' as const) : manner.tier,
        k: this.#context.config.k,
        confirm: manner.confirm && !manner.isPrivate,
        recall: !manner.isPrivate,
        // Else memory would go on with the answer that this one replaces.
        rememberQuotes:
          this.#context.store.messages.answersOf(conversation.id, question.memoryKey).length > 0,
        ...withoutUndefined({ speaker: manner.speaker, tokenBudget: this.#context.config.llmTokenBudget }),
      },
      signal,
      streamMode: ['custom', 'updates'],
      durability: 'exit',
    });
    for await (const [mode, event] of stream) {
      if (mode === 'custom') this.#custom(event);
      else await this.#updated(event);
    }
  }

  #recalled(search: SearchResult, shown: MemoryContext): void {
    const { store } = this.#context;
    const { sources, tokens } = shown;
    this.#found = { search, shown };
    this.#searched = search.usage;
    store.messages.update(this.#exchange.answer.id, { why: JSON.stringify(storedWhy(search, shown)) });
    const first = sources.slice(0, LINES).map(({ line }) => line.slice(0, LONGEST_LINE));
    this.#emit({ type: 'recalled', sources: sources.length, tokens, first });
  }

  /** Stored at once: a page that is loaded again shows what waits for the person. */
  #called(calls: readonly ToolCall[]): void {
    if (this.#isOver) return;
    const { store, events } = this.#context;
    const { id, conversation } = this.#exchange.answer;
    this.#pieces.flush();
    store.messages.update(id, { calls: [...calls] });
    this.#emit({ type: 'calls', calls: [...calls] });
    events.emit({ type: 'conversation', conversation, isDeleted: false });
  }

  #custom(event: unknown): void {
    const said = pieceSchema.safeParse(event);
    if (said.success) this.#pieces.add(said.data.text);
  }

  async #updated(event: unknown): Promise<void> {
    const update = updateSchema.safeParse(event);
    if (!update.success) return;
    const { respond, __interrupt__: interrupts } = update.data;
    if (respond !== undefined) await this.#answered(respond);
    if (interrupts !== undefined) this.#isWaiting = true;
  }

  async #answered({
    messages,
    citations: numbered,
  }: NonNullable<z.output<typeof updateSchema>['respond']>): Promise<void> {
    this.#pieces.flush();
    this.#answeredIn = performance.now() - this.#begun;
    const citations = await Promise.all(numbered.map((each) => this.#citation(each)));
    this.#hasAnswer = true;
    const { answer, manner } = this.#exchange;
    const stored = this.#context.store.messages.update(answer.id, {
      text: messages.at(-1)?.text ?? '',
      state: 'complete',
      citations,
      model: this.#model?.name ?? null,
      usage: this.#usage(),
      remembered: manner.isPrivate ? { decision: 'private', turns: [] } : NOT_REMEMBERED,
    });
    this.#emit({ type: 'answer', answer: messageOf(stored) });
  }

  /**
   * Names the turns of a citation, of which the graph's state has sessions and places only. A quoted answer may cite a
   * fact that the context left out because it shows the turns of the fact, and a model what it searched for itself.
   */
  async #citation({ number, id, quote }: z.output<typeof citationSchema>): Promise<MessageCitation> {
    const { sources = [] } = this.#found?.shown ?? {};
    const item = sources.find((source) => source.item.id === id)?.item;
    if (item !== undefined) return { number, id, quote, kind: item.kind, sources: sourcesOf(item) };
    const memory = this.#context.engine.scope(this.#exchange.conversation.scope);
    const stored = await memory.get(id);
    const ids = stored?.kind === 'fact' ? stored.sources : stored?.kind === 'episode' ? [stored.id] : [];
    const turns = await memory.episodes(ids);
    const named = turns.map(({ id: episode, session, index }) => ({ episode, session, index }));
    return { number, id, quote, kind: stored?.kind ?? 'episode', sources: named };
  }

  async #settle(): Promise<void> {
    const { answer, manner } = this.#exchange;
    if (manner.isPrivate) return;
    if (this.#isWaiting)
      this.#context.store.messages.update(answer.id, { remembered: { decision: 'pending', turns: [] } });
    else await noteRemembered(this.#context, this.#exchange, await this.#adding.result);
  }

  async #breakOff(error: unknown, signal: AbortSignal): Promise<void> {
    const { answer } = this.#exchange;
    const added = await this.#adding.result.catch(() => null);
    if (this.#hasAnswer && (added !== null || signal.aborted)) {
      // Stopped after the answer: what memory took by then is remembered.
      await noteRemembered(this.#context, this.#exchange, added);
      return;
    }
    const patch: MessagePatch = {
      calls: endedCalls(this.#context.store.messages.get(answer.id).calls),
      ...(this.#hasAnswer ? {} : { text: this.#pieces.text.trimEnd() }),
      usage: this.#usage(),
      model: this.#model?.name ?? null,
      remembered: this.#exchange.manner.isPrivate ? { decision: 'private', turns: [] } : NOT_REMEMBERED,
    };
    const { messages } = this.#context.store;
    if (signal.aborted) messages.update(answer.id, { ...patch, state: 'stopped' });
    else messages.update(answer.id, { ...patch, state: 'failed', ...this.#failure(error) });
    this.#emit({ type: 'answer', answer: messageOf(messages.get(answer.id)) });
  }

  #failure(error: unknown): Pick<MessagePatch, 'problem' | 'failure'> {
    if (MnemisError.isInstance(error)) {
      const { message: problem, ...failure } = toWire(error);
      return { problem, failure };
    }
    const kind = error instanceof Error ? error.name : typeof error;
    this.#context.logger.warn(`An answer failed because of a defect (${kind}); the message is kept.`);
    return { problem: LOST };
  }

  #usage(): Usage {
    const { calls, promptTokens, completionTokens } = addUsage(this.#meter.total, {
      ...NO_MODEL_USAGE,
      ...this.#searched,
    });
    return { calls, promptTokens, completionTokens };
  }

  #recordUsage(): void {
    const model = this.#model?.name ?? this.#context.config.llmModel ?? 'unknown';
    const usage = this.#usage();
    this.#context.usage.record({ model, purpose: 'chat', usage });
    const { id: subject, conversation } = this.#exchange.answer;
    this.#context.usage.add({
      kind: 'question' as const,
      subject,
      conversation,
      usage,
      model: usage.calls > 0 ? model : null,
      milliseconds: this.#answeredIn ?? performance.now() - this.#begun,
    });
  }

  #saveNowAndThen(): void {
    const now = this.#context.clock();
    if (now - this.#savedAt < SAVE_MILLISECONDS) return;
    this.#savedAt = now;
    this.#context.store.messages.update(this.#exchange.answer.id, { text: this.#pieces.text });
  }
}

export interface Decision {
  readonly action: 'approve' | 'decline' | 'edit';
  readonly question?: string | undefined;
  readonly answer?: string | undefined;
}

/** Ends an exchange that waits for its decision, in whichever process it began. @throws what the memory's `add` throws */
export async function decideExchange(
  context: AppContext,
  { conversation, question, answer }: Pick<Exchange, 'conversation' | 'question' | 'answer'>,
  { action, ...texts }: Decision,
): Promise<StoredMessage> {
  const { store } = context;
  const memory = new AddingMemory(context, conversation.scope);
  const attached = { images: [], captions: [], forMemory: async () => imagesForMemory(question) };
  const graph = await graphFor(context, { memory, isKept: true, model: null, attached });
  const waiting = { configurable: { thread_id: answer.id } };
  const { next, values } = await graph.getState(waiting);
  if (!next.includes('remember')) {
    store.messages.update(answer.id, { remembered: NOT_REMEMBERED });
    throw new InvalidInputError('This exchange is no longer there to be remembered');
  }
  // A move since gave the exchange another key.
  memory.renamed = renamedSources(conversation, lastQuestion(values.messages).id, question.memoryKey);
  const resume = action === 'edit' ? { action, ...withoutUndefined(texts) } : { action };
  await graph.invoke(new Command({ resume }), waiting);
  if (action === 'decline')
    store.messages.update(answer.id, { remembered: { decision: 'declined', turns: [] } });
  else await noteRemembered(context, { question, answer, conversation }, await memory.result);
  await store.checkpoints.deleteThread(answer.id);
  return store.messages.get(answer.id);
}

/** The names of an exchange's turns in memory by those that they have with another key. */
export function renamedSources(
  { id, session }: Pick<Conversation, 'id' | 'session'>,
  from: string,
  to: string,
): ReadonlyMap<string, string> {
  const now = sourceIdsOf(session ?? id, to);
  return new Map(sourceIdsOf(session ?? id, from).map((sourceId, at) => [sourceId, now[at]!]));
}

/** Stores which turns an exchange became, and has them read for facts. */
async function noteRemembered(
  context: AppContext,
  { question, answer, conversation }: Pick<Exchange, 'question' | 'answer' | 'conversation'>,
  added: AddResult | null,
): Promise<void> {
  const { messages } = context.store;
  const ids = (added?.outcomes ?? []).map((outcome) => (outcome.status === 'rejected' ? null : outcome.id));
  const [asked, answered] = ids;
  const own = (message: StoredMessage, id: string | null | undefined) => [
    ...new Set([...message.own, ...(id ? [id] : [])]),
  ];
  context.store.file.transaction(() => {
    messages.update(question.id, { own: own(messages.get(question.id), asked) });
    messages.update(answer.id, {
      own: own(messages.get(answer.id), answered),
      remembered: {
        decision: added === null ? 'none' : 'remembered',
        turns: ids.filter((id) => id !== null),
      },
    });
  });
  if (added !== null && added.pending > 0) context.reading.note(conversation.scope);
}

interface GraphSetup {
  readonly memory: AddingMemory;
  readonly recipe?: string;
  /** Whether the run is checkpointed; private ones are not. */
  readonly isKept: boolean;
  readonly model: AnswerModel | null;
  readonly attached: Attached;
  readonly without?: ReadonlySet<string>;
  readonly onRecalled?: (search: SearchResult, shown: MemoryContext) => void;
  readonly tools?: AssistantTools;
}

/** The assistant for one run: it costs a few milliseconds, and lets each run have its own model and listener. */
async function graphFor(
  { store, clock, config }: AppContext,
  { memory, recipe, isKept, model, attached, without, onRecalled, tools }: GraphSetup,
) {
  return assistantGraph({
    memoryOf: async () => memory,
    languageModel: async () => model?.model ?? null,
    clock,
    attached,
    offsetAt: (at) => zoneOffset(config.timeZone, at),
    without,
    onRecalled,
    tools,
    ...(typeof (await findRecipe(recipe)) === 'object' && { recipes: await recipeNames() }),
    ...(isKept && { checkpointer: store.checkpoints }),
  });
}

/** The scope's memory, which keeps what the run added: after a stop, nobody else knows whether it was added. */
class AddingMemory implements AssistantMemory {
  /** Null if nothing was added. */
  result: Promise<AddResult | null> = Promise.resolve(null);
  /** Names of turns in memory that have changed since the run began. */
  renamed: ReadonlyMap<string, string> = new Map();
  readonly #context: AppContext;
  readonly #scope: string;

  constructor(context: AppContext, scope: string) {
    this.#context = context;
    this.#scope = scope;
  }

  retrievalSteps: AssistantMemory['retrievalSteps'] = async (question, { recipe, ...options }) =>
    this.#memory.retrievalSteps(question, { ...options, recipe: await findRecipe(recipe) });

  add: AssistantMemory['add'] = (turns, options) => {
    const adding = this.#memory.add(
      turns.map((turn) => ({ ...turn, sourceId: this.renamed.get(turn.sourceId ?? '') ?? turn.sourceId })),
      options,
    );
    this.result = adding;
    return adding;
  };

  get #memory() {
    return this.#context.engine.scope(this.#scope);
  }
}

/** Lines of the event `recalled`, and their length in characters. */
const [LINES, LONGEST_LINE] = [3, 80];

const pieceSchema = z.object({ type: z.literal('answer'), text: z.string() });
const citationSchema = z.object({ number: z.number(), id: z.string(), quote: z.string() });
const updateSchema = z.object({
  respond: z
    .object({
      messages: z.array(z.custom<BaseMessage>((value) => AIMessage.isInstance(value))),
      citations: z.array(citationSchema),
    })
    .optional(),
  __interrupt__: z.array(z.unknown()).optional(),
});

/**
 * The earlier conversation as the graph takes it. Private messages are shown to private ones only, so that nothing of
 * them is remembered by way of a later answer.
 */
function messagesOf({ earlier, manner, question }: Exchange): BaseMessage[] {
  return earlier
    .filter(
      ({ text, state, isPrivate }) => text !== '' && state !== 'failed' && (!isPrivate || manner.isPrivate),
    )
    .filter(({ id }) => id !== question.memoryKey)
    .map((message) =>
      message.role === 'user'
        ? new HumanMessage({ id: message.id, content: wordsWithImages(message) })
        : new AIMessage({ id: message.id, content: message.text }),
    );
}

/** Turns of an imported conversation that may go into a prompt; what fits is decided by their tokens. */
const MOST_IMPORTED = 40;

/** The end of the imported conversation that this one continues. */
async function importedMessages(
  { engine }: AppContext,
  { conversation: { scope, session } }: Exchange,
): Promise<BaseMessage[]> {
  if (session === null) return [];
  const { knowledge } = engine.scope(scope);
  const turns = (await knowledge.sessionLine(session))?.turns ?? 0;
  const from = Math.max(0, turns - MOST_IMPORTED);
  const page = await knowledge.session({ session, from, after: MOST_IMPORTED, without: APP_SOURCE });
  return page.turns.map(({ id, role, speaker, content }) => {
    if (role === 'assistant') return new AIMessage({ id, content });
    return new HumanMessage({ id, content: role === 'user' ? content : `${speaker}: ${content}` });
  });
}

const PAUSE_MILLISECONDS = 30;

/** Joins small pieces of a streamed text, so that a window gets a few dozen a second at most. */
class TextPieces {
  readonly #show: (piece: string) => void;
  #waiting = '';
  #timer: NodeJS.Timeout | null = null;
  text = '';

  constructor(show: (piece: string) => void) {
    this.#show = show;
  }

  add(piece: string): void {
    this.text += piece;
    this.#waiting += piece;
    this.#timer ??= setTimeout(() => this.flush(), PAUSE_MILLISECONDS);
  }

  /** Shows what waits. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const piece = this.#waiting;
    this.#waiting = '';
    if (piece !== '') this.#show(piece);
  }
}
