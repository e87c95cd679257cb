import { z } from 'zod';
import { MAX_CONTENT_LENGTH } from './columns.ts';
import { ROLES, TRUST_LEVELS } from './nodes.ts';
import { turnMetadataSchema } from './turn-metadata.ts';

export { MAX_CONTENT_LENGTH };

const shortText = z.string().trim().min(1).max(500);

/**
 * A turn as `add` takes it, and a line of a JSONL import. Only `content` is required.
 *
 * Turns with equal `source` and `sourceId`, else with equal `session` and `index`, are the same turn: with the same
 * content it is already known, with other content it becomes a new version. A turn that has only a time is already
 * known if its session has the same words of the same speaker at that time.
 */
export const turnInputSchema = z.strictObject({
  content: z.string().max(MAX_CONTENT_LENGTH, `is longer than ${MAX_CONTENT_LENGTH} characters; split it`),
  /** When it was said: a Date, milliseconds since 1970, or ISO 8601 text (UTC without a zone). Default: now. */
  at: z.union([z.date(), z.number().int(), shortText]).optional(),
  speaker: shortText.optional(),
  role: z.enum(ROLES).default('user'),
  /** How far its words may be acted on; default: `low` for tool output, else `normal`. */
  trust: z.enum(TRUST_LEVELS).optional(),
  session: shortText.default('main'),
  /** Position in the session from 0; default: after the last known turn. */
  index: z.number().int().nonnegative().max(1e9).optional(),
  source: shortText.default('api'),
  sourceId: shortText.optional(),
  attachments: z
    .array(
      z.strictObject({
        kind: shortText,
        description: z.string().max(20_000),
        uri: z.string().max(2_000).optional(),
      }),
    )
    .max(100)
    .default([]),
  metadata: turnMetadataSchema.default({}),
});

/** A turn as callers write it. `speaker` defaults to the role; empty content is accepted only with an attachment. */
export type TurnInput = z.input<typeof turnInputSchema>;
/** What `add` uses where a turn does not say it; `speaker` only for turns of the role `user`. */
export type TurnDefaults = Pick<
  TurnInput,
  'session' | 'speaker' | 'role' | 'at' | 'trust' | 'source' | 'metadata'
>;

/** A message of LangChain, of any version: what `add` reads of a `BaseMessage`. */
export interface MessageLike {
  readonly content: unknown;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  getType(): string;
}
/**
 * A message as chat libraries write it, as far as `add` reads it: OpenAI (chat and responses), Anthropic, the AI SDK
 * (`UIMessage` and `ModelMessage`), Gemini. Its text is kept, and its pictures and files by name, address or kind;
 * calls of tools and reasoning are not.
 */
export interface ChatMessage {
  readonly role: string;
  /** Text, or blocks of it, pictures, files, calls and results of tools. */
  readonly content?: unknown;
  readonly parts?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly createdAt?: unknown;
  readonly created_at?: unknown;
  readonly metadata?: unknown;
  readonly refusal?: unknown;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: unknown;
}
/** An item of OpenAI's Responses API beside its messages; only results of tools are kept. */
export interface ResponseItem {
  readonly type: string;
  readonly id?: unknown;
  readonly call_id?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly output?: unknown;
  readonly summary?: unknown;
  readonly status?: unknown;
}
/** What `add` takes as one turn: its text alone, its fields, or a message of LangChain or another chat library. */
export type AddInput = string | TurnInput | MessageLike | ChatMessage | ResponseItem;
export type Turn = z.output<typeof turnInputSchema>;

/** Whether a retention rule removed the text of a stored turn. One that is only an image has that as its attachment. */
export const isEmptied = ({
  content,
  attachments,
}: Pick<Turn, 'content'> & { readonly attachments: readonly unknown[] }): boolean =>
  content === '' && attachments.length === 0;

/** Begins the URI of an attachment that is a record of a program, such as the fields of a message: see `packText`. */
export const RECORD_URI = 'data:application/json;mnemis=';

/** The `sourceId` of a turn that carries a later part of a record that is too large for one turn; parts count from 0. */
export const recordPart = (sourceId: string, part: number): string =>
  part === 0 ? sourceId : `${sourceId}/record-${part + 1}`;

const RECORD_PART = /\/record-\d+$/;
export const isRecordPart = (sourceId: string | null): boolean =>
  sourceId !== null && RECORD_PART.test(sourceId);
/** The `sourceId` of the turn with the first part. */
export const recordOf = (sourceId: string): string => sourceId.replace(RECORD_PART, '');

/** Whether a stored turn says nothing: its text was removed, or it only carries records of a program. */
export const isSilent = ({
  content,
  attachments,
}: Pick<Turn, 'content'> & {
  readonly attachments: readonly { readonly uri?: string | undefined }[];
}): boolean => content === '' && attachments.every(({ uri }) => uri?.startsWith(RECORD_URI));
