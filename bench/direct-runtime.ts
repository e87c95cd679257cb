import { LLAMA_RUNTIME } from '../src/inference/llama/model-host.ts';
import type { LlamaRuntime } from '../src/inference/llama/process/llama-runtime.ts';

/** In tokens, for the runtime in this process and for the host beside it. */
export const CONTEXT_TOKENS = 2_048;

/** The runtime of chat models in this process, with one sequence and the threads that the host of models takes. */
export async function directRuntime(file: string) {
  const runtime: LlamaRuntime = await import(LLAMA_RUNTIME);
  const llama = await runtime.getLlama({
    ...{ build: 'never', skipDownload: true, progressLogs: false, logger: () => undefined },
  });
  const model = await llama.loadModel({ modelPath: file });
  const context = await model.createContext({
    contextSize: { min: CONTEXT_TOKENS, max: CONTEXT_TOKENS },
    sequences: 1,
    threads: Math.max(1, llama.cpuMathCores - 1),
  });
  const sequence = context.getSequence();
  const chat = new runtime.LlamaChat({ contextSequence: sequence as never });
  return { runtime, model, context, sequence, chat };
}
