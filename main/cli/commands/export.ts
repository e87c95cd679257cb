import { once } from 'node:events';
import { open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { CancelledError, DiskFullError, MnemisError, StoreWriteError } from '../../../src/errors/index.ts';
import type { ExportSummary } from '../../../src/files/archive/export-scope.ts';
import { EngineUnreachableError } from '../../client/errors.ts';
import type { ExportEvent, MemoryClient } from '../../contract.ts';
import { counted, type Terminal } from '../console.ts';
import { type CommonFlags, commonFlags } from '../flags.ts';
import { withClient } from '../run-command.ts';
import { asBlock, savedMemories, writeBlock } from './saved-memories.ts';

export function exportCommand(terminal: Terminal): Command {
  return commonFlags(new Command('export'))
    .description('Export a scope and its conversations as JSON lines (docs/export-format.md).')
    .addOption(
      new Option(
        '--format <name>',
        'archive: everything; memories: what is known of a person, as lines that Claude, Gemini and ChatGPT import',
      )
        .choices(['archive', 'memories'])
        .default('archive'),
    )
    .option('--about <name>', 'for memories: whom they are about (default: you)')
    .argument(
      '<file>',
      'the file to write, which is replaced once the export is complete; "-" writes to standard output',
    )
    .action(async (file: string, { format, about, ...flags }: ExportFlags) =>
      withClient(
        terminal,
        { ...flags, access: 'reads', purpose: 'count' },
        async ({ client, config, console, signal }) => {
          if (format === 'memories') {
            const { person, lines } = await savedMemories(client, { scope: config.scope, about, signal });
            if (file === '-') await print(terminal, asBlock(lines), signal);
            else await writeBlock(resolve(terminal.cwd(), file), lines);
            const found = { person, memories: lines.length };
            if (file !== '-')
              console.result({ ...found, file: resolve(terminal.cwd(), file) }, () => describe(found));
            return;
          }
          if (file === '-') {
            const events = wholeExport(client, config.scope, signal);
            await writeAll(events, (text) => print(terminal, text, signal));
            return;
          }
          const path = resolve(terminal.cwd(), file);
          const summary = await receiveExport(wholeExport(client, config.scope, signal), path, signal);
          console.result(
            summary,
            () => `Wrote ${summary.nodes} rows and ${summary.relationships} relationships to ${summary.file}`,
          );
        },
      ),
    );
}

type ExportFlags = CommonFlags & { readonly format: 'archive' | 'memories'; readonly about?: string };

const describe = ({ person, memories }: { readonly person: string | null; readonly memories: number }) =>
  person === null
    ? 'Memory knows nobody yet: nothing was written but an empty block'
    : `Wrote ${counted(memories, 'memory', 'memories')} of ${person}; paste them where the other assistant imports memory`;

/** The rows of a scope, then the conversations of the app, where the readers of the rows have ended. */
async function* wholeExport(
  client: MemoryClient,
  scope: string,
  signal: AbortSignal,
): AsyncGenerator<ExportEvent, void> {
  for await (const event of client.export({ scope }, { signal })) {
    if (event.type === 'done') yield* conversationParts(client, scope, signal);
    yield event;
  }
}

/** None for a memory that the app never had open. */
async function* conversationParts(
  client: MemoryClient,
  scope: string,
  signal: AbortSignal,
): AsyncGenerator<ExportEvent, void> {
  try {
    for await (const part of client.exportConversations({ scope }, { signal }))
      if (part.type === 'text') yield part;
  } catch (error) {
    if (!MnemisError.isInstance(error) || error.code !== 'invalid-input') throw error;
  }
}

/**
 * Writes the export of an engine as `exportTo` does: to a temporary file that is then renamed, so that a failed export leaves the old file unchanged.
 *
 * @throws CancelledError, DiskFullError, StoreWriteError, EngineUnreachableError if the stream ends before its last
 * line, and what the engine throws.
 */
export async function receiveExport(
  events: AsyncIterable<ExportEvent>,
  file: string,
  signal: AbortSignal,
): Promise<ExportSummary> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const handle = await open(temporary, 'w', 0o600);
    const counts = await writeAll(events, (text) => handle.appendFile(text))
      .then(async (written) => {
        await handle.sync();
        return written;
      })
      .finally(() => handle.close());
    await rename(temporary, file);
    return { file, ...counts };
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined);
    if (signal.aborted) throw new CancelledError('no file was written', cause);
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EFBIG') throw new DiskFullError(file, cause);
    if (code?.startsWith('E')) throw new StoreWriteError(`${file} could not be written: ${code}`, cause);
    throw cause;
  }
}

/** Resolves when the reader has room for more. One that closes the pipe has enough: the rest is dropped. */
async function print({ stdout }: Terminal, text: string, signal: AbortSignal): Promise<void> {
  if (!stdout.writable || stdout.write(text)) return;
  await once(stdout, 'drain', { signal }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

async function writeAll(
  events: AsyncIterable<ExportEvent>,
  write: (text: string) => Promise<void>,
): Promise<Omit<ExportSummary, 'file'>> {
  let counts: Omit<ExportSummary, 'file'> | null = null;
  for await (const event of events)
    if (event.type === 'text') await write(event.text);
    else {
      const { nodes, relationships } = event;
      counts = { nodes, relationships };
    }
  // A stream that ends without `done` is incomplete: the old file stays.
  if (counts === null) throw new EngineUnreachableError(true);
  return counts;
}
