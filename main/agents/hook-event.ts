import { z } from 'zod';
import { lastReply } from './transcript.ts';

export const HOOKED_AGENTS = ['claude-code', 'codex', 'cursor', 'opencode', 'openclaw'] as const;
export type AgentName = (typeof HOOKED_AGENTS)[number];

/** What happened in a session of a coding agent. */
export interface HookEvent {
  readonly agent: AgentName;
  /** The name that the agent has for it, for the reply. */
  readonly name: string;
  /** `start` of a session, a `prompt`, the `outcome` of a prompt, or nothing that memory needs. */
  readonly kind: 'start' | 'prompt' | 'outcome' | 'none';
  readonly session: string;
  /** Id of the prompt and all that follows it; null where the agent gives none. */
  readonly turn: string | null;
  /** Folder that the agent works in; null where it does not say. */
  readonly folder: string | null;
  /** What the user said, or the agent's last message. */
  readonly text: string;
}

/** A field of another type counts as absent, since agents change their payloads. */
const text = z.string().nullish().catch(null);

/**
 * The JSON of a hook, of every agent: Claude Code and Codex name a session, Cursor a conversation and a generation. The
 * plugins for OpenCode and OpenClaw write the fields of Claude Code.
 */
const payloadSchema = z.object({
  hook_event_name: z.string(),
  session_id: text,
  conversation_id: text,
  prompt_id: text,
  turn_id: text,
  generation_id: text,
  cwd: text,
  workspace_roots: z.array(z.string()).nullish().catch(null),
  prompt: text,
  /** Of a session: how it began. Of a prompt: who wrote it. */
  source: text,
  last_assistant_message: text,
  text,
  transcript_path: text,
  /** Only in sub-agents, whose outcome the agent itself reports. */
  agent_id: text,
  cursor_version: text,
});
type Payload = z.output<typeof payloadSchema>;

const KINDS: Readonly<Record<string, HookEvent['kind']>> = {
  SessionStart: 'start',
  sessionStart: 'start',
  UserPromptSubmit: 'prompt',
  beforeSubmitPrompt: 'prompt',
  Stop: 'outcome',
  SessionEnd: 'outcome',
  afterAgentResponse: 'outcome',
};

/** Prompts that a person, or a program in a person's place, wrote; others come from timers and tasks. */
const WRITERS = ['user', 'sdk'];

/** Reads what a hook was given. @returns null for what is no payload of a hook */
export function readHookEvent(given: unknown, hooked: AgentName): HookEvent | null {
  const parsed = payloadSchema.safeParse(given);
  if (!parsed.success) return null;
  const payload = parsed.data;
  const { hook_event_name: name } = payload;
  // Cursor also runs the hooks of Claude Code.
  const agent = payload.cursor_version ? 'cursor' : hooked;
  const kind = KINDS[name] ?? 'none';
  return {
    agent,
    name,
    kind: isForMemory(payload, kind) ? kind : 'none',
    session: payload.session_id ?? payload.conversation_id ?? '',
    turn: payload.prompt_id ?? payload.turn_id ?? payload.generation_id ?? null,
    folder: payload.cwd || payload.workspace_roots?.[0] || null,
    text: textIn(payload, kind),
  };
}

function isForMemory({ agent_id, source }: Payload, kind: HookEvent['kind']): boolean {
  if (agent_id) return false;
  if (kind === 'prompt') return !source || WRITERS.includes(source);
  return kind !== 'start' || source !== 'resume'; // a resumed session still has what it was told
}

function textIn(payload: Payload, kind: HookEvent['kind']): string {
  if (kind === 'prompt') return payload.prompt ?? '';
  if (kind !== 'outcome') return '';
  const { last_assistant_message: last, text: said, transcript_path: file } = payload;
  return last ?? said ?? (file ? lastReply(file) : '');
}
