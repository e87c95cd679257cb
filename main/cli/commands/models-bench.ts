import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { chatModelFile, chatModelNamed } from '../../../src/inference/llama/chat-models.ts';
import { keepSpeed } from '../../../src/inference/llama/kept-speed.ts';
import { ModelHost } from '../../../src/inference/llama/model-host.ts';
import type { GeneratedReply } from '../../../src/inference/llama/process/messages.ts';
import { withoutUndefined } from '../../../src/util/collections.ts';
import type { Config } from '../../config.ts';
import { llamaRuntime } from '../../llama-runtime.ts';
import { type CommandConsole, cancellable, type Terminal } from '../console.ts';
import { demoTurns } from '../demo/conversation.ts';

interface BenchSettings {
  readonly console: CommandConsole;
  readonly config: Config;
}

/** What a model does on this computer. */
export interface ModelBench {
  readonly device: string;
  readonly contextTokens: number;
  readonly loadSeconds: number;
  readonly promptTokensPerSecond: number;
  readonly replyTokensPerSecond: number;
  /** How many times faster a prompt is read whose first nine tenths were read before. */
  readonly prefixReuse: number;
  /** A question about 50 turns, with its search. */
  readonly questionSeconds: number;
  /** Reading 50 turns for facts, with this model. */
  readonly ingestionSeconds: number;
  /** Resident memory of the model's process. */
  readonly memoryBytes: number;
}

const TURNS = 50;
const REPLY_TOKENS = 64;
const CONTEXT_TOKENS = 8_192;

/** Adds `mnemis models bench`. */
export function benchCommand(
  command: Command,
  terminal: Terminal,
  begin: (flags: object) => BenchSettings,
): Command {
  return command
    .description('Measure a chat model on this computer: loading, tokens per second, a question, 50 turns.')
    .argument('<name>', 'a chat model of "mnemis models list", or the path of a .gguf file')
    .action((name: string, flags: object) =>
      cancellable(terminal, async (signal) => {
        const { console, config } = begin(flags);
        const file = chatModelFile(name.replace(/^local:/, ''), config.modelsFolder);
        const measured = await measure(file, { console, config }, signal);
        const listed = chatModelNamed(name.replace(/^local:/, ''));
        if (listed !== undefined)
          keepSpeed(join(config.modelsFolder, listed.name), { ...measured, at: Date.now() });
        console.result(measured, () => described(name, measured));
      }),
    );
}

async function measure(
  file: string,
  { console, config }: BenchSettings,
  signal: AbortSignal,
): Promise<ModelBench> {
  const host = new ModelHost({
    ...{ name: 'local:bench', file, contextTokens: CONTEXT_TOKENS, sequences: 1 },
    ...withoutUndefined({ runtime: llamaRuntime(console.terminal.env) }),
  });
  const reading = demoTurns().slice(0, TURNS);
  const text = reading.map(({ speaker, content }) => `${speaker}: ${content}`).join('\n');
  const timed = async (question: string, mostTokens: number) => {
    let first = 0;
    const started = performance.now();
    const turns = [{ role: 'user' as const, content: `${text}\n\n${question}` }];
    const request = { turns, schema: null, temperature: 0, seed: 42, mostTokens, stops: [] };
    const reply = await host.generate(request, signal, () => {
      first ||= performance.now() - started;
    });
    return { reply, first: first || performance.now() - started, whole: performance.now() - started };
  };
  try {
    console.note('Loading …');
    const { device, contextTokens, milliseconds } = await host.load();
    console.note('Reading and writing …');
    const cold = await timed('Who are they?', 1);
    const warm = await timed('Who are they then?', 1);
    const long = await timed('Retell it.', REPLY_TOKENS);
    await host.close();
    console.note(`Remembering ${TURNS} turns and answering …`);
    return {
      device,
      contextTokens,
      loadSeconds: milliseconds / 1000,
      promptTokensPerSecond: perSecond(cold.reply.promptTokens, cold.first),
      replyTokensPerSecond: perSecond(written(long.reply), long.whole - long.first),
      prefixReuse: cold.first / warm.first,
      memoryBytes: long.reply.memoryBytes,
      ...(await remembered(file, { config, environment: console.terminal.env }, signal)),
    };
  } finally {
    await host.close();
  }
}

/** The first token belongs to the time of the prompt. */
function written({ completionTokens }: GeneratedReply): number {
  return Math.max(0, completionTokens - 1);
}

async function remembered(
  file: string,
  { config, environment }: { readonly config: Config; readonly environment: Terminal['env'] },
  signal: AbortSignal,
) {
  const { Mnemis } = await import('../../../src/engine.ts');
  const { createLanguageModel } = await import('../../../src/inference/models/create-language-model.ts');
  const { closeModelHosts } = await import('../../../src/inference/llama/model-hosts.ts');
  const languageModel = createLanguageModel({
    provider: 'local',
    model: file,
    modelsFolder: config.modelsFolder,
    runtime: llamaRuntime(environment),
  });
  const folder = await mkdtemp(join(tmpdir(), 'mnemis-bench-'));
  const engine = await Mnemis.open({
    path: join(folder, 'bench.sqlite'),
    languageModel,
  });
  try {
    const memory = engine.scope('bench');
    const started = performance.now();
    for (const turn of demoTurns().slice(0, TURNS)) await memory.add(turn, { signal });
    await memory.flush({ signal });
    const read = performance.now();
    await memory.ask('Where does Nora live now?', { signal });
    return { ingestionSeconds: (read - started) / 1000, questionSeconds: (performance.now() - read) / 1000 };
  } finally {
    await engine.close();
    await closeModelHosts();
    await rm(folder, { recursive: true, force: true });
  }
}

function perSecond(tokens: number, milliseconds: number): number {
  return milliseconds <= 0 ? 0 : (tokens * 1000) / milliseconds;
}

function described(name: string, bench: ModelBench): string[] {
  const { device, contextTokens, loadSeconds, prefixReuse, questionSeconds, ingestionSeconds } = bench;
  return [
    `${name} on ${device}, ${contextTokens} tokens of context`,
    `  loading              ${loadSeconds.toFixed(1)} s`,
    `  reading a prompt     ${bench.promptTokensPerSecond.toFixed(0)} tokens per second`,
    `  the same beginning   ${prefixReuse.toFixed(1)} times as fast the second time`,
    `  writing a reply      ${bench.replyTokensPerSecond.toFixed(1)} tokens per second`,
    `  memory               ${(bench.memoryBytes / 1e6).toFixed(0)} MB`,
    `  ${TURNS} turns             ${ingestionSeconds.toFixed(1)} s`,
    `  a question           ${questionSeconds.toFixed(1)} s`,
  ];
}
