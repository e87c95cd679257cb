import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { endpointModels, keyHeaders } from '../../../../main/assistant/settings/endpoint-models.ts';
import { settingsHandlers } from '../../../../main/assistant/settings/settings-handlers.ts';
import { ScriptedOpenAiServer } from '../../../fakes/openai-server/scripted-openai-server.ts';
import { AppPartLab } from '../app-part-lab.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** The address of a server that answers like this. */
async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const compatible = (baseUrl: string) => ({ provider: 'openai-compatible', baseUrl }) as const;
const failing = (problem: string) => expect.objectContaining({ code: 'endpoint', reason: problem });

const breakingOff: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-length': 9 });
  response.write('{', () => response.destroy());
};

describe('endpointModels', () => {
  it('lists the models of both protocols, sorted', async () => {
    await using server = await ScriptedOpenAiServer.start({ models: ['qwen3', 'gemma3', 'qwen3'] });
    expect(await endpointModels(compatible(`${server.url}/v1`))).toEqual(['gemma3', 'qwen3']);
    expect(await endpointModels(compatible(`${server.url}/v1/`))).toEqual(['gemma3', 'qwen3']);
    expect(await endpointModels({ provider: 'ollama', baseUrl: server.url })).toEqual(['gemma3', 'qwen3']);
    expect(server.requests[0]!.headers.authorization).toBeUndefined();
  });

  it('skips entries that are no models', async () => {
    const data = [{ id: 'one', more: 1 }, { id: '' }, 'two', null, { name: 'three' }];
    const url = await serving((_, response) => response.end(JSON.stringify({ data })));
    expect(await endpointModels(compatible(url))).toEqual(['one']);
  });

  it('sends the key of the environment where the language model would', async () => {
    await using server = await ScriptedOpenAiServer.start({ apiKey: 'sk-secret' });
    const endpoint = compatible(`${server.url}/v1`);
    await using lab = await AppPartLab.open({ environment: { MNEMIS_LLM_API_KEY: 'sk-secret' } });
    const { endpointModels: models } = settingsHandlers(lab.context);
    expect(await models(endpoint, {})).toEqual({ models: ['test-model'] });
    // OPENAI_API_KEY is for OpenAI’s own server.
    const environment = { OPENAI_API_KEY: 'sk-secret' };
    for (const provider of ['openai', 'openai-compatible', 'ollama'] as const) {
      const other = settingsHandlers({ ...lab.context, environment });
      await expect(other.endpointModels({ ...endpoint, provider }, {})).rejects.toMatchObject({
        code: 'model-key',
      });
    }
    expect(server.requests.slice(1).map(({ headers }) => headers.authorization)).toEqual(
      Array(3).fill(undefined),
    );
    const wrong = endpointModels({ ...endpoint, key: 'sk-wrong' });
    await expect(wrong).rejects.toMatchObject({
      code: 'model-key',
      message: expect.stringMatching(/^(?!.*sk-).*refused the key/),
    });
  });

  it('sends Anthropic its key in the header that its list of models wants, and others a bearer token', () => {
    expect(keyHeaders('https://api.anthropic.com/v1/models', 'k')).toMatchObject({ 'x-api-key': 'k' });
    for (const url of [
      'https://api.groq.com/openai/v1/models',
      'https://api.anthropic.com.example.org/models',
    ])
      expect(keyHeaders(url, 'k')).toEqual({ authorization: 'Bearer k' });
    expect(keyHeaders('https://api.anthropic.com/v1/models', undefined)).toEqual({});
  });

  it('says that nothing runs there', async () => {
    const url = await serving(() => undefined);
    servers.pop()!.close();
    await expect(endpointModels(compatible(url))).rejects.toThrow('cannot be reached (ECONNREFUSED)');
  });

  it.each<[string, string, RequestListener]>([
    ['protocol', 'a page', (_, response) => response.end('<html>')],
    ['protocol', 'other JSON', (_, response) => response.end('{"object":"list"}')],
    ['protocol', 'status 404', (_, response) => response.writeHead(404).end()],
    ['fault', 'status 503', (_, response) => response.writeHead(503).end()],
    ['long', 'a list without end', (_, response) => response.end(`{"data":[${'1,'.repeat(5_000)}1]}`)],
    ['unreachable', 'a redirection', (_, response) => response.writeHead(302, { location: '/v1' }).end()],
    ['unreachable', 'a broken reply', breakingOff],
    ['late', 'silence', () => undefined],
    ['late', 'an unfinished reply', (_, response) => void response.writeHead(200).write('{')],
  ])('fails as %s with %s', async (problem, _, answer) => {
    const url = await serving(answer);
    const limits = { milliseconds: 200, bytes: 5_000 };
    await expect(endpointModels(compatible(url), limits)).rejects.toEqual(failing(problem));
  });

  it('can be cancelled', async () => {
    const url = await serving(() => undefined);
    const stop = new AbortController();
    const models = endpointModels(compatible(url), { signal: stop.signal });
    stop.abort();
    await expect(models).rejects.toMatchObject({ code: 'cancelled' });
  });

  it.each(['ftp://host', 'localhost:1234', 'http://me:secret@host', 'file:///etc/passwd', ' '])(
    'takes http addresses without credentials only: %s',
    async (baseUrl) => {
      const models = endpointModels(compatible(baseUrl));
      await expect(models).rejects.toMatchObject({
        code: 'invalid-input',
        message: expect.not.stringContaining('secret'),
      });
    },
  );
});

describe('testModel', () => {
  it('asks one question, and says how the model answered', async () => {
    await using server = await ScriptedOpenAiServer.start({
      reply: () => ({ city: 'Oslo' }),
      guessesTokens: true,
    });
    await using lab = await AppPartLab.open();
    const { testModel } = settingsHandlers(lab.context);
    const endpoint = { ...compatible(`${server.url}/v1`), model: 'test-model' };
    const tested = await testModel(endpoint, {});
    expect(tested).toMatchObject({ model: 'openai-compatible:test-model', isCorrect: true, way: 'schema' });
    expect(tested.milliseconds).toBeGreaterThan(0);
    server.enqueue({ says: { city: 'Rome' } });
    expect(await testModel(endpoint, {})).toMatchObject({
      isCorrect: false,
    });
  });

  it.each([
    [['schema'], 'tool'],
    [['schema', 'tool'], 'json'],
    [['schema', 'tool', 'json'], 'plain'],
  ] as const)('goes on to what a server without %j knows, and says it', async (refuses, way) => {
    await using server = await ScriptedOpenAiServer.start({
      ...{ refuses, reply: () => ({ city: 'Oslo' }), guessesTokens: true },
    });
    await using lab = await AppPartLab.open();
    const { testModel } = settingsHandlers(lab.context);
    const endpoint = { ...compatible(`${server.url}/v1`), model: 'test-model' };
    expect(await testModel(endpoint, {})).toMatchObject({ isCorrect: true, way });
  });

  it('accepts a model that only writes prose, and says so', async () => {
    await using server = await ScriptedOpenAiServer.start({
      ...{ reply: () => 'She moved to Oslo, of course.', guessesTokens: true },
    });
    await using lab = await AppPartLab.open();
    const { testModel } = settingsHandlers(lab.context);
    const endpoint = { ...compatible(`${server.url}/v1`), model: 'test-model' };
    expect(await testModel(endpoint, {})).toMatchObject({ isCorrect: true, way: 'prose' });
  });

  it('fails with what is wrong', async () => {
    await using server = await ScriptedOpenAiServer.start({
      ...{ models: ['test-model'], apiKey: 'sk-secret', guessesTokens: true },
    });
    await using lab = await AppPartLab.open();
    const { testModel } = settingsHandlers(lab.context);
    const endpoint = { ...compatible(`${server.url}/v1`), model: 'test-model' };
    await expect(testModel(endpoint, {})).rejects.toMatchObject({ code: 'model-key' });
    await expect(testModel({ ...endpoint, model: undefined }, {})).rejects.toMatchObject({
      code: 'invalid-input',
    });
    await expect(testModel({ ...endpoint, baseUrl: 'ftp://host' }, {})).rejects.toMatchObject({
      code: 'invalid-input',
    });
    const openAi = { provider: 'openai', model: 'gpt' } as const;
    await expect(testModel(openAi, {})).rejects.toMatchObject({ code: 'model-key', reason: 'missing' });
  });
});
