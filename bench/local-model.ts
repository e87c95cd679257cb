import { readdirSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { percentile } from '../eval/metrics/numbers.ts';
import { ModelHost } from '../src/inference/llama/model-host.ts';
import { CONTEXT_TOKENS, directRuntime } from './direct-runtime.ts';

interface Speed {
  readonly promptTokensPerSecond: number;
  readonly replyTokensPerSecond: number;
}

export interface LocalModelReport {
  /** Seconds are of the processor, of all processes together, so that other programs count little; or of the wall. */
  readonly clock: 'processor' | 'wall';
  /** The runtime called in this process, and the same through the host of models: medians of all rounds. */
  readonly direct: Speed;
  readonly host: Speed;
  /** Median of host by direct, round by round. */
  readonly share: Speed;
  /** How many times faster the host reads a prompt whose first nine tenths, or first half, it read just before. */
  readonly prefixReuse: { readonly nineTenths: number; readonly half: number };
  /** Resident memory of the model's process after a tenth of the calls, and at its largest. */
  readonly megabytes: { readonly calls: number; readonly early: number; readonly most: number };
}

const REPLY_TOKENS = 24;
const LINES = 20;
/** Linux counts processor time in hundredths of a second. */
const TICK = 0.01;
const isLinux = process.platform === 'linux';

/** A prompt of some 450 tokens; those of the same seed are equal up to a share of their lines. */
function promptOf(seed: string, ending = seed, same = 0): string {
  const lines = Array.from({ length: LINES }, (_, line) => {
    const name = line < same * LINES ? seed : ending;
    return `${name} ${line}: the boat number ${line * 7} left the harbour near the canal with my sister.`;
  });
  return `${lines.join('\n')}\nRetell it.`;
}

/**
 * Compares the host of models with the runtime called directly, with the same threads and priority, by turns in one
 * run; then makes calls under a grammar to see whether the process grows.
 *
 * @param file - A GGUF file; the package `node-llama-cpp` is installed beside Mnemis.
 */
export async function benchLocalModel(
  file: string,
  { rounds, calls }: { readonly rounds: number; readonly calls: number },
): Promise<LocalModelReport> {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL); // that of the model's process
  const askDirect = await directly(file);
  await using host = new ModelHost({ name: 'local:bench', file, contextTokens: CONTEXT_TOKENS });
  const signal = new AbortController().signal;
  const askHost = async (
    content: string,
    mostTokens: number,
    schema: Record<string, unknown> | null = null,
  ) => {
    const started = seconds();
    let first = 0;
    const turns = [{ role: 'user' as const, content }];
    const request = { turns, schema, temperature: 0, seed: 42, mostTokens, stops: [] };
    const reply = await host.generate(request, signal, () => {
      first ||= seconds() - started;
    });
    return { ...reply, first, whole: seconds() - started };
  };
  const timedHost = async (content: string): Promise<Speed> => {
    const { promptTokens, cachedPromptTokens, completionTokens, ...times } = await askHost(
      content,
      REPLY_TOKENS,
    );
    return speedOf(promptTokens - cachedPromptTokens, completionTokens, times);
  };
  await host.load();
  const pairs: { readonly direct: Speed; readonly host: Speed }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const pair = {
      direct: await askDirect(promptOf(`D${round}`)),
      host: await timedHost(promptOf(`H${round}`)),
    };
    if (round > 0) pairs.push(pair); // the first warms both up
    note(pair);
  }
  const reuse = async (same: number) => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const seed = `P${same}-${round}`;
      const cold = await askHost(promptOf(seed), 2);
      const warm = await askHost(promptOf(seed, `${seed}x`, same), 2);
      times.push(cold.first / warm.first);
    }
    return median(times);
  };
  const prefixReuse = { nineTenths: await reuse(0.9), half: await reuse(0.5) };
  note(prefixReuse);
  const word = { type: 'string', maxLength: 12 };
  const schema = { type: 'object', properties: { words: { type: 'array', maxItems: 3, items: word } } };
  let [early, most] = [0, 0];
  for (let call = 1; call <= calls; call++) {
    const words = promptOf(`C${call}`).slice(0, 40 + ((call * 37) % 200));
    most = Math.max(most, (await askHost(words, 6, schema)).memoryBytes / 1e6);
    if (call <= calls / 10) early = most;
    if (call % 50 === 0) note({ call, most });
  }
  return {
    clock: isLinux ? 'processor' : 'wall',
    direct: medians(pairs.map(({ direct }) => direct)),
    host: medians(pairs.map((pair) => pair.host)),
    share: medians(pairs.map(shareOf)),
    prefixReuse,
    megabytes: { calls, early: Math.round(early), most: Math.round(most) },
  };
}

/** Asks the runtime in this process. */
async function directly(file: string): Promise<(content: string) => Promise<Speed>> {
  const { sequence, chat } = await directRuntime(file);
  return async (content) => {
    const { tokenMeter } = sequence;
    const { usedInputTokens, usedOutputTokens } = tokenMeter;
    const started = seconds();
    let first = 0;
    await chat.generateResponse([{ type: 'user', text: content }], {
      signal: new AbortController().signal,
      stopOnAbortSignal: true,
      maxTokens: REPLY_TOKENS,
      temperature: 0,
      seed: 42,
      customStopTriggers: [],
      onResponseChunk: () => {
        first ||= seconds() - started;
      },
    });
    const [read, written] = [
      tokenMeter.usedInputTokens - usedInputTokens,
      tokenMeter.usedOutputTokens - usedOutputTokens,
    ];
    return speedOf(read, written, { first, whole: seconds() - started });
  };
}

/** Of the processor, for this process and its children; of the wall where the system does not tell. */
function seconds(): number {
  if (!isLinux) return performance.now() / 1_000;
  const { user, system } = process.cpuUsage();
  const children = readdirSync('/proc/self/task').flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  );
  return (user + system) / 1e6 + children.reduce((sum, child) => sum + TICK * ticksOf(child), 0);
}

/** 0 for a process that has ended. */
function ticksOf(child: string): number {
  try {
    const fields = readFileSync(`/proc/${child}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}

/** The first token of a reply belongs to the time of its prompt. */
function speedOf(read: number, written: number, { first, whole }: { first: number; whole: number }): Speed {
  return { promptTokensPerSecond: read / first, replyTokensPerSecond: (written - 1) / (whole - first) };
}

function shareOf({ direct, host }: { readonly direct: Speed; readonly host: Speed }): Speed {
  return {
    promptTokensPerSecond: host.promptTokensPerSecond / direct.promptTokensPerSecond,
    replyTokensPerSecond: host.replyTokensPerSecond / direct.replyTokensPerSecond,
  };
}

function medians(speeds: readonly Speed[]): Speed {
  return {
    promptTokensPerSecond: median(speeds.map((speed) => speed.promptTokensPerSecond)),
    replyTokensPerSecond: median(speeds.map((speed) => speed.replyTokensPerSecond)),
  };
}

function median(values: readonly number[]): number {
  return Math.round(percentile([...values], 50)! * 100) / 100;
}

function note(progress: object): void {
  process.stderr.write(`${JSON.stringify(progress)}\n`);
}
