import { z } from 'zod';
import type { Attachment, Role } from '../nodes.ts';
import { type TurnInput, turnInputSchema } from '../turn-input.ts';
import { attachmentsIn, resultsIn, textOfContent } from './message-blocks.ts';

/** By the role or type of a message, as LangChain, OpenAI, Anthropic, the AI SDK and Gemini name it. */
export const ROLE_OF_MESSAGE = {
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  model: 'assistant',
  system: 'system',
  developer: 'system',
  tool: 'tool',
  function: 'tool',
  function_call_output: 'tool',
  generic: 'other',
  other: 'other',
} as const satisfies Readonly<Record<string, Role>>;

const LONGEST_NAME = 500;
/** Numbers below are seconds since 1970, above milliseconds. */
const SECONDS_UP_TO = 1e11;

const text = z.string().optional().catch(undefined);
const time = z
  .union([
    z.date(),
    z.string(),
    z.number().transform((at) => Math.round(at < SECONDS_UP_TO ? at * 1000 : at)),
  ])
  .optional()
  .catch(undefined);

const messageSchema = z.looseObject({
  role: text,
  type: text,
  content: z.unknown().optional(),
  parts: z.array(z.unknown()).optional().catch(undefined),
  output: z.unknown().optional(),
  id: text,
  name: text,
  refusal: text,
  createdAt: time,
  created_at: time,
});

/** What memory keeps of a message. */
export interface Message {
  readonly role: Role;
  readonly content: string;
  readonly attachments: readonly Attachment[];
  readonly speaker?: string | undefined;
  readonly id?: string | undefined;
  readonly at?: TurnInput['at'];
}

/** Fields that only messages have. An object with another unknown field is a turn with a mistake. */
const FIELDS_OF_MESSAGES: ReadonlySet<string> = new Set([
  ...[
    'type',
    'id',
    'name',
    'parts',
    'refusal',
    'audio',
    'annotations',
    'status',
    'phase',
    'createdAt',
    'created_at',
  ],
  ...[
    'tool_calls',
    'tool_call_id',
    'function_call',
    'call_id',
    'arguments',
    'output',
    'summary',
    'toolInvocations',
  ],
  ...[
    'reasoning',
    'reasoning_content',
    'reasoning_details',
    'experimental_attachments',
    'experimental_providerMetadata',
  ],
  ...[
    'providerOptions',
    'providerMetadata',
    'cache_control',
    'model',
    'stop_reason',
    'stop_sequence',
    'stop_details',
  ],
  ...['usage', 'object', 'container', 'data', 'is_error', 'tool_name'],
]);
const FIELDS_OF_TURNS: ReadonlySet<string> = new Set(
  Object.keys(turnInputSchema.shape).filter(
    (field) => field !== 'content' && field !== 'role' && field !== 'metadata',
  ),
);

/** Whether an input of `add` is a message of a chat library, and no turn. */
export function isMessage(input: object): boolean {
  if ('getType' in input) return typeof input.getType === 'function';
  const fields = Object.keys(input);
  if (fields.some((field) => FIELDS_OF_TURNS.has(field))) return false;
  const { role, content } = input as { readonly role?: unknown; readonly content?: unknown };
  if (typeof role !== 'string') return 'type' in input && typeof input.type === 'string';
  const isTurn = typeof content === 'string' && turnInputSchema.shape.role.safeParse(role).success;
  return !isTurn || fields.some((field) => FIELDS_OF_MESSAGES.has(field));
}

/** @returns A text says why the input is no message that memory keeps. */
export function readMessage(input: object): Message | string {
  const type = 'getType' in input ? (input.getType as () => unknown)() : undefined;
  const { data } = messageSchema.safeParse(type === undefined ? input : { ...input, role: type });
  const named = data?.role ?? data?.type ?? '';
  if (data === undefined || !Object.hasOwn(ROLE_OF_MESSAGE, named))
    return 'it is no message of a conversation';
  const { id, output, name, refusal } = data;
  const content = data.parts !== undefined && data.parts.length > 0 ? data.parts : data.content;
  const words = textOfContent(content) || (refusal ?? '');
  const attachments = attachmentsIn(content);
  const results = words.trim() === '' && attachments.length === 0 ? resultsIn(content) : '';
  const isResult = ROLE_OF_MESSAGE[named as keyof typeof ROLE_OF_MESSAGE] === 'tool' || results !== '';
  const role = isResult ? 'tool' : ROLE_OF_MESSAGE[named as keyof typeof ROLE_OF_MESSAGE];
  const said = words || results || (isResult ? resultsIn(output) : '');
  if (said.trim() === '' && attachments.length === 0) return 'the message has no text';
  // The name of a tool is not a speaker.
  const speaker = role === 'tool' ? undefined : name?.trim().slice(0, LONGEST_NAME) || undefined;
  return {
    role,
    content: said,
    attachments,
    speaker,
    id: id || undefined,
    at: data.createdAt ?? data.created_at,
  };
}
