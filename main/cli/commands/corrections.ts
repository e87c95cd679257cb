import { Command } from 'commander';
import type { CorrectionRecord } from '../../../src/engine/corrections/corrections.ts';
import type { CommandConsole, Terminal } from '../console.ts';
import { date } from '../describe-item.ts';
import { type CommonFlags, commonFlags, wholeNumber } from '../flags.ts';
import { withClient } from '../run-command.ts';

type ListFlags = CommonFlags & {
  readonly limit?: number;
  readonly before?: string;
  readonly uncertain?: boolean;
};

export function correctionsCommand(terminal: Terminal): Command {
  return commonFlags(new Command('corrections'))
    .description('List what people put right in memory, the newest first.')
    .option('--limit <number>', 'how many, at most 500 (default: 50)', wholeNumber)
    .option('--before <id>', 'those made before this one')
    .option('--uncertain', 'instead: pairs of entities that may be one, to merge or keep apart')
    .action(async ({ limit, before, uncertain, ...flags }: ListFlags) =>
      withClient(terminal, { ...flags, access: 'reads' }, async ({ client, config, console, signal }) => {
        const { scope } = config;
        if (uncertain) {
          const pairs = await client.uncertain({ scope }, { signal });
          console.result(pairs, () =>
            pairs.length === 0
              ? `Nobody in scope "${scope}" may be somebody else.`
              : pairs.map(({ entities: [one, other], confidence }) =>
                  [confidence.toFixed(2), named(one), named(other)].join('  '),
                ),
          );
          return;
        }
        const made = await client.corrections({ scope, limit, before }, { signal });
        console.result(made, () =>
          made.length === 0
            ? `Nothing in scope "${scope}" was corrected.`
            : made.flatMap((each) => describe(each, console)),
        );
      }),
    );
}

function named({ name, id }: { readonly name: string; readonly id: string }): string {
  return `${name} (${id})`;
}

function describe(
  { id, author, createdAt, undoneAt, description }: CorrectionRecord,
  console: CommandConsole,
) {
  const undone = undoneAt === null ? '' : `; undone ${date(undoneAt)}`;
  return [
    `${date(createdAt)} ${author}: ${description.replace(/\s+/g, ' ')}`,
    console.style('dim', `  ${id}${undone}`),
  ];
}
