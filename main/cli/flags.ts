import { type Command, InvalidArgumentError } from 'commander';
import type { Config } from '../config.ts';

export interface CommonFlags {
  readonly path?: string;
  readonly scope?: string;
  readonly embedder?: string;
  readonly embedderDimension?: number;
  readonly device?: Config['device'];
  readonly json?: boolean;
}

export interface LookBackFlags {
  readonly asOf?: string;
  readonly knownAt?: string;
}

/** The flags that every command on one scope of a memory has. */
export function commonFlags(command: Command): Command {
  return memoryFlags(command).option('--scope <name>', 'whose memory (default: "default")');
}

/** The flags that every command on a whole memory has. */
export function memoryFlags(command: Command): Command {
  return command
    .option('--path <file>', 'the memory’s file (default: in your data folder)')
    .option(
      '--embedder <name>',
      'what turns texts into vectors (default: "static"; "mnemis models list" has more)',
    )
    .option(
      '--embedder-dimension <number>',
      'numbers in a vector, where the embedder can choose',
      wholeNumber,
    )
    .option('--device <name>', 'where models run (default: "auto")')
    .option('--json', 'print one JSON document');
}

/** The flags of commands that read turns for facts. */
export function learningFlags(command: Command): Command {
  return languageModelFlags(
    command
      .option('--tier <name>', 'who reads turns for facts: local or llm (default: "local")')
      .option(
        '--profile <name>',
        'how they are read, by the name of an ingest profile (default: the tier’s)',
      ),
  );
}

/** The flags that every command on a language model has. The key has none: it would stay in the shell's history. */
export function languageModelFlags(command: Command): Command {
  return command
    .option('--llm-provider <name>', 'openai, openai-compatible or ollama')
    .option('--llm-model <name>', 'the model’s name at its provider')
    .option('--llm-base-url <url>', 'where the server is, such as http://localhost:1234/v1')
    .option('--llm-context-tokens <number>', 'tokens of prompt and reply together', wholeNumber)
    .option('--llm-concurrency <number>', 'requests at once', wholeNumber)
    .option('--llm-requests-per-minute <number>', 'limit of the account', wholeNumber)
    .option('--llm-tokens-per-minute <number>', 'limit of the account', wholeNumber)
    .option('--llm-timeout-seconds <number>', 'for one request', wholeNumber)
    .option('--llm-token-budget <number>', 'tokens that one run may cost', wholeNumber);
}

export interface FileFlags {
  readonly path?: string;
  readonly json?: boolean;
}

/** The flags of commands on the files of a memory, for which no embedder is loaded. */
export function fileFlags(command: Command): Command {
  return command
    .option('--path <file>', 'the memory’s file (default: in your data folder)')
    .option('--json', 'print one JSON document');
}

/** A number that counts something. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError('It must be a whole number from 1.');
  return value;
}

/** A question without a word has no answer. */
export function someWords(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It is empty.');
  return text;
}
