import { Command } from 'commander';
import { DATASET_READERS } from '../../../eval/datasets/registry.ts';
import type { IngestionCost } from '../../../eval/ingestion-cost.ts';
import { EVERY_PROFILE, paperProfileNamed } from '../../../eval/papers/profiles.ts';
import { CommandConsole, cancellable, type Terminal } from '../console.ts';
import { startProgress } from '../progress.ts';
import { type DatasetFlags, readDataset } from './eval-data.ts';

interface CostFlags extends DatasetFlags {
  readonly profile: string;
  readonly json?: boolean;
}

export function costCommand(terminal: Terminal): Command {
  const profiles = EVERY_PROFILE.map(({ name, description }) => `  ${name.padEnd(20)}${description}`);
  return new Command('cost')
    .description('Estimate the model calls and tokens for ingesting a data set, without calling a model.')
    .requiredOption('--dataset <name>', `one of: ${DATASET_READERS.map(({ name }) => name).join(', ')}`)
    .option(
      '--data <file>',
      'the data set’s file, in its official format; "questions" and "paraphrases" need none',
    )
    .option('--profile <name>', 'the ingest profile', 'default')
    .option('--json', 'print one JSON document')
    .addHelpText('after', `\nProfiles:\n${profiles.join('\n')}`)
    .action(async (flags: CostFlags) => {
      const console = new CommandConsole(terminal, flags.json === true);
      const profile = paperProfileNamed(flags.profile);
      await cancellable(terminal, async (signal) => {
        const dataset = await readDataset(flags, console, signal);
        const { measureIngestionCost } = await import('../../../eval/ingestion-cost.ts');
        const progress = startProgress(console, 'Rehearsing', dataset.cases.length);
        const onProgress = (done: number, total: number) => progress.update(done, `${done} of ${total}`);
        const cost = await measureIngestionCost(dataset.cases, { profile, signal, onProgress }).finally(() =>
          progress.stop(),
        );
        console.result(cost, () => describe(cost, console));
      });
    });
}

function describe(cost: IngestionCost, console: CommandConsole): string[] {
  const header = ['calls', 'prompt tokens', 'completion tokens'];
  const row = (name: string, { calls, promptTokens, completionTokens }: IngestionCost['perSession']) =>
    cells(
      name,
      [calls, promptTokens, completionTokens].map((value) => value.toLocaleString('en')),
    );
  return [
    console.style('bold', `profile ${cost.profile}: ${cost.sessions} sessions, ${cost.turns} turns`),
    cells('', header),
    row('a session', cost.perSession),
    row('all', cost),
    ...Object.entries(cost.byStage).map(([stage, each]) => row(`  ${stage}`, each)),
    '',
    console.style(
      'dim',
      'Estimated: prompts are the real ones; replies are simulated from the results of the local tier.',
    ),
  ];
}

function cells(name: string, values: readonly string[]): string {
  return name.padEnd(24) + values.map((value) => value.padStart(19)).join('');
}
