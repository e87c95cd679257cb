import { once } from 'node:events';
import { join } from 'node:path';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
import { ModelProcesses, modelsByMain } from '../../../main/desktop/model-processes.ts';
import { ModelHost } from '../../../src/inference/llama/model-host.ts';
import { serveModel } from '../../../src/inference/llama/process/serve-model.ts';
import {
  type StartModelProcess,
  startChildProcess,
} from '../../../src/inference/llama/process/start-model-process.ts';

const RUNTIME = join(import.meta.dirname, '../../inference/llama/scripted-runtime.ts');
const never = new AbortController().signal;
const open: (() => void)[] = [];

afterEach(() => {
  for (const close of open.splice(0)) close();
});

const wireOf = (port: MessagePort) => ({
  post: (message: unknown) => port.postMessage(message),
  subscribe: (listener: (message: unknown) => void) => {
    port.on('message', listener);
    return () => void port.off('message', listener);
  },
});

/** An engine and the app's main process, with a channel between them as Electron has it. */
function desktop(start: StartModelProcess) {
  const { port1, port2 } = new MessageChannel();
  const main = new ModelProcesses(start, (notice) => port2.postMessage(notice));
  const others: unknown[] = [];
  port2.on('message', (message) => void (main.receive(message) || others.push(message)));
  const host = new ModelHost({
    name: 'local:scripted',
    file: 'roomy.gguf',
    contextTokens: 1_024,
    runtime: RUNTIME,
    start: modelsByMain(wireOf(port1)),
  });
  open.push(() => {
    port1.close();
    main.close();
  });
  return { host, main, port1, others };
}

function request(said: string) {
  const turns = [{ role: 'user' as const, content: said }];
  return { turns, schema: null, temperature: 0, seed: 1, mostTokens: 40, stops: [] };
}

/** A model over a message port, in place of Electron's. */
const startOnPort: StartModelProcess = ({ onMessage }) => {
  const { port1, port2 } = new MessageChannel();
  serveModel(wireOf(port2));
  port1.on('message', onMessage);
  return { post: (message) => port1.postMessage(message), kill: () => port1.close(), hold: () => undefined };
};

test('a model that the main process starts loads, streams, counts and is cancelled', async () => {
  const { host } = desktop(startOnPort);
  const pieces: string[] = [];
  const reply = await host.generate(request('think Oslo it is'), never, (piece) => pieces.push(piece));
  expect(reply).toMatchObject({ text: 'Oslo it is', reasoning: 'because', end: 'stop' });
  expect(pieces).toEqual(['Oslo ', 'it ', 'is']);
  expect(await host.countTokens('three words here')).toBe(3);
  const controller = new AbortController();
  const running = host.generate(request('endless'), controller.signal, () =>
    controller.abort(new Error('stop')),
  );
  await expect(running).rejects.toThrow('stop');
  expect((await host.generate(request('say next'), never)).text).toBe('next');
  await host.close();
});

test('the end of a model fails its calls, the end of the engine ends its models', async () => {
  const kill = vi.fn();
  const start: StartModelProcess = (listeners) => {
    const child = startChildProcess(listeners);
    const killBoth = () => {
      kill();
      child.kill();
    };
    return { ...child, kill: killBoth };
  };
  const { host, main } = desktop(start);
  await expect(host.generate(request('crash'), never)).rejects.toThrow('SIGKILL');
  expect((await host.generate(request('say again'), never)).text).toBe('again');
  const before = kill.mock.calls.length;
  main.close();
  expect(kill.mock.calls.length).toBe(before + 1);
});

test('what is not about models goes on to the app; what is malformed starts nothing', async () => {
  const start = vi.fn();
  const { port1, others } = desktop(start);
  port1.postMessage({ type: 'ready' });
  port1.postMessage({ type: 'model-start', model: 'one' });
  port1.postMessage({ type: 'model-post', model: 7, message: {} });
  const { port1: probe, port2: echo } = new MessageChannel();
  echo.postMessage('later');
  await once(probe, 'message');
  await expect.poll(() => others).toEqual([{ type: 'ready' }, { type: 'model-start', model: 'one' }]);
  expect(start).not.toHaveBeenCalled();
  probe.close();
});
