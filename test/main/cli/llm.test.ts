import { describe, expect, it } from 'vitest';
import type { ScriptedServerOptions } from '../../fakes/openai-server/script.ts';
import { ScriptedOpenAiServer } from '../../fakes/openai-server/scripted-openai-server.ts';
import { CommandLab } from './fake-terminal.ts';

const KEY = 'sk-cli-test-5521';
const reply = () => ({ city: 'Oslo' });

async function open(options: ScriptedServerOptions = {}) {
  const server = await ScriptedOpenAiServer.start({ reply, ...options });
  const lab = new CommandLab();
  const flags = [
    '--llm-provider',
    'openai-compatible',
    '--llm-model',
    'm',
    '--llm-base-url',
    `${server.url}/v1`,
  ];
  const check = (...more: string[]) => lab.run('llm', 'check', ...flags, ...more);
  const dispose = async () => {
    lab[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
  };
  return { server, lab, flags, check, [Symbol.asyncDispose]: dispose };
}

describe('mnemis search --rewrite', () => {
  it('searches other wordings, which the model writes', async () => {
    await using test = await open({ reply: () => ({ wordings: ['we lost the ferry'] }) });
    await test.lab.run('add', 'The ferry left without us.');
    const search = ['search', 'Which ship was missed?', '--json'];
    const flags = ['--rewrite', ...test.flags];
    expect((await test.lab.run(...search)).json()).not.toHaveProperty('rewritten');
    expect((await test.lab.run(...search, ...flags)).json()).toMatchObject({
      rewritten: { wordings: ['we lost the ferry'], failure: null },
      episodes: [{ content: 'The ferry left without us.' }],
      usage: { calls: 1 },
    });
  });
});

describe('mnemis llm check', () => {
  it('reports how the model answers, how fast, and at what cost', async () => {
    await using test = await open();
    const { exitCode, out, err } = await test.check();
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toMatch(
      /^openai-compatible:m answers\n {2}asked by {4}JSON schema\n {2}time {8}\d+ ms\n {2}tokens {6}\d+ of the prompt, \d+ of the reply\n$/,
    );
    const json = (await test.check('--json')).json();
    expect(json).toMatchObject({
      model: 'openai-compatible:m',
      strategy: 'schema',
      correct: true,
      usage: { calls: 1, estimated: false },
    });
  });

  it('works with Ollama, settings from the environment and the file', async () => {
    await using test = await open({ refuses: ['schema'] });
    test.lab.file('mnemis.config.json', JSON.stringify({ llmProvider: 'ollama', llmModel: 'qwen3' }));
    test.lab.env.MNEMIS_LLM_BASE_URL = test.server.url;
    test.lab.env.MNEMIS_LLM_CONTEXT_TOKENS = '2048';
    const run = await test.lab.run('llm', 'check');
    expect(run).toMatchObject({ exitCode: 0, out: expect.stringContaining('tool call') });
    expect(test.server.requests.at(-1)).toMatchObject({
      path: '/api/chat',
      body: { options: { num_ctx: 2048 } },
    });
  });

  it('fails if the model does not understand', async () => {
    await using test = await open({ reply: () => ({ city: 'Paris' }) });
    expect(await test.check()).toMatchObject({
      exitCode: 1,
      out: expect.stringContaining('The answer is wrong'),
    });
  });

  it.each<[what: string, options: ScriptedServerOptions, code: string]>([
    ['an unknown model', { models: ['other'] }, 'unknown-model'],
    ['a key that is wanted', { apiKey: 'another' }, 'model-key'],
    [
      'a server in trouble',
      { storm: { probability: 1, seed: 1, faults: [{ kind: 'server-error' }] } },
      'model-unavailable',
    ],
    ['replies of another shape', { reply: () => ({ town: 'Oslo' }) }, 'malformed-reply'],
  ])('says what is wrong with %s', async (_what, options, code) => {
    await using test = await open(options);
    const run = await test.check('--json');
    expect(run.exitCode).toBe(1);
    expect(run.json()).toMatchObject({ error: { code } });
  });

  it('keeps to the token budget', async () => {
    await using test = await open();
    const run = await test.check('--llm-token-budget', '20');
    expect(run).toMatchObject({ exitCode: 1, err: expect.stringContaining('The token budget is used up') });
    expect(test.server.requests).toHaveLength(0);
  });

  it('says that the server cannot be reached', async () => {
    const test = await open();
    const { url } = test.server;
    await test.server[Symbol.asyncDispose]();
    const run = await test.check();
    expect(run).toMatchObject({
      exitCode: 1,
      out: '',
      err: `mnemis: The server of openai-compatible:m at ${url}/v1 cannot be reached; start it, or check the base URL (ECONNREFUSED, 2 attempts). What was done before is kept.\n`,
    });
    test.lab[Symbol.dispose]();
  });

  it.each<[says: string, argv: string[]]>([
    ['--llm-provider ollama --llm-model qwen3', []],
    ['llmModel is not set', ['--llm-provider', 'ollama']],
    ['llmBaseUrl is not set', ['--llm-provider', 'openai-compatible', '--llm-model', 'm']],
    [
      'llmProvider (flag --llm-provider) is not valid: it must be one of: none, openai',
      ['--llm-provider', 'x'],
    ],
    ['llmBaseUrl (flag --llm-base-url) is not valid: it must be an http', ['--llm-base-url', 'localhost']],
    ['It must be a whole number', ['--llm-concurrency', 'many']],
  ])('rejects settings with exit code 2: %s', async (says, argv) => {
    using lab = new CommandLab();
    expect(await lab.run('llm', 'check', ...argv)).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining(says),
    });
  });

  it('reports a forbidden port as unreachable', async () => {
    using lab = new CommandLab();
    const flags = ['--llm-provider', 'openai-compatible', '--llm-model', 'm'];
    const run = await lab.run('llm', 'check', ...flags, '--llm-base-url', 'http://127.0.0.1:9/v1');
    expect(run).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('at http://127.0.0.1:9/v1 cannot be reached; start it'),
    });
    expect(run.err).toContain('(BLOCKED_PORT, 2 attempts)');
  });

  it('needs a key for OpenAI, and names the variables that it reads', async () => {
    using lab = new CommandLab();
    const flags = ['--llm-provider', 'openai', '--llm-model', 'm'];
    const run = await lab.run('llm', 'check', ...flags);
    expect(run).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('set MNEMIS_LLM_API_KEY or OPENAI_API_KEY in the environment'),
    });
    lab.env.OPENAI_API_KEY = KEY;
    const gateway = await lab.run('llm', 'check', ...flags, '--llm-base-url', 'http://127.0.0.1:9/v1');
    expect(gateway).toMatchObject({ exitCode: 2, err: expect.stringContaining('set MNEMIS_LLM_API_KEY in') });
    expect(gateway.err).not.toContain(KEY);
  });
});

describe('the key of the language model', () => {
  it('comes from the environment and is shown nowhere', async () => {
    await using test = await open({ apiKey: KEY });
    test.lab.env.MNEMIS_LLM_API_KEY = KEY;
    const runs = [await test.check(), await test.check('--json'), await test.lab.run('config')];
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    const json = await test.lab.run('config', '--json');
    expect(json.json()).toMatchObject({ secrets: { MNEMIS_LLM_API_KEY: 'set' } });
    for (const { out, err } of [...runs, json]) expect(out + err).not.toContain(KEY);
    test.lab.env.MNEMIS_LLM_API_KEY = '';
    expect((await test.lab.run('config', '--json')).json()).toMatchObject({
      secrets: { MNEMIS_LLM_API_KEY: 'not set' },
    });
  });

  it('is not OpenAI’s key for another server', async () => {
    await using test = await open();
    test.lab.env.OPENAI_API_KEY = KEY;
    await test.check();
    await test.check('--llm-provider', 'openai');
    expect(JSON.stringify(test.server.requests)).not.toContain(KEY);
    const config = await test.lab.run('config', '--llm-provider', 'openai', '--json');
    expect(config.json()).toMatchObject({ secrets: { MNEMIS_LLM_API_KEY: 'set' } });
  });

  it('is rejected in the settings file, without being repeated', async () => {
    using lab = new CommandLab();
    lab.file('mnemis.config.json', JSON.stringify({ llmApiKey: KEY }));
    const { exitCode, out, err } = await lab.run('config');
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toContain('it sets "llmApiKey"');
    expect(err).not.toContain(KEY);
  });
});
