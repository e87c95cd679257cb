import { Command } from 'commander';
import type { RetentionReport } from '../../../src/engine/maintain/maintain-scope.ts';
import { withoutPassword } from '../../../src/util/database-url.ts';
import { isoDay } from '../../../src/util/iso-day.ts';
import type { Config } from '../../config.ts';
import type { MaintenanceReport } from '../../contract.ts';
import { counted, megabytes, type Terminal } from '../console.ts';
import { eraseAdvice } from '../erase-advice.ts';
import { type CommonFlags, commonFlags } from '../flags.ts';
import { type ClientCommand, withClient } from '../run-command.ts';

type MaintainFlags = CommonFlags & Partial<Config> & { readonly dryRun?: boolean };

interface ScopeMaintenance extends Omit<MaintenanceReport, 'dryRun'> {
  readonly scope: string;
}

export function maintainCommand(terminal: Terminal): Command {
  return commonFlags(new Command('maintain'))
    .description(
      'In every scope, complete interrupted forgetting and remove turns that are older than the setting "retention" allows.',
    )
    .option('--retention <rule>', 'how long to keep turns: "365d", or "365d keep-facts"')
    .option('--dry-run', 'only report what would be done')
    .action(async ({ dryRun = false, ...flags }: MaintainFlags) =>
      withClient(terminal, { ...flags, access: 'reads' }, async (command) => {
        const wanted = flags.scope === undefined ? await command.client.scopes({}) : [flags.scope];
        const scopes = await maintain(command, wanted, dryRun);
        const removedBytes = scopes.reduce((sum, { retention }) => sum + (retention?.bytes ?? 0), 0);
        const isLeft =
          !dryRun &&
          scopes.some(
            ({ finishedForgetting, retention }) => finishedForgetting + (retention?.turns ?? 0) > 0,
          );
        const path = withoutPassword(command.config.path);
        command.console.result({ path, dryRun, scopes, removedBytes, compact: isLeft }, () => [
          ...scopes.flatMap((scope) => describeScope(scope, dryRun)),
          ...(command.config.retention === undefined
            ? [
                'No retention rule is set; all turns are kept (setting "retention", such as "365d keep-facts").',
              ]
            : []),
          ...(isLeft
            ? [
                `Removed text${removedBytes > 0 ? `, about ${megabytes(removedBytes)},` : ''} is still on the disk; to erase it: ${eraseAdvice(command.config.path)}`,
              ]
            : []),
        ]);
      }),
    );
}

async function maintain(
  { client, config, signal }: ClientCommand,
  scopes: readonly string[],
  dryRun: boolean,
): Promise<ScopeMaintenance[]> {
  const reports: ScopeMaintenance[] = [];
  for (const scope of scopes) {
    const asked = { scope, dryRun, retention: config.retention ?? null };
    const { dryRun: _, ...report } = await client.maintain(asked, { signal });
    reports.push({ scope, ...report });
  }
  return reports;
}

function describeScope(
  { scope, finishedForgetting: ended, unfinishedForgetting: open, retention }: ScopeMaintenance,
  dryRun: boolean,
): string[] {
  return [
    ...(open === null
      ? []
      : [
          `Scope "${scope}": ${counted(open.count, 'forgetting', 'forgettings')} could not be completed: ${open.reason} The remaining rows are hidden; run "mnemis maintain" again, or "mnemis repair"`,
        ]),
    ...(ended > 0
      ? [`Scope "${scope}": completed ${counted(ended, 'interrupted forgetting', 'interrupted forgettings')}`]
      : []),
    ...(retention === null ? [] : [`Scope "${scope}": ${describeRetention(retention, dryRun)}`]),
  ];
}

function describeRetention({ turns, before, keepFacts, waiting }: RetentionReport, dryRun: boolean): string {
  const [planned, done] = keepFacts
    ? ['would lose their text; their facts stay', 'lost their text; their facts stay']
    : ['would be forgotten', 'were forgotten'];
  const rest = waiting === 0 ? '' : `; ${waiting} more must be read for facts first ("mnemis resume")`;
  return `${counted(turns, 'turn')} from before ${isoDay(before)} ${dryRun ? planned : done}${rest}`;
}
