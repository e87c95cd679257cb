import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import { Mnemis } from '../../src/engine.ts';
import { HashingEmbedder } from '../../src/inference/embedder/hashing-embedder.ts';
import type { LanguageModel } from '../../src/inference/language-model.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { analyze } from '../../src/search/analyzer.ts';

export interface MemoryOptions {
  /** Whether all turns are read together. Default: each by itself. */
  readonly atOnce?: boolean;
  readonly now?: string;
  readonly languageModel?: LanguageModel;
}

/** Runs a job on a memory of the turns. */
export async function withMemory<T>(
  turns: readonly TurnInput[],
  job: (memory: MemoryScope) => Promise<T>,
  { atOnce = false, now = '2030-01-01', languageModel }: MemoryOptions = {},
): Promise<T> {
  await using engine = await Mnemis.open({
    path: ':memory:',
    automatic: false,
    clock: () => Date.parse(now),
    embedder: new HashingEmbedder({ analyze, dimension: 64 }),
    ...(languageModel === undefined ? {} : { languageModel }),
  });
  const memory = engine.scope('a');
  for (const turn of turns) {
    await memory.add(turn);
    if (!atOnce) await memory.flush();
  }
  await memory.flush();
  return await job(memory);
}
