import { Command } from 'commander';
import type { CorrectionRecord } from '../../../src/engine/corrections/corrections.ts';
import type { CommandConsole, Terminal } from '../console.ts';
import { date } from '../describe-item.ts';
import { wholeNumber } from '../whole-number.ts';
import { type CommonFlags, commonFlags, withMemory } from '../with-memory.ts';

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
      withMemory(terminal, { ...flags, access: 'reads' }, async ({ memory, config, console }) => {
        if (uncertain) {
          const pairs = await memory.corrections.uncertain();
          console.result(pairs, () =>
            pairs.length === 0
              ? `Nobody in scope "${config.scope}" may be somebody else.`
              : pairs.map(({ entities: [one, other], confidence }) =>
                  [confidence.toFixed(2), named(one), named(other)].join('  '),
                ),
          );
          return;
        }
        const made = await memory.corrections.list({ limit, before });
        console.result(made, () =>
          made.length === 0
            ? `Nothing in scope "${config.scope}" was corrected.`
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
