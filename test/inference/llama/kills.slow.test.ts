import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { randomNumbers } from '../../../eval/metrics/random-numbers.ts';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { Mnemis } from '../../../src/engine.ts';
import { localBackend } from '../../../src/inference/language-model/backends/local.ts';
import { ChatLanguageModel } from '../../../src/inference/language-model/chat-language-model.ts';
import { ModelHost } from '../../../src/inference/llama/model-host.ts';
import type { ModelProcess } from '../../../src/inference/llama/process/start-model-process.ts';
import { startChildProcess } from '../../../src/inference/llama/process/start-model-process.ts';

const KILLS = 50;
const TURNS = 6;

test('a model whose process is ended fifty times while turns are read loses nothing and gives nothing twice', async () => {
  const started: ModelProcess[] = [];
  const host = new ModelHost({
    name: 'local:scripted',
    file: 'roomy.gguf',
    contextTokens: 8_192,
    runtime: join(import.meta.dirname, 'scripted-runtime.ts'),
    start: (listeners) => {
      const process = startChildProcess(listeners);
      started.push(process);
      return process;
    },
  });
  const languageModel = new ChatLanguageModel(
    localBackend({ name: 'local:scripted', host, contextTokens: 8_192 }),
    {
      concurrency: 2,
      contextTokens: 8_192,
      strategies: ['schema'],
      retry: { attempts: 3, firstWait: 1 },
    },
  );
  const folder = await mkdtemp(join(tmpdir(), 'kills-'));
  const engine = await Mnemis.open({ path: join(folder, 'memory.sqlite'), languageModel });
  const memory = engine.scope('a');
  let kills = 0;
  let isRead = false;
  const random = randomNumbers(7);
  const killing = (async () => {
    while (!isRead && kills < KILLS) {
      await wait(20 + 200 * random());
      if (!host.isLoaded) continue;
      started.at(-1)!.kill();
      kills++;
    }
  })();
  let turns = 0;
  for (let session = 0; kills < KILLS; session++) {
    const said = Array.from({ length: TURNS }, (_, index) => ({
      speaker: index % 2 === 0 ? 'Ann' : 'Bob',
      content: `Boat number ${turns++} is mine since last year.`,
      session: `s${session}`,
      index,
      at: Date.UTC(2026, 0, 1 + session, 9, index),
    }));
    await memory.add(said);
    await read(memory);
  }
  await read(memory);
  isRead = true;
  await killing;
  const found: string[] = [];
  for (let after: string | undefined; ; ) {
    const { items, next } = await memory.list({ kind: 'fact', limit: 500, after });
    found.push(...items.map((item) => /number (\d+)/.exec(JSON.stringify(item))![1]!));
    if (next === null) break;
    after = next;
  }
  expect(new Set(found).size).toBe(turns);
  expect(found).toHaveLength(turns);
  await engine.close();
  await host.close();
});

/** Until no turn waits; each round asks again for what failed. */
async function read(memory: MemoryScope): Promise<void> {
  for (let round = 0; round < 200; round++) {
    await Promise.resolve(memory.resume({ retry: true })).catch(() => undefined);
    const { pending, setAside } = (await memory.stats()).enrichment;
    if (pending + setAside === 0) return;
  }
  throw new Error('turns are left unread');
}
