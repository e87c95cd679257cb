import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MnemisError } from '../../../src/errors/index.ts';
import { ChatLanguageModel } from '../../../src/inference/language-model/chat-language-model.ts';
import type { Fault } from '../../fakes/openai-server/script.ts';
import { BACKENDS, KEY, openLab, PEOPLE } from './model-lab.ts';

/** In the prompt, and echoed by the server wherever possible. */
const PRIVATE = 'Philomena Quackenbush';

const echo = {
  message: `Bad request with ${KEY} about ${PRIVATE}`,
  code: `${KEY} ${PRIVATE}`,
  type: PRIVATE,
};
const FAULTS: readonly Fault[] = [
  { kind: 'rate-limit' },
  { kind: 'server-error' },
  { kind: 'hang' },
  { kind: 'reset' },
  { kind: 'cut' },
  { kind: 'quiet-cut' },
  { kind: 'garbled-body' },
  { kind: 'no-choices' },
  { kind: 'malformed-json' },
  { kind: 'wrong-schema' },
  { kind: 'refusal' },
  { kind: 'filtered' },
  { kind: 'truncated', part: 0.3 },
  { kind: 'empty' },
  { kind: 'refuse', status: 400, error: { ...echo, code: KEY } },
  ...[400, 401, 402, 403, 404, 409, 413, 418, 422, 429, 500, 503].map(
    (status): Fault => ({ kind: 'refuse', status, error: echo }),
  ),
];

/** Every representation of a value that a log could show. */
function shown(value: unknown): string {
  const parts = [inspect(value, { depth: 20, showHidden: true }), JSON.stringify(value) ?? ''];
  if (value instanceof Error) parts.push(String(value), value.stack ?? '', JSON.stringify({ ...value }));
  return parts.join('\n');
}

function expectClean(text: string): void {
  expect(text).not.toContain(KEY);
  expect(text).not.toContain(PRIVATE);
}

const written: unknown[][] = [];
beforeEach(() => {
  written.length = 0;
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const)
    vi.spyOn(console, method).mockImplementation((...parts) => void written.push(parts));
});
afterEach(() => vi.restoreAllMocks());

describe.each(Object.keys(BACKENDS))('over %s, the key and the text never appear', (backend) => {
  it.each(FAULTS)('with $kind $status', async (fault) => {
    const storm = { probability: 1, seed: 1, faults: [fault] };
    const reply = () => ({ people: [{ name: PRIVATE, age: PRIVATE }] });
    const limits = { timeout: fault.kind === 'hang' ? 150 : 20_000, retry: { attempts: 2 } };
    await using lab = await openLab(backend, { ...limits, server: { storm, reply } });
    const errors = await Promise.all([
      lab.model.structured(PEOPLE, PRIVATE).catch((error: unknown) => error),
      lab.model.text(PEOPLE, PRIVATE, { onText: () => undefined }).catch((error: unknown) => error),
    ]);
    for (const error of errors) {
      if (error instanceof Error) expect(MnemisError.isInstance(error)).toBe(true);
      if (error instanceof Error) expectClean(shown(error));
    }
    // The key was sent, so that it could have leaked.
    if (fault.kind !== 'hang') expect(lab.server.requests[0]?.headers.authorization).toContain(KEY);
    expectClean(shown(lab.model));
    expectClean(shown(written));
  });
});

it('errors about an unreachable server, a model, a backend do not show them', async () => {
  for (const [name, make] of Object.entries(BACKENDS)) {
    const lab = await openLab(name, { retry: { attempts: 1 } });
    await lab[Symbol.asyncDispose]();
    expectClean(shown(await lab.model.structured(PEOPLE, PRIVATE).catch((error: unknown) => error)));
    const backend = make({ url: 'http://127.0.0.1:1' } as typeof lab.server);
    expectClean(shown(backend) + shown(new ChatLanguageModel(backend)));
  }
  expectClean(shown(written));
});
