import type { Command } from 'commander';
import { wholeNumber } from './whole-number.ts';

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
