import { dirname } from 'node:path';
import { percentile } from '../eval/metrics/numbers.ts';
import { appContext } from '../main/assistant/app.ts';
import { findEverything } from '../main/assistant/conversations/find-everything.ts';
import { AppStore } from '../main/assistant/store/app-store.ts';
import { NO_DETAILS } from '../main/assistant/store/message-table.ts';
import { resolveConfig } from '../main/config.ts';
import type { Scope } from '../src/model/ids.ts';
import { KuzuStore } from '../src/store/kuzu/kuzu-store.ts';
import { type BrowseMemory, writeBrowseMemory } from './browse-memory.ts';
import { calibrate } from './calibration.ts';
import { randomNumbers, wordOf } from './synthetic-turns.ts';
import { inTemporaryFolder, openBench, round } from './temporary-memory.ts';

const SCOPE = 'default';
const QUERIES = 200;
const DIMENSION = 256;

interface FindBench extends BrowseMemory {
  /** Of chats of the app. */
  readonly messages: number;
}

/**
 * The app's search over everything, as the palette asks it: each query is typed to some length, of one to five words of
 * the memory. Measured in the engine's process, from the request to the ranked hits with their texts, on a warm memory in
 * a file. Beside the time waited stands the time of processors used, which other programs do not lengthen.
 */
export async function benchFind({ messages, ...memory }: FindBench) {
  const calibration = await calibrate();
  return inTemporaryFolder(async (path) => {
    const store = await KuzuStore.open({ path });
    await writeBrowseMemory(store, SCOPE as Scope, memory);
    await store.close();
    const engine = await openBench(path, DIMENSION, { isAutomatic: false });
    const own = await AppStore.open(path);
    try {
      writeMessages(own, messages);
      const folder = dirname(path);
      const config = resolveConfig({ flags: { path }, environment: {}, folder }).values;
      const logger = { warn: () => undefined };
      const context = appContext({ engine, store: own, config, folder, logger, environment: {} });
      const queries = queriesOf(memory.turns);
      const begun = performance.now();
      await findEverything(context, { query: 'anything at all' });
      const firstMs = performance.now() - begun;
      for (const query of queries.slice(0, 20)) await findEverything(context, { query });
      const times: number[] = [];
      const used: number[] = [];
      let hits = 0;
      for (const query of queries) {
        const started = performance.now();
        const before = process.cpuUsage();
        hits += (await findEverything(context, { query })).length;
        times.push(performance.now() - started);
        const { user, system } = process.cpuUsage(before);
        used.push((user + system) / 1_000);
      }
      const of = (values: readonly number[]) => ({
        p50: round(percentile(values, 50)!),
        p95: round(percentile(values, 95)!),
      });
      const figures = { waitedMs: of(times), processorMs: of(used), hits: hits / QUERIES };
      return { ...memory, messages, firstMs: round(firstMs), ...figures, calibration };
    } finally {
      await own.close();
      await engine.close();
    }
  });
}

const nameOf = (number: number) => wordOf(number).replace(/^./, (letter) => letter.toUpperCase());

function queriesOf(turns: number): string[] {
  const random = randomNumbers(11);
  return Array.from({ length: QUERIES }, (_, at) => {
    const turn = Math.floor(random() * turns);
    const words = [nameOf(turn % 997), 'talked', 'about', wordOf(turn % 4_999)];
    const kinds = [
      words[0]!,
      words[3]!,
      words.slice(2).join(' '),
      words.join(' '),
      `the ${words.slice(1).join(' ')}`,
    ];
    const query = kinds[at % kinds.length]!;
    return at % 2 === 0 ? query : query.slice(0, Math.max(2, query.length - 2));
  });
}

function writeMessages({ conversations, messages, file }: AppStore, count: number): void {
  const random = randomNumbers(13);
  file.transaction(() => {
    for (let at = 0; at < count; at++) {
      const conversation = `chat-${Math.floor(at / 20)}`;
      if (at % 20 === 0) conversations.create(conversation, { scope: SCOPE, folder: null, at });
      const text = `${nameOf(Math.floor(random() * 997))} wrote about ${wordOf(Math.floor(random() * 4_999))}.`;
      const place = { id: `message-${at}`, conversation, parent: null, memoryKey: `message-${at}`, at };
      messages.insert({ ...NO_DETAILS, ...place, role: 'user', text, state: 'complete' });
    }
  });
}
