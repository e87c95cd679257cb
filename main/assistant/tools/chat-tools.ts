import { randomUUID } from 'node:crypto';
import {
  type AssistantTools,
  NO_SUCH_TOOL,
  questionIn,
  SEARCH_MEMORY,
  type ToolRun,
} from '../../../graphs/assistant/assistant-tools.ts';
import { MnemisError } from '../../../src/errors/index.ts';
import type { OfferedTool, ToolRequest } from '../../../src/inference/language-model.ts';
import { asData, clip, DATA, fence } from '../../../src/prompts/as-data.ts';
import type { ToolCall } from '../../contract/tools.ts';
import type { AppContext } from '../app-context.ts';
import { browse } from './memory-tools.ts';
import type { UsableTool } from './tool-servers.ts';

/** Tools that are offered at once, and the characters of one's description. */
const MOST_TOOLS = 64;
const LONGEST_DESCRIPTION = 1_000;
/** Characters that every provider takes. */
const LONGEST_NAME = 60;
/** Characters of a call's arguments, and of one result. */
const LONGEST_ARGUMENTS = 40_000;
const LONGEST_RESULT = 12_000;
/** Characters of all offers and of all results in one answer for a token of the context: some 15 and 30 % of it. */
const [OFFER_SHARE, RESULTS_SHARE] = [0.6, 1.2];
const CONTEXT_TOKENS = 60_000;
/** What a result always has. */
const SHORTEST_RESULT = 400;

interface Chat {
  readonly conversation: string;
  readonly scope: string;
  /** Nothing that was allowed elsewhere counts. */
  readonly isPrivate: boolean;
  /** Whether tools of servers are offered. */
  readonly ofServers: boolean;
  /** Gets all calls of the answer whenever one changes. */
  readonly onCalls: (calls: readonly ToolCall[]) => void;
}

/** The tools of one answer: asks the person where they are to be asked, and notes each call. */
export class ChatTools implements AssistantTools {
  readonly #context: Pick<AppContext, 'engine' | 'tools' | 'calls'>;
  readonly #chat: Chat;
  readonly #offered = new Map<string, UsableTool>();
  #noted: readonly ToolCall[] = [];
  #left = Number.POSITIVE_INFINITY;

  constructor(context: Pick<AppContext, 'engine' | 'tools' | 'calls'>, chat: Chat) {
    this.#context = context;
    this.#chat = chat;
  }

  async offered({ signal, contextTokens, searchMemory }: ToolRun): Promise<readonly OfferedTool[]> {
    const tokens = contextTokens ?? CONTEXT_TOKENS;
    this.#left = tokens * RESULTS_SHARE;
    const offers: OfferedTool[] = [];
    let room = tokens * OFFER_SHARE;
    for (const tool of await this.#context.tools.usable(signal, this.#chat.ofServers)) {
      if (tool.server === null && searchMemory === null) continue;
      const name = this.#nameFor(tool);
      const offer = { name, description: clip(tool.description, LONGEST_DESCRIPTION), input: tool.input };
      const size = JSON.stringify(offer).length;
      if (offers.length === MOST_TOOLS) break;
      if (size > room) continue;
      room -= size;
      this.#offered.set(name, tool);
      offers.push(offer);
    }
    return offers;
  }

  async call(request: ToolRequest, run: ToolRun): Promise<string> {
    const tool = this.#offered.get(request.name);
    const call: ToolCall = {
      ...{ id: randomUUID(), server: tool?.server ?? null, tool: tool?.name ?? request.name },
      ...{ arguments: JSON.stringify(request.arguments ?? {}, null, 2), state: 'running' },
      ...{ result: null, milliseconds: null },
    };
    const end = (state: ToolCall['state'], result: string, milliseconds: number | null = null) => {
      this.#note({ ...call, state, result: result.replaceAll(FENCE, ''), milliseconds });
      return result;
    };
    if (tool === undefined) return end('failed', NO_SUCH_TOOL);
    if (request.arguments === null) return end('failed', 'The arguments are no JSON object. Ask again.');
    if (call.arguments.length > LONGEST_ARGUMENTS) return end('failed', 'The arguments are too long.');
    try {
      if (!(await this.#isPermitted(tool, call, run))) return end('denied', DENIED);
      this.#note(call);
      const begun = performance.now();
      const { text, isError } = await this.#run(tool, request.arguments, run);
      return end(isError ? 'failed' : 'done', text, Math.round(performance.now() - begun));
    } catch (error) {
      end('stopped', '');
      throw error;
    }
  }

  async #isPermitted(tool: UsableTool, call: ToolCall, { signal }: ToolRun): Promise<boolean> {
    const { tools, calls } = this.#context;
    const { conversation, isPrivate } = this.#chat;
    const permission = tools.permission(tool);
    if (permission === 'never') return false;
    if (permission === 'always' && (!isPrivate || tool.server === null)) return true;
    const key = JSON.stringify([tool.connection?.id, tool.name, tool.digest]);
    if (calls.isAllowed(conversation, key)) return true;
    this.#note({ ...call, state: 'waiting' });
    const decision = await calls.wait(call.id, signal);
    // Meanwhile its server may have been changed or switched off.
    if (decision === 'no' || tools.permission(tool) === 'never') return false;
    if (decision === 'chat') calls.allow(conversation, key);
    if (decision === 'always' && !isPrivate) tools.permit(tool, 'always');
    return true;
  }

  /** The words of a server are data to the model, whatever they say, and no more of them than fit. */
  async #run(tool: UsableTool, args: NonNullable<ToolRequest['arguments']>, run: ToolRun) {
    if (tool.connection === null) return this.#ofMemory(tool.name, args, run);
    const { text, isError } = await tool.connection.call(tool.name, args, run.signal);
    const most = Math.max(SHORTEST_RESULT, Math.min(LONGEST_RESULT, this.#left));
    const data = asData(text, most);
    this.#left -= data.length;
    return { text: data === '' ? 'The tool gave nothing back.' : fence(DATA, data), isError };
  }

  async #ofMemory(name: string, args: NonNullable<ToolRequest['arguments']>, run: ToolRun) {
    try {
      const text =
        name === SEARCH_MEMORY
          ? await run.searchMemory!(questionIn(args))
          : await browse(this.#context.engine, this.#chat.scope, { args, signal: run.signal });
      return { text, isError: false };
    } catch (error) {
      run.signal?.throwIfAborted();
      const why = MnemisError.isInstance(error) ? error.message : 'Memory could not be searched.';
      return { text: `${why} Answer from what you have.`, isError: true };
    }
  }

  /** Its own name where no other tool has it: models know "web_search" better than one with the server before it. */
  #nameFor({ server, name }: UsableTool): string {
    const plain = (text: string) => text.replaceAll(/[^a-zA-Z0-9_-]+/g, '_');
    const wanted = [plain(name), `${plain(server ?? 'memory')}__${plain(name)}`].map((each) =>
      each.slice(0, LONGEST_NAME),
    );
    const free = wanted.find((each) => /[a-z]/i.test(each) && !this.#offered.has(each));
    return free ?? `tool_${this.#offered.size + 1}`;
  }

  #note(call: ToolCall): void {
    const others = this.#noted.filter(({ id }) => id !== call.id);
    this.#noted = [...others, call];
    this.#chat.onCalls(this.#noted);
  }
}

/** Calls of an answer that ended. */
export function endedCalls(calls: readonly ToolCall[]): ToolCall[] {
  return calls.map((call) =>
    call.state === 'waiting' || call.state === 'running' ? { ...call, state: 'stopped' } : call,
  );
}

/** What stands around a result in the prompt; the person sees what the tool said. */
const FENCE = /^<data-\d+>\n|\n<\/data-\d+>$/g;

const DENIED = 'The user does not allow this call. Go on without it, and do not ask for it again.';
