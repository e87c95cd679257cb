#!/usr/bin/env node
// A reader that closes the pipe (`| head`) is no failure: the command completes and closes its file.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    process.exitCode = 1;
    if (stream === process.stdout)
      process.stderr.write(`mnemis: The output could not be written (${code}).\n`);
  });

/** What the machine lacks, by the code of the error. */
const LACKS: Readonly<Record<string, string>> = {
  EMFILE: 'too few files may be open at once (see "ulimit -n"; 256 are enough)',
  ENFILE: 'the machine has too many files open',
  ENOMEM: 'there is too little memory (see "ulimit -v")',
  ERR_MEMORY_ALLOCATION_FAILED: 'there is too little memory (see "ulimit -v")',
};

/** For errors that no command has caught, also while the program's own modules are loaded. */
function end(error: unknown): void {
  const {
    code = '',
    name = 'unknown',
    message = '',
    stack = '',
  } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const lacking = /memory/i.test(message) && name === 'RangeError' ? 'ENOMEM' : code;
  const reason =
    LACKS[lacking] ?? `internal error (${`${name} ${code}`.trim()}); set MNEMIS_DEBUG=1 for details`;
  process.stderr.write(`mnemis: The command ended early: ${reason}. Everything acknowledged is stored.\n`);
  if (process.env.MNEMIS_DEBUG) process.stderr.write(`${stack}\n`);
  process.exit(1);
}

process.on('uncaughtException', end);
try {
  const { runCommandLine } = await import('./command-line.ts');
  const exitCode = await runCommandLine(process.argv.slice(2), process);
  process.exitCode ||= exitCode;
} catch (error) {
  end(error);
}

export {};
