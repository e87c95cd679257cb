#!/usr/bin/env node
import { runCommandLine } from './command-line.ts';

// A reader that closes the pipe (`| head`) is no failure: the command completes and closes its file.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    process.exitCode = 1;
    if (stream === process.stdout)
      process.stderr.write(`mnemis: The output could not be written (${code}).\n`);
  });

const exitCode = await runCommandLine(process.argv.slice(2), process);
process.exitCode ||= exitCode;
