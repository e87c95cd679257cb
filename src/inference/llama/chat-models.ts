import { existsSync } from 'node:fs';
import { extname, isAbsolute, join, resolve } from 'node:path';
import { InvalidInputError, ModelMissingError, UnknownNameError } from '../../errors/index.ts';

/** An instructed chat model as one GGUF file of the hub. */
export interface ChatModelProfile {
  /** The name after `local:`. */
  readonly name: string;
  /** `owner/name` on the hub. */
  readonly repository: string;
  /** A commit, or a branch where no commit was verified. */
  readonly revision: string;
  readonly file: string;
  /** SPDX identifier, or the licence's own name. */
  readonly licence: string;
  /** Size of the file. */
  readonly megabytes: number;
  /** Main or graphics memory with one context of 8,192 tokens: computed from the layers, not measured. */
  readonly memoryMegabytes: number;
  /** Tokens that it was trained for. */
  readonly contextTokens: number;
  readonly languages: string;
  /** The machine that it is for. */
  readonly suits: string;
  /** Whether Mnemis was seen to run with it. */
  readonly isTried: boolean;
}

const UNTRIED = { revision: 'main', isTried: false } as const;

/** Smallest first. None was run with Mnemis yet: `isTried`. */
export const CHAT_MODELS: readonly ChatModelProfile[] = [
  {
    ...UNTRIED,
    name: 'gemma-3-1b-it',
    repository: 'ggml-org/gemma-3-1b-it-GGUF',
    file: 'gemma-3-1b-it-Q4_K_M.gguf',
    licence: 'Gemma terms',
    megabytes: 806,
    memoryMegabytes: 1_200,
    contextTokens: 32_768,
    languages: 'English',
    suits: 'any computer with 4 GB; writes short answers, reads no facts well',
  },
  {
    ...UNTRIED,
    name: 'qwen3-1.7b',
    repository: 'unsloth/Qwen3-1.7B-GGUF',
    file: 'Qwen3-1.7B-Q4_K_M.gguf',
    licence: 'Apache-2.0',
    megabytes: 1_107,
    memoryMegabytes: 2_100,
    contextTokens: 40_960,
    languages: '119 languages',
    suits: 'laptops with 8 GB and no graphics card',
  },
  {
    ...UNTRIED,
    name: 'llama-3.2-3b-instruct',
    repository: 'bartowski/Llama-3.2-3B-Instruct-GGUF',
    file: 'Llama-3.2-3B-Instruct-Q4_K_M.gguf',
    licence: 'Llama 3.2',
    megabytes: 2_019,
    memoryMegabytes: 3_000,
    contextTokens: 131_072,
    languages: 'English, German, French, Italian, Portuguese, Hindi, Spanish, Thai',
    suits: 'laptops with 8 GB',
  },
  {
    ...UNTRIED,
    name: 'gemma-3-4b-it',
    repository: 'ggml-org/gemma-3-4b-it-GGUF',
    file: 'gemma-3-4b-it-Q4_K_M.gguf',
    licence: 'Gemma terms',
    megabytes: 2_490,
    memoryMegabytes: 3_300,
    contextTokens: 131_072,
    languages: '140 languages',
    suits: 'laptops with 8 GB, or a graphics card with 4 GB',
  },
  {
    ...UNTRIED,
    name: 'qwen3-4b-instruct',
    repository: 'unsloth/Qwen3-4B-Instruct-2507-GGUF',
    file: 'Qwen3-4B-Instruct-2507-Q4_K_M.gguf',
    licence: 'Apache-2.0',
    megabytes: 2_497,
    memoryMegabytes: 3_800,
    contextTokens: 262_144,
    languages: '119 languages',
    suits: 'computers with 8 to 16 GB, or a graphics card with 4 to 6 GB',
  },
  {
    ...UNTRIED,
    name: 'qwen3-8b',
    repository: 'Qwen/Qwen3-8B-GGUF',
    file: 'Qwen3-8B-Q4_K_M.gguf',
    licence: 'Apache-2.0',
    megabytes: 5_028,
    memoryMegabytes: 6_300,
    contextTokens: 40_960,
    languages: '119 languages',
    suits: 'computers with 16 GB, better with a graphics card with 8 GB',
  },
];

/** The listed model of a name; undefined for another. */
export function chatModelNamed(name: string): ChatModelProfile | undefined {
  return CHAT_MODELS.find((model) => model.name === name.toLowerCase());
}

/**
 * The file of a model as settings name it: a listed name, or the path of any `.gguf` file.
 *
 * @throws UnknownNameError; ModelMissingError for a listed one that was not fetched; InvalidInputError for a path without
 *   a file.
 */
export function chatModelFile(text: string, modelsFolder: string): string {
  const isPath = extname(text).toLowerCase() === '.gguf' || isAbsolute(text);
  if (isPath) {
    const file = resolve(text);
    if (existsSync(file)) return file;
    throw new InvalidInputError('There is no file at the path of the language model; a path ends in .gguf');
  }
  const profile = chatModelNamed(text);
  if (profile === undefined)
    throw new UnknownNameError(
      'chat model',
      text,
      CHAT_MODELS.map(({ name }) => name),
    );
  const folder = join(modelsFolder, profile.name);
  const file = join(folder, profile.file);
  if (existsSync(file)) return file;
  throw new ModelMissingError(profile.name, folder, [profile.file]);
}
