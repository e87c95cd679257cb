import { MnemisError } from './mnemis-error.ts';

/** Whose reply did not fit which schema, and where; nothing of the reply itself. */
export interface MalformedReplyDetails {
  /** Provider and model, such as `ollama:qwen3`. */
  readonly model: string;
  /** Name of the prompt that was asked. */
  readonly prompt: string;
  /** What the schema has against the reply: places and rules, never what the reply says. */
  readonly issues: readonly string[];
  /** The reply was cut short by the limit of tokens: asking about less may help, asking again does not. */
  readonly truncated: boolean;
}

/** A language model's reply does not fit the prompt's schema, and the repair round did not help. */
export class MalformedReplyError extends MnemisError {
  static readonly code = 'malformed-reply';
  readonly prompt: string;
  readonly issues: readonly string[];
  readonly truncated: boolean;

  constructor({ model, prompt, issues, truncated }: MalformedReplyDetails) {
    const why = truncated ? 'was cut short' : 'does not fit its schema';
    super({
      code: MalformedReplyError.code,
      message: `The reply of ${model} to the prompt "${prompt}" ${why} (${issues.slice(0, 3).join('; ')}). Nothing of this call was stored; ${truncated ? 'give it less text at once' : 'run it again, or use a more capable model'}.`,
    });
    this.prompt = prompt;
    this.issues = issues;
    this.truncated = truncated;
  }

  static override isInstance(value: unknown): value is MalformedReplyError {
    return MnemisError.isInstance(value) && value.code === MalformedReplyError.code;
  }
}
