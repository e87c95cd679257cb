import { MAX_CONTENT_LENGTH } from '../../src/model/turn-input.ts';
import { UsageError } from '../errors.ts';
import type { Terminal } from './console.ts';

const TOO_LONG =
  'Standard input is longer than one turn may be; nothing was stored. "mnemis import -" reads notes and exports of any length.';

/** The bytes of standard input, as they come. @throws UsageError if it is absent, or a terminal where nobody would know what to type. */
export function standardInput({ stdin }: Terminal): AsyncIterable<Uint8Array> {
  if (stdin === undefined || stdin.isTTY === true)
    throw new UsageError(
      'Nothing was piped to standard input; nothing was stored. Pipe text to the command, as in: echo "I moved." | mnemis add',
    );
  return chunksOf(stdin);
}

async function* chunksOf(stdin: NodeJS.ReadableStream): AsyncGenerator<Uint8Array> {
  for await (const chunk of stdin) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

/** Standard input as UTF-8 text, for a turn. @throws UsageError, also for more than a turn may hold. */
export async function standardInputText(terminal: Terminal): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of standardInput(terminal)) {
    bytes += chunk.length;
    if (bytes > 4 * MAX_CONTENT_LENGTH) throw new UsageError(TOO_LONG);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)).trim();
  } catch {
    throw new UsageError('Standard input is not UTF-8 text; nothing was stored.');
  }
}
