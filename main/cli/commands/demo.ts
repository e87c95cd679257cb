import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { CommandConsole, type Terminal } from '../console.ts';
import { runDemo } from '../demo/run-demo.ts';
import { cancellable } from '../run-command.ts';

export function demoCommand(terminal: Terminal): Command {
  return new Command('demo')
    .description('Remember a bundled conversation in a temporary file and answer questions about it.')
    .option('--json', 'print one JSON document')
    .action(async (flags: { json?: boolean }) => {
      const folder = await mkdtemp(join(tmpdir(), 'mnemis-demo-'));
      try {
        await cancellable(terminal, async (signal) => {
          const { Mnemis } = await import('../../../src/engine.ts'); // late, as `loadEngine` says
          const engine = await Mnemis.open({ path: join(folder, 'demo.db') });
          try {
            await runDemo(engine.scope('demo'), new CommandConsole(terminal, flags.json === true), signal);
          } finally {
            await engine.close();
          }
        });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
}
