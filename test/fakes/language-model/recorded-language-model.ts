import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type {
  LanguageModel,
  ModelCallOptions,
  StructuredReply,
} from '../../../src/inference/language-model.ts';
import type { Prompt, TextPrompt } from '../../../src/model/prompt.ts';
import { FakeLanguageModel } from './fake-language-model.ts';

/** A file of `test/fixtures/replies`: what a real model once said to a prompt. */
export const recordedReplySchema = z.strictObject({
  model: z.string().min(1),
  prompt: z.string().min(1),
  version: z.number().int().positive(),
  /** SHA-256 of the rendered prompt, in hexadecimal: a reply to other words is another reply. */
  input: z.string().regex(/^[0-9a-f]{64}$/),
  /** As the schema read it, or as the model wrote it. */
  reply: z.unknown(),
});
export type RecordedReply = z.output<typeof recordedReplySchema>;

export function hashInput<Input>(prompt: TextPrompt<Input>, input: Input): string {
  const { system, user } = prompt.render(input);
  return createHash('sha256')
    .update(JSON.stringify([system, user]))
    .digest('hex');
}

export function readRecordedReplies(folder: string): RecordedReply[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return files.map((name) => recordedReplySchema.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))));
}

/** Says what a real model once said to the very same prompt, and fails where nobody ever asked it. */
export class RecordedLanguageModel implements LanguageModel {
  readonly name = 'recorded:replies';
  readonly contextTokens = null;
  readonly #replies: ReadonlyMap<string, RecordedReply>;

  constructor(replies: readonly RecordedReply[]) {
    this.#replies = new Map(replies.map((reply) => [keyOf(reply), reply]));
  }

  structured<Input, Output>(
    prompt: Prompt<Input, Output>,
    input: Input,
    options: ModelCallOptions = {},
  ): Promise<StructuredReply<Output>> {
    return new FakeLanguageModel(() => this.#find(prompt, input)).structured(prompt, input, options);
  }

  text<Input>(prompt: TextPrompt<Input>, input: Input, options: ModelCallOptions = {}) {
    return new FakeLanguageModel(() => this.#find(prompt, input)).text(prompt, input, options);
  }

  countTokens(text: string): Promise<number> {
    return new FakeLanguageModel(() => ({})).countTokens(text);
  }

  #find<Input>(prompt: TextPrompt<Input>, input: Input): unknown {
    const hash = hashInput(prompt, input);
    const found = this.#replies.get(keyOf({ prompt: prompt.name, version: prompt.version, input: hash }));
    if (found !== undefined) return found.reply;
    throw new Error(
      `No reply is recorded for the prompt "${prompt.name}", version ${prompt.version}, input ${hash}. Record it with RecordingLanguageModel, or name the version that it was recorded with.`,
    );
  }
}

/** Asks a model and keeps what it says, to be written into fixtures. */
export class RecordingLanguageModel implements LanguageModel {
  readonly name: string;
  readonly contextTokens: number | null;
  readonly recorded: RecordedReply[] = [];
  readonly #model: LanguageModel;

  constructor(model: LanguageModel) {
    this.#model = model;
    this.name = model.name;
    this.contextTokens = model.contextTokens;
  }

  async structured<Input, Output>(
    prompt: Prompt<Input, Output>,
    input: Input,
    options: ModelCallOptions = {},
  ): Promise<StructuredReply<Output>> {
    const reply = await this.#model.structured(prompt, input, options);
    this.#keep(prompt, input, reply.value);
    return reply;
  }

  async text<Input>(prompt: TextPrompt<Input>, input: Input, options: ModelCallOptions = {}) {
    const reply = await this.#model.text(prompt, input, options);
    this.#keep(prompt, input, reply.text);
    return reply;
  }

  countTokens(text: string): Promise<number> {
    return this.#model.countTokens(text);
  }

  #keep<Input>(prompt: TextPrompt<Input>, input: Input, reply: unknown): void {
    const { name, version } = prompt;
    this.recorded.push({ model: this.name, prompt: name, version, input: hashInput(prompt, input), reply });
  }
}

function keyOf({ prompt, version, input }: Pick<RecordedReply, 'prompt' | 'version' | 'input'>): string {
  return `${prompt} ${version} ${input}`;
}
