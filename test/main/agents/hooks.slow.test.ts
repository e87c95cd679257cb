import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { repositoryOf } from '../../../main/agents/repository.ts';
import type { MemoryClient } from '../../../main/contract.ts';
import { programArguments } from '../../child-program.ts';
import { MAIN, ROOT } from '../cli/fake-terminal.ts';
import { HookLab } from './hook-lab.ts';

let lab: HookLab;
let memory: MemoryClient;
beforeAll(async () => {
  lab = new HookLab();
  await lab.start();
  memory = await lab.client();
});
afterAll(() => lab[Symbol.asyncDispose]());

async function turnsOf(folder: string) {
  const { items } = await memory.turns({ scope: repositoryOf(folder).scope, limit: 50 });
  return [...items].reverse();
}

/** The programs that plugins start inherit it. */
function stubEnvironment(env: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
}

it('Claude Code: a session of processes', async () => {
  const cwd = lab.repository('shop', 'git@github.com:acme/shop.git');
  const asked = { session_id: 's-1', cwd, hook_event_name: 'UserPromptSubmit', prompt_id: 'p-1' };
  const prompt = 'Deploys go to Hetzner with Kamal.';
  expect(await lab.hookProcess('claude-code', { ...asked, prompt })).toEqual({ code: 0, out: '', err: '' });
  const next = { ...asked, session_id: 's-2', prompt_id: 'p-2', prompt: 'Where do deploys go?' };
  const { out } = await lab.hookProcess('claude-code', next);
  expect(JSON.parse(out).hookSpecificOutput.additionalContext).toContain('Hetzner');
});

const pluginAt = (path: string) => import(pathToFileURL(join(ROOT, 'plugin', path)).href);

it('OpenCode: the plugin adds what memory has to the message', async () => {
  const cwd = lab.repository('opencode', 'https://example.org/opencode.git');
  const command = [process.execPath, ...programArguments(MAIN), 'agent', 'hook', 'opencode'];
  const text = readFileSync(join(ROOT, 'plugin/opencode/mnemis.js'), 'utf8');
  const file = lab.file(
    'opencode/mnemis.mjs',
    text.replace(/^const COMMAND = .*$/m, `const COMMAND = ${JSON.stringify(command)};`),
  );
  const messages: object[] = [];
  const client = {
    session: {
      get: async ({ path: { id } }: { path: { id: string } }) => ({
        data: id === 'child' ? { parentID: 'one' } : {},
      }),
      messages: async () => ({ data: messages }),
    },
  };
  stubEnvironment(lab.env);
  const { MnemisPlugin } = await import(pathToFileURL(file).href);
  const plugin = await MnemisPlugin({ client, directory: cwd });
  const said = async (sessionID: string, id: string, prompt: string) => {
    const parts = [{ type: 'text', text: prompt } as { type: string; text: string; synthetic?: boolean }];
    await plugin['chat.message']({ sessionID, messageID: id }, { message: { id }, parts });
    return parts;
  };
  expect(await said('one', 'm1', 'Fonts are loaded from the bundle.')).toHaveLength(1);
  expect(await said('child', 'm2', 'I look for fonts.')).toHaveLength(1);
  const of = (role: string, id: string, text: string) => ({
    info: { role, id },
    parts: [{ type: 'text', text }],
  });
  messages.push(of('user', 'm1', 'Fonts…'), of('assistant', 'm3', 'Fonts now ship in the bundle as woff2.'));
  const idle = { event: { type: 'session.idle', properties: { sessionID: 'one' } } };
  await plugin.event(idle);
  await plugin.event(idle);
  expect((await turnsOf(cwd)).map(({ content }) => content)).toEqual([
    'Fonts are loaded from the bundle.',
    'Fonts now ship in the bundle as woff2.',
  ]);
  const parts = await said('two', 'm4', 'Where do fonts come from, as woff2?');
  expect(parts[1]).toMatchObject({ type: 'text', synthetic: true, sessionID: 'two', messageID: 'm4' });
  expect(parts[1]!.text).toContain('Fonts now ship in the bundle');
});

it('OpenClaw: the plugin puts what memory has before the prompt', async () => {
  const workspaceDir = lab.repository('openclaw', 'https://example.org/openclaw.git');
  const { default: plugin } = await pluginAt('openclaw/index.js');
  type Handler = (event: object, ctx: object) => Promise<{ prependContext: string } | undefined>;
  const handlers = new Map<string, Handler>();
  const command = [process.execPath, ...programArguments(MAIN), 'agent', 'hook', 'openclaw'];
  stubEnvironment(lab.env);
  plugin.register({
    pluginConfig: { command },
    on: (name: string, handler: Handler) => handlers.set(name, handler),
  });
  const ctx = (sessionKey: string) => ({ sessionKey, workspaceDir, trigger: 'user' });
  const build = (key: string, id: string, prompt: string) =>
    handlers.get('before_prompt_build')!(
      { prompt: `history\n${prompt}`, currentUserMessage: prompt, currentUserMessageId: id },
      ctx(key),
    );
  expect(await build('agent:main:one', 'u1', 'The standup moves to 9:30.')).toBeUndefined();
  expect(await build('agent:main:subagent:x', 'u2', 'A sub-agent asks.')).toBeUndefined();
  const messages = [
    { role: 'assistant', content: [{ type: 'text', text: 'Noted: the standup is at 9:30 in room Lind.' }] },
  ];
  await handlers.get('agent_end')!({ messages, success: true }, ctx('agent:main:one'));
  await handlers.get('agent_end')!({ messages, success: true }, ctx('agent:main:cron:y'));
  expect(await turnsOf(workspaceDir)).toHaveLength(2);
  const found = await build('agent:main:two', 'u3', 'When is the standup, and in which room?');
  expect(found!.prependContext).toContain('room Lind');
});

it('hooks of many processes at once lose nothing', async () => {
  const cwd = lab.repository('busy', 'https://example.org/busy.git');
  const prompts = Array.from(
    { length: 8 },
    (_, at) => `Task ${'abcdefgh'[at]} belongs to team ${'abcdefgh'[at]}.`,
  );
  const outputs = await Promise.all(
    prompts.map((prompt, at) =>
      lab.hookProcess('codex', {
        session_id: `b-${at}`,
        hook_event_name: 'UserPromptSubmit',
        turn_id: 't',
        cwd,
        prompt,
      }),
    ),
  );
  expect(outputs.map(({ code }) => code)).toEqual(prompts.map(() => 0));
  expect((await turnsOf(cwd)).map(({ content }) => content).sort()).toEqual(prompts);
});
