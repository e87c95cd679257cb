import { z } from 'zod';

/** What a model's process and the memory's say to each other, over the channel of `child_process`. */

const id = z.int().min(1);

const loadSchema = z.object({
  kind: z.literal('load'),
  file: z.string(),
  /** Tokens of prompt and reply of one call. The model gets less where memory is short. */
  contextTokens: z.int().min(1),
  /** Replies that are decoded together. */
  sequences: z.int().min(1),
  /** Import name of the runtime's package. */
  runtime: z.string(),
});
export type LoadRequest = z.infer<typeof loadSchema>;

const generateSchema = z.object({
  kind: z.literal('generate'),
  id,
  turns: z.array(z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() })),
  /** JSON Schema that the reply must follow; null for prose. */
  schema: z.record(z.string(), z.unknown()).nullable(),
  /** Temperature 0; else the model's usual one, with the seed. */
  temperature: z.number(),
  seed: z.int(),
  mostTokens: z.int().min(1),
  stops: z.array(z.string()),
});
export type GenerateRequest = z.infer<typeof generateSchema>;

const judgeSchema = z.object({
  kind: z.literal('judge'),
  id,
  question: z.string(),
  texts: z.array(z.string()),
});
export type JudgeRequest = z.infer<typeof judgeSchema>;

export const requestSchema = z.discriminatedUnion('kind', [
  loadSchema,
  generateSchema,
  judgeSchema,
  z.object({ kind: z.literal('cancel'), id }),
  z.object({ kind: z.literal('count'), id, text: z.string() }),
]);
export type ProcessRequest = z.infer<typeof requestSchema>;

const loadedSchema = z.object({
  kind: z.literal('loaded'),
  contextTokens: z.int().min(1),
  sequences: z.int().min(1),
  /** `cpu`, or the accelerator's interface. */
  device: z.string(),
  milliseconds: z.number(),
  /** Resident memory of the process, the model's file included. */
  memoryBytes: z.number(),
});
export type LoadedModel = Omit<z.infer<typeof loadedSchema>, 'kind'>;

const endSchema = z.object({
  kind: z.literal('end'),
  id,
  text: z.string(),
  reasoning: z.string(),
  /** Why it ended: by itself, by the limit of tokens, or because the text repeated itself. */
  end: z.enum(['stop', 'length', 'loop']),
  promptTokens: z.int().min(0),
  /** Of the prompt: those that an earlier call had left evaluated. */
  cachedPromptTokens: z.int().min(0),
  completionTokens: z.int().min(0),
  /** Until the first token, while other replies were decoded beside it. */
  promptMilliseconds: z.number(),
  /** From the first token to the last. */
  replyMilliseconds: z.number(),
  memoryBytes: z.number(),
});
export type GeneratedReply = Omit<z.infer<typeof endSchema>, 'kind' | 'id'>;

/** Why a model's process cannot do something. */
const REFUSALS = ['runtime', 'file', 'memory', 'context', 'schema', 'other'] as const;
export type Refusal = (typeof REFUSALS)[number];

/** A request that a model's process cannot fulfil; trying again does not help. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal, reason: string) {
    super(reason);
    this.refusal = refusal;
  }
}

export const replySchema = z.discriminatedUnion('kind', [
  loadedSchema,
  z.object({ kind: z.literal('piece'), id, text: z.string() }),
  endSchema,
  z.object({ kind: z.literal('counted'), id, tokens: z.int().min(0) }),
  /** How probably each text helps to answer the question, in their order. */
  z.object({ kind: z.literal('judged'), id, scores: z.array(z.number().min(0).max(1)) }),
  /** Of a call, or of loading where there is no id. */
  z.object({
    kind: z.literal('refused'),
    id: id.nullable(),
    refusal: z.enum(REFUSALS),
    reason: z.string(),
  }),
]);
export type ProcessReply = z.infer<typeof replySchema>;
