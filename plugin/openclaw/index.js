// Mnemis for OpenClaw: gives each prompt what memory has on it, and stores prompts and outcomes.
import { spawn } from 'node:child_process';

const COMMAND = ['mnemis', 'agent', 'hook', 'openclaw'];
/** Below the host's own limit of 15 seconds for a prompt. */
const MILLISECONDS = 14_000;

// biome-ignore lint/style/noDefaultExport: the host loads it
export default {
  id: 'mnemis',
  name: 'Mnemis memory',
  description: 'Recalls what earlier sessions decided, and remembers this one.',
  kind: 'memory',
  register(api) {
    const command = api.pluginConfig?.command ?? COMMAND;
    const told = new Set();
    const asked = new Map();
    const hook = (ctx, payload) =>
      ask(command, { session_id: ctx.sessionKey ?? ctx.sessionId ?? '', cwd: ctx.workspaceDir, ...payload });

    api.on('before_prompt_build', async (event, ctx) => {
      const prompt = (event.currentUserMessage ?? event.prompt ?? '').trim();
      if (prompt === '' || !isFromPerson(ctx)) return undefined;
      const session = ctx.sessionKey ?? ctx.sessionId ?? '';
      asked.set(session, event.currentUserMessageId ?? null);
      const first = told.has(session) ? null : await hook(ctx, { hook_event_name: 'SessionStart' });
      told.add(session);
      const turn = { hook_event_name: 'UserPromptSubmit', turn_id: event.currentUserMessageId, prompt };
      const text = [first, await hook(ctx, turn)].filter(Boolean).join('\n\n');
      return text === '' ? undefined : { prependContext: text };
    });
    api.on('after_compaction', (_event, ctx) => {
      told.delete(ctx.sessionKey ?? ctx.sessionId ?? '');
    });
    api.on('agent_end', async (event, ctx) => {
      const session = ctx.sessionKey ?? ctx.sessionId ?? '';
      if (event.success === false || !asked.has(session) || !isFromPerson(ctx)) return;
      const last = event.messages?.findLast(
        ({ role, content }) => role === 'assistant' && textOf(content) !== '',
      );
      const turn = { turn_id: asked.get(session), last_assistant_message: textOf(last?.content) };
      asked.delete(session);
      await hook(ctx, { hook_event_name: 'Stop', ...turn });
    });
  },
};

/** Sub-agents, timers and other sessions also send prompts. */
function isFromPerson({ sessionKey = '', trigger, inputProvenance }) {
  if (/:(?:subagent|cron|hook):/.test(sessionKey)) return false;
  if (inputProvenance && inputProvenance.kind !== 'external_user') return false;
  return trigger === undefined || trigger === 'user';
}

function textOf(content) {
  if (typeof content === 'string') return content.trim();
  const texts = (content ?? []).filter(({ type }) => type === 'text').map(({ text }) => text);
  return texts.join('\n').trim();
}

/** What memory has for the agent; null for nothing, also where memory failed. */
function ask([command, ...args], payload) {
  return new Promise((resolve) => {
    const shell = process.platform === 'win32' && !command.includes('/'); // `mnemis` is a script there
    const child = spawn(command, args, { shell, stdio: ['pipe', 'pipe', 'ignore'], timeout: MILLISECONDS });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      printed += text;
    });
    child.once('error', () => resolve(null));
    child.once('close', () => {
      try {
        resolve(JSON.parse(printed).context ?? null);
      } catch {
        resolve(null);
      }
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify(payload));
  });
}
