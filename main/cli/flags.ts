import { type Command, InvalidArgumentError } from 'commander';
import type { Config } from '../config.ts';

export interface CommonFlags {
  readonly path?: string;
  readonly scope?: string;
  readonly embedder?: string;
  readonly embedderDimension?: number;
  readonly reranker?: string;
  readonly device?: Config['device'];
  readonly json?: boolean;
}

export interface VerboseFlags {
  readonly verbose?: boolean;
}

export function verboseFlag(command: Command, what: string): Command {
  return command.option('-v, --verbose', what);
}

export function commonFlags(command: Command): Command {
  return memoryFlags(command).option('--scope <name>', 'the scope to use (default: "default")');
}

export function memoryFlags(command: Command): Command {
  return command
    .option(
      '--path <file>',
      'the memory’s file, or its postgres:// URL (default: a file in your data folder)',
    )
    .option('--embedder <name>', 'the embedding model (default: "static"; "mnemis models list" has more)')
    .option(
      '--embedder-dimension <number>',
      'dimension of vectors, if the embedder supports several',
      wholeNumber,
    )
    .option(
      '--reranker <name>',
      'a cross-encoder, or local: and a chat model of this computer (default: "none")',
    )
    .option('--device <name>', 'device that runs models (default: "auto")')
    .option('--json', 'print one JSON document');
}

export function learningFlags(command: Command): Command {
  return languageModelFlags(
    command
      .option('--tier <name>', 'who reads turns for facts: local or llm (default: "local")')
      .option('--profile <name>', 'ingest profile that reads them (default: the tier’s)'),
  );
}

/**
 * The flags of every command that uses a language model. The key has no flag, because the shell's history would keep it.
 */
export function languageModelFlags(command: Command): Command {
  return command
    .option('--llm-provider <name>', 'openai, openai-compatible, ollama or local')
    .option('--llm-model <name>', 'the model’s name at its provider, or local: and a model of this computer')
    .option('--llm-base-url <url>', 'address of the server, such as http://localhost:1234/v1')
    .option('--llm-context-tokens <number>', 'context size: tokens of prompt and reply together', wholeNumber)
    .option('--llm-concurrency <number>', 'most requests at once', wholeNumber)
    .option('--llm-requests-per-minute <number>', 'rate limit of the account', wholeNumber)
    .option('--llm-tokens-per-minute <number>', 'limit of the account', wholeNumber)
    .option('--llm-timeout-seconds <number>', 'timeout of one request', wholeNumber)
    .option('--llm-token-budget <number>', 'most tokens that one run may use', wholeNumber);
}

export interface FileFlags {
  readonly path?: string;
  readonly json?: boolean;
}

export function fileFlags(command: Command): Command {
  return command
    .option(
      '--path <file>',
      'the memory’s file, or its postgres:// URL (default: a file in your data folder)',
    )
    .option('--json', 'print one JSON document');
}

/** Parses a whole number from 1. @throws InvalidArgumentError */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError('It must be a whole number from 1.');
  return value;
}

/** Rejects an argument without words. @throws InvalidArgumentError */
export function someWords(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It is empty.');
  return text;
}

export function portNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 65_535)
    throw new InvalidArgumentError('It must be a port from 1 to 65535.');
  return value;
}

export function minutes(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 10_000))
    throw new InvalidArgumentError('It must be a number of minutes from 0 to 10000.');
  return value;
}
