import type { HookEvent } from './hook-event.ts';

/** What the agent's hook prints, in the form that the agent documents; null for nothing. */
export function hookReply({ agent, kind, name }: HookEvent, context: string | null): object | null {
  switch (agent) {
    case 'claude-code':
    case 'codex':
      return context === null
        ? null
        : { hookSpecificOutput: { hookEventName: name, additionalContext: context } };
    case 'cursor':
      return {
        ...(kind === 'prompt' && { continue: true }),
        ...(context !== null && { additional_context: context }),
      };
    case 'opencode':
    case 'openclaw':
      return { context };
  }
}
