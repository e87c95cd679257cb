#!/usr/bin/env node
import { lackOf, lackOfMemory } from './lack-of.ts';

// A reader that closes the pipe (`| head`) is no failure: the command completes and closes its file.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    process.exitCode = 1;
    if (stream === process.stdout)
      process.stderr.write(`mnemis: The output could not be written (${code}).\n`);
  });

/** For errors that no command has caught, also while the program's own modules are loaded. */
function end(error: unknown): void {
  const { name, code = '', stack = '' } = (error instanceof Error ? error : {}) as NodeJS.ErrnoException;
  const kind = `${name ?? 'unknown'} ${code}`.trim();
  stop(lackOf(error) ?? `Internal error (${kind}); set MNEMIS_DEBUG=1 for details`, stack);
}

function stop(reason: string, stack = ''): never {
  process.stderr.write(`mnemis: ${reason}. Everything acknowledged is stored.\n`);
  if (process.env.MNEMIS_DEBUG) process.stderr.write(`${stack}\n`);
  process.exit(1);
}

process.on('uncaughtException', (error) => {
  if (process.exitCode) process.exit(); // the command has said why it failed; this follows from it
  end(error);
});
const lack = lackOfMemory();
if (lack !== undefined) stop(lack);
try {
  const { runCommandLine } = await import('./command-line.ts');
  const exitCode = await runCommandLine(process.argv.slice(2), process);
  process.exitCode ||= exitCode;
} catch (error) {
  end(error);
}
