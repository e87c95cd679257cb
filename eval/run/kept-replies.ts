import { z } from 'zod';
import type {
  ChatBackend,
  ChatReply,
  ChatRequest,
} from '../../src/inference/language-model/backends/chat-backend.ts';
import { countUsage, TokenCounter } from '../../src/inference/language-model/tokens/count-tokens.ts';
import { NO_USAGE, type Usage } from '../../src/model/retrieved-item.ts';
import { digestOf } from '../../src/util/digest-of.ts';
import { sumOfUsages } from '../metrics/numbers.ts';
import { KeptLines } from './kept-lines.ts';

const count = z.number().int().nonnegative();
const usageSchema = z.strictObject({ calls: count, promptTokens: count, completionTokens: count });
const replySchema = z.strictObject({
  text: z.string(),
  reasoning: z.string().optional(),
  toolArguments: z.union([z.record(z.string(), z.unknown()), z.string()]).optional(),
  declined: z.enum(['model', 'filter']).nullable(),
  truncated: z.boolean(),
  usage: z
    .strictObject({ promptTokens: count, completionTokens: count, cachedPromptTokens: count })
    .nullable(),
});
/** A reply and what it cost; without a reply, a further phase that used it. */
const lineSchema = z.strictObject({
  key: z.string(),
  phase: z.string(),
  kept: z.strictObject({ reply: replySchema, usage: usageSchema }).optional(),
});
type Line = z.output<typeof lineSchema>;

/**
 * Every reply of a language model, kept in a file by its request: model, server, turns, form and seed. A request that was replied
 * to once is never sent again, by this run or by a later one. Replies are counted for the phases that used them.
 */
export class KeptReplies {
  readonly #lines: KeptLines<Line>;
  readonly #held: Held;
  readonly #underWay = new Map<string, Promise<unknown>>();
  readonly #counter = new TokenCounter();
  /** What replies are counted for from now on. */
  phase = '';

  private constructor(lines: KeptLines<Line>, held: Held) {
    this.#lines = lines;
    this.#held = held;
  }

  /** @throws what `KeptLines.open` throws. */
  static async open(file: string): Promise<KeptReplies> {
    const held: Held = { kept: new Map(), phases: new Map() };
    return new KeptReplies(await KeptLines.open(file, lineSchema, (line) => note(held, line)), held);
  }

  /** The same backend, whose replies are kept and counted for `phase`. A stream of a kept reply comes in one piece. */
  readonly through = (backend: ChatBackend): ChatBackend => ({
    ...backend,
    ask: (request) => this.#reply(backend, request, () => backend.ask(request)),
    stream: async (request, onText) => {
      let isPassedOn = false;
      const reply = await this.#reply(backend, request, () => {
        isPassedOn = true;
        return backend.stream(request, onText);
      });
      if (!isPassedOn) onText(reply.text);
      return reply;
    },
  });

  /** What the replies that a phase used cost, each once. */
  usageOf(phase: string): Usage {
    const { kept, phases } = this.#held;
    return sumOfUsages([...(phases.get(phase) ?? [])].map((key) => kept.get(key)?.usage ?? NO_USAGE));
  }

  close(): Promise<void> {
    return this.#lines.close();
  }

  async #reply(
    { name: model, address }: ChatBackend,
    request: ChatRequest,
    send: () => Promise<ChatReply>,
  ): Promise<ChatReply> {
    const { phase } = this;
    const { turns, form, tools, seed } = request;
    const key = digestOf({ model, address, turns, form, tools, seed });
    // One that another question waits for; if it fails, this one asks by itself.
    while (this.#underWay.has(key)) await this.#underWay.get(key)!.catch(() => undefined);
    const known = this.#held.kept.get(key);
    if (known === undefined) {
      const sent = this.#send({ key, phase }, request, send).finally(() => this.#underWay.delete(key));
      this.#underWay.set(key, sent);
      return sent;
    }
    if (!this.#held.phases.get(phase)?.has(key)) await this.#keep({ key, phase });
    return { ...known.reply, toolArguments: known.reply.toolArguments };
  }

  async #send(
    line: Pick<Line, 'key' | 'phase'>,
    request: ChatRequest,
    send: () => Promise<ChatReply>,
  ): Promise<ChatReply> {
    const { requests: _, ...reply } = await send();
    const { calls, promptTokens, completionTokens } = await countUsage(this.#counter, request, reply);
    await this.#keep({ ...line, kept: { reply, usage: { calls, promptTokens, completionTokens } } });
    return reply;
  }

  async #keep(line: Line): Promise<void> {
    await this.#lines.append(line);
    note(this.#held, line);
  }
}

interface Held {
  readonly kept: Map<string, NonNullable<Line['kept']>>;
  /** Keys of the replies that each phase used. */
  readonly phases: Map<string, Set<string>>;
}

function note({ kept, phases }: Held, line: Line): void {
  if (line.kept !== undefined) kept.set(line.key, line.kept);
  phases.set(line.phase, (phases.get(line.phase) ?? new Set()).add(line.key));
}
