import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EngineSupervisor, RestartPolicy, STOP } from '../../../main/desktop/engine-supervisor.ts';
import { type Override, PortRelay } from '../../../main/desktop/port-relay.ts';

/** A supervisor and a relay over processes that the test plays. */
function lab(overrides: Readonly<Record<string, Override>> = {}) {
  const processes: Played[] = [];
  const supervisor: EngineSupervisor = new EngineSupervisor(
    {
      start: ({ onMessage, onExit }) => {
        const posted: unknown[] = [];
        const played = { posted, isKilled: false, say: onMessage, exit: onExit };
        processes.push(played);
        return {
          post: (message) => void posted.push(message),
          kill: () => {
            played.isKilled = true;
            onExit(null);
          },
        };
      },
    },
    {
      onReply: (message) => relay.onReply(message),
      onReady: () => relay.onReady(),
      onLost: () => relay.onLost(),
      onFailed: (error) => relay.onFailed(error),
    },
  );
  const ended: string[] = [];
  const relay = new PortRelay(supervisor, overrides, (method) => void ended.push(method));
  const heard: unknown[] = [];
  const window = { post: (message: unknown) => void heard.push(message) };
  return { processes, supervisor, relay, window, heard, ended };
}

interface Played {
  readonly posted: unknown[];
  isKilled: boolean;
  readonly say: (message: unknown) => void;
  readonly exit: (code: number | null) => void;
}

const ask = (id: number, method = 'health') => ({ id, type: 'request', method, input: '{}' });
const ready = { type: 'ready' };
const started = () => vi.advanceTimersByTime(10_000);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('RestartPolicy starts soon, then later, and at most so many times a minute', () => {
  let now = 0;
  const policy = new RestartPolicy({ most: 3, milliseconds: 60_000, pauses: [0, 500] }, () => now);
  expect([policy.next(), policy.next(), policy.next(), policy.next()]).toEqual([0, 500, 500, null]);
  now = 60_501;
  expect(policy.next()).toBe(0);
});

describe('the relay over a supervised engine', () => {
  it('says which requests have ended: replied to, cancelled, or lost', () => {
    const { processes, relay, window, ended } = lab();
    for (const [index, method] of ['forget', 'compact', 'search'].entries())
      relay.receive(window, ask(index + 1, method));
    started();
    const [engine] = processes;
    engine!.say(ready);
    const [first] = engine!.posted as { id: number }[];
    engine!.say({ id: first!.id, event: '{}' });
    expect(ended).toEqual([]);
    engine!.say({ id: first!.id, result: '{}' });
    relay.receive(window, { id: 2, type: 'cancel' });
    expect(ended).toEqual(['forget', 'compact']);
    engine!.exit(null);
    expect(ended).toEqual(['forget', 'compact', 'search']);
  });

  it('has an engine again after it was closed for an update that failed', async () => {
    const { processes, supervisor, relay, window } = lab();
    relay.receive(window, ask(1));
    started();
    processes[0]!.say(ready);
    const closed = supervisor.close();
    processes[0]!.exit(0);
    await closed;
    started();
    expect(processes).toHaveLength(1);
    supervisor.reopen();
    started();
    processes[1]!.say(ready);
    expect(supervisor.isReady).toBe(true);
  });

  it('keeps requests until the engine is ready, and gives each window its own replies', () => {
    const { processes, relay, window, heard } = lab();
    const other: unknown[] = [];
    const second = { post: (message: unknown) => void other.push(message) };
    relay.receive(window, ask(1));
    relay.receive(second, ask(1, 'scopes'));
    started();
    const [engine] = processes;
    expect([processes.length, engine!.posted]).toEqual([1, []]);
    engine!.say(ready);
    const [a, b] = engine!.posted as { id: number; method: string }[];
    expect([a!.method, b!.method]).toEqual(['health', 'scopes']);
    expect(a!.id).not.toBe(b!.id);
    engine!.say({ id: b!.id, result: '[]' });
    engine!.say({ id: a!.id, result: '{"pid":1}' });
    engine!.say({ id: 99, result: '{}' });
    expect([heard, other]).toEqual([[{ id: 1, result: '{"pid":1}' }], [{ id: 1, result: '[]' }]]);
  });

  it('answers what is lost with a crash, and starts another engine', () => {
    const { processes, relay, window, heard } = lab();
    relay.receive(window, ask(1));
    started();
    processes[0]!.say(ready);
    processes[0]!.exit(139);
    expect(heard).toMatchObject([{ id: 1, error: { code: 'engine-unreachable' } }]);
    relay.receive(window, ask(2));
    started();
    processes[1]!.say(ready);
    expect(processes[1]!.posted).toMatchObject([{ type: 'request' }]);
  });

  it('stops starting an engine that crashes again and again, and says so', () => {
    const { processes, relay, window, heard } = lab();
    relay.receive(window, ask(1));
    for (let crash = 0; crash < 5; crash++) {
      started();
      processes.at(-1)!.exit(1);
    }
    expect(processes).toHaveLength(5);
    expect(heard).toMatchObject([{ id: 1, error: { code: 'engine-crashes' } }]);
    vi.advanceTimersByTime(60_000);
    relay.receive(window, ask(2));
    started();
    expect(processes).toHaveLength(6);
  });

  it('passes on why an engine cannot start, and tries again with the next request', () => {
    const { processes, relay, window, heard } = lab();
    relay.receive(window, ask(1));
    started();
    processes[0]!.say({ type: 'failed', error: { code: 'invalid-setting', message: 'No.' } });
    processes[0]!.exit(0);
    expect(heard).toEqual([{ id: 1, error: { code: 'invalid-setting', message: 'No.' } }]);
    started();
    expect(processes).toHaveLength(1);
    relay.receive(window, ask(2));
    started();
    expect(processes).toHaveLength(2);
  });

  it('cancels what a window leaves, and passes on what it took', () => {
    const { processes, relay, window, heard } = lab();
    relay.receive(window, ask(1, 'appEvents'));
    started();
    processes[0]!.say(ready);
    const [{ id }] = processes[0]!.posted as [{ id: number }];
    processes[0]!.say({ id, event: '{"type":"folders"}' });
    relay.receive(window, { id: 1, type: 'taken' });
    relay.leave(window);
    expect(processes[0]!.posted.slice(1)).toEqual([
      { id, type: 'taken' },
      { id, type: 'cancel' },
    ]);
    processes[0]!.say({ id, event: '{"type":"folders"}' });
    expect(heard).toEqual([{ id: 1, event: '{"type":"folders"}' }]);
  });

  it('ignores what is no request, and refuses more than may wait', () => {
    const { relay, window, heard } = lab();
    for (const message of [null, 'x', {}, { id: 'x', type: 'request' }, { ...ask(1), more: 1 }])
      relay.receive(window, message);
    for (let id = 0; id < 257; id++) relay.receive(window, ask(id));
    expect(heard).toMatchObject([{ id: 256, error: { code: 'engine-busy' } }]);
  });

  it('carries out overrides, with the engine’s reply where they ask for it', async () => {
    const { processes, relay, window, heard } = lab({
      settings: async (input, forward) => ({ ...((await forward(input)) as object), more: true }),
      saveKey: async () => ({ isSet: true }),
    });
    relay.receive(window, ask(1, 'settings'));
    relay.receive(window, ask(2, 'saveKey'));
    relay.receive(window, ask(3, 'toString'));
    await vi.advanceTimersByTimeAsync(100);
    processes[0]!.say(ready);
    const posted = processes[0]!.posted as { id: number; method: string }[];
    expect(posted.map(({ method }) => method)).toEqual(['settings', 'toString']);
    processes[0]!.say({ id: posted[0]!.id, result: '{"k":1}' });
    await vi.advanceTimersByTimeAsync(0);
    expect(heard).toEqual([
      { id: 2, result: '{"isSet":true}' },
      { id: 1, result: '{"k":1,"more":true}' },
    ]);
  });

  it('restarts with a request to stop, and ends for good', async () => {
    const { processes, supervisor } = lab();
    supervisor.want();
    started();
    processes[0]!.say(ready);
    supervisor.restart();
    expect(processes[0]!.posted).toEqual([STOP]);
    processes[0]!.exit(0);
    started();
    processes[1]!.say(ready);
    const closed = supervisor.close();
    await vi.advanceTimersByTimeAsync(15_000);
    await closed;
    expect([processes[1]!.isKilled, processes.length]).toEqual([true, 2]);
  });
});
