import { resolve } from 'node:path';
import { Command } from 'commander';
import type { CheckReport, Finding } from '../../../src/files/backup/check-report.ts';
import { withoutPassword } from '../../../src/util/database-url.ts';
import { CommandConsole, CommandFailed, cancellable, counted, type Terminal } from '../console.ts';
import { type FileFlags, fileFlags } from '../flags.ts';
import { withMemoryFileOrEngine } from '../run-command.ts';

export function verifyCommand(terminal: Terminal): Command {
  return fileFlags(new Command('verify'))
    .description('Check a memory, or a backup: its files and every row. Changes nothing.')
    .argument('[backup]', 'a folder that "backup" wrote (default: the memory itself)')
    .action(async (folder: string | undefined, flags: FileFlags) => {
      if (folder !== undefined) return verifyBackupIn(folder, flags, terminal);
      await withMemoryFileOrEngine(terminal, flags, async ({ path, client, console, signal }) => {
        if (client !== null) return show(path, await client.verify({}, { signal }), console);
        const { verifyMemory } = await import('../../../src/files/backup/verify.ts');
        show(path, await verifyMemory(path, { signal }), console);
      });
    });
}

async function verifyBackupIn(folder: string, { json = false }: FileFlags, terminal: Terminal) {
  const { verifyBackup } = await import('../../../src/files/backup/verify.ts');
  const place = resolve(terminal.cwd(), folder);
  await cancellable(terminal, async (signal) =>
    show(place, await verifyBackup(place, { signal }), new CommandConsole(terminal, json)),
  );
}

function show(path: string, report: CheckReport, console: CommandConsole): void {
  const shown = withoutPassword(path);
  console.result({ path: shown, ...report }, () => [
    `${console.style('bold', shown)}: ${describeState(report, console)}`,
    ...report.scopes.map(describeScope),
    ...report.findings.flatMap(describeFinding),
  ]);
  if (!report.sound) throw new CommandFailed();
}

function describeState({ sound, findings }: CheckReport, console: CommandConsole): string {
  if (!sound) return console.style('red', 'not sound');
  return findings.length === 0 ? 'sound' : 'sound, with unfinished work';
}

/** A finding, and below it how to fix it. */
export function describeFinding({ scope, what, advice }: Finding): string[] {
  return [`  ${scope === null ? '' : `scope "${scope}": `}${what}`, `    ${advice}`];
}

function describeScope({ scope, ...counts }: CheckReport['scopes'][number]): string {
  const vectors = Object.values(counts.embeddings).reduce((sum, count) => sum + count, 0);
  const missing =
    counts.withoutVector === 0 ? '' : `, ${counted(counts.withoutVector, 'text')} without a vector`;
  const index = {
    none: 'no index snapshot',
    equal: 'index matches the graph',
    differs: 'index differs from the graph',
  };
  return `  scope "${scope}": ${counted(counts.rows, 'row')} (${counted(vectors, 'vector')}${missing}), ${counted(counts.relationships, 'relationship')}, ${index[counts.index]}`;
}
