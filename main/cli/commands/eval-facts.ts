import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { CaseClock } from '../../../eval/case-clock.ts';
import type { EvaluationDataset } from '../../../eval/datasets/dataset.ts';
import { FACT_READERS } from '../../../eval/datasets/registry.ts';
import {
  evaluateFacts,
  type FactsReport,
  type JudgedReport,
  judgedReport,
} from '../../../eval/evaluate-facts.ts';
import { FACT_QUESTIONS, type FactShares, factRow, readVerdicts } from '../../../eval/fact-verdicts.ts';
import { readGolden } from '../../../eval/golden-facts.ts';
import { turnText } from '../../../eval/judging-sheet.ts';
import { type KnownFact, sampleOf } from '../../../eval/known-facts.ts';
import type { Estimate } from '../../../eval/metrics/estimate.ts';
import { withFileErrors } from '../../../eval/run-log.ts';
import { TokenBudget } from '../../../src/inference/language-model/calling/token-budget.ts';
import { makeFolder } from '../../../src/util/files.ts';
import type { Config } from '../../config.ts';
import { UsageError } from '../../errors.ts';
import { configuredLanguageModel } from '../../language-model.ts';
import { CommandConsole, cancellable, type Terminal } from '../console.ts';
import { learningFlags, wholeNumber } from '../flags.ts';
import { startProgress } from '../progress.ts';
import { loadEngine, settingsOf } from '../run-command.ts';
import { profileAsked } from './eval-answers.ts';
import { inTemporaryFolder, namesIn, readDataset } from './eval-data.ts';

interface FactsFlags extends Partial<Config> {
  readonly dataset?: string;
  readonly data?: string;
  readonly sample: number;
  readonly seed: string;
  readonly out?: string;
  /** Names of files, as a,b. */
  readonly verdicts?: string;
  readonly golden?: string;
  readonly json?: boolean;
}

export function factsCommand(terminal: Terminal): Command {
  return learningFlags(
    new Command('facts')
      .description('Judge by hand what memory keeps of a data set’s conversations as facts.')
      .option('--dataset <name>', `one of: ${FACT_READERS.map(({ name }) => name).join(', ')}`)
      .option(
        '--data <file>',
        'the data set’s file, in its official format; "facts", "questions" and "paraphrases" need none',
      )
      .option('--out <file>', 'write a sheet of facts to judge, as JSON')
      .option('--sample <number>', 'facts of each conversation in the sheet', wholeNumber, 75)
      .option('--seed <text>', 'another text draws another sample', '1')
      .option('--verdicts <a,b>', 'sheets that were filled in, one of each reader')
      .option('--golden <file>', 'statements that should be kept (default: those in the package)')
      .option('--json', 'print one JSON document'),
  )
    .addHelpText('after', HELP)
    .action(async (flags: FactsFlags) => {
      const console = new CommandConsole(terminal, flags.json === true);
      await cancellable(terminal, async (signal) => {
        if (flags.dataset !== undefined)
          return printFacts({ ...flags, dataset: flags.dataset }, console, signal);
        if (flags.verdicts === undefined) throw new UsageError('--dataset <name> is missing');
        const judged = judgedReport(await verdictsOf(flags.verdicts, console, signal), null);
        console.result(judged, () => describeJudged(judged));
      });
    });
}

const HELP = `
The tier is local unless --tier or --profile says otherwise, whatever the settings say.

A sheet has empty columns for "yes" or "no":
  true    the turns say it, of this person and this time
  whole   it reads alone: no open pronoun, no clause cut off, nothing of the chat around it
  worth   a person would want a memory to keep it for months
--verdicts with --dataset counts the judged facts that still come out word for word; alone, all that were judged.
golden: the share of the statements that a fact says, with all key words and from one of their turns`;

async function printFacts(
  flags: FactsFlags & { readonly dataset: string },
  console: CommandConsole,
  signal: AbortSignal,
): Promise<void> {
  const cwd = console.terminal.cwd();
  const golden = await readGolden(flags.golden && resolve(cwd, flags.golden), signal);
  const verdicts = await verdictsOf(flags.verdicts, console, signal);
  const dataset = await readDataset(flags, console, signal);
  const progress = startProgress(console, 'Reading', dataset.cases.length);
  const { report, facts } = await inTemporaryFolder(async (folder) => {
    const { openMemory } = await loadEngine();
    const config = configOf(flags, console);
    const profile = await profileAsked(flags);
    const model =
      profile.tier === 'llm' ? await configuredLanguageModel(config, console.terminal.env) : undefined;
    const clock = new CaseClock();
    const override = { clock: clock.now, profile, ...(model && { languageModel: model }) };
    const settings = { ...config, path: join(folder, 'eval.db') };
    const { engine, close } = await openMemory(settings, { signal, override });
    const budget = config.llmTokenBudget === undefined ? undefined : new TokenBudget(config.llmTokenBudget);
    const onProgress = (done: number, what: string) => progress.update(done, what);
    return evaluateFacts({ engine, clock, dataset, golden, verdicts, signal, budget, onProgress }).finally(
      close,
    );
  }).finally(() => progress.stop());
  const file = flags.out === undefined ? null : resolve(cwd, flags.out);
  if (file !== null) await writeSheet(file, rowsOf(dataset, facts, flags));
  console.result(report, () => [
    ...describe(report, console),
    ...(file === null ? [] : ['', `to judge by hand: ${file}`]),
  ]);
}

function verdictsOf(list: string | undefined, console: CommandConsole, signal: AbortSignal) {
  const files = list === undefined ? [] : namesIn('--verdicts', list);
  return Promise.all(files.map((file) => readVerdicts(resolve(console.terminal.cwd(), file), signal)));
}

function rowsOf({ cases }: EvaluationDataset, facts: readonly KnownFact[], { sample, seed }: FactsFlags) {
  const turns = new Map(cases.flatMap((each) => each.turns).map((turn) => [turn.sourceId, turn]));
  const chosen = cases.flatMap(({ scope }) =>
    sampleOf(
      facts.filter((fact) => fact.scope === scope),
      sample,
      seed,
    ),
  );
  return chosen.map((fact) => factRow(fact, (id) => turnText(turns.get(id)!)));
}

async function writeSheet(file: string, rows: readonly object[]): Promise<void> {
  await withFileErrors(file, async () => {
    await makeFolder(dirname(file));
    await writeFile(file, `${JSON.stringify(rows, null, 2)}\n`, { mode: 0o600 });
  });
}

/** The settings, with the flags that are none of the evaluation's own. */
function configOf(flags: FactsFlags, { terminal }: CommandConsole): Config {
  const { dataset: _d, data: _f, sample: _s, seed: _e, out: _o, verdicts: _v, golden: _g, ...more } = flags;
  const { json: _j, tier: _t, profile: _p, ...settings } = more;
  return settingsOf(terminal, settings).values;
}

function describe(
  { dataset, tier, profile, ingest, facts, golden, judged }: FactsReport,
  console: CommandConsole,
) {
  const total = Object.values(facts).reduce((sum, count) => sum + count, 0);
  const cells = (scope: string, count: number) => {
    const { statements = 0, kept = null } = golden[scope] ?? {};
    return [String(count), String(statements), inWords(kept)];
  };
  return [
    console.style(
      'bold',
      `${dataset}, tier ${tier} (profile ${profile}): ${total} facts of ${ingest.turns} turns`,
    ),
    '',
    row('', ['facts', 'golden', 'kept, in %']),
    ...Object.entries(facts).map(([scope, count]) => row(scope, cells(scope, count))),
    ...describeJudged(judged),
  ];
}

function describeJudged({ readers, agreement }: JudgedReport): string[] {
  const cells = (shares: FactShares) => [
    String(shares.judged),
    ...[shares.true, shares.whole, shares.worth, shares.all].map(inWords),
  ];
  return [
    ...readers.flatMap(({ overall, byScope, gone }, at) => [
      '',
      row(`reader ${at + 1}, in %`, ['judged', ...FACT_QUESTIONS, 'all three']),
      ...Object.entries(byScope).map(([scope, shares]) => row(scope, cells(shares))),
      row('all', cells(overall)),
      ...(gone === 0 ? [] : [`${gone} judged facts no longer come out`]),
    ]),
    ...(agreement === null ? [] : ['', `two readers, ${agreement.facts} facts:`]),
    ...FACT_QUESTIONS.flatMap((question) => {
      const both = agreement?.byQuestion[question];
      return both === undefined ? [] : [row(question, [`${both.percent} %`, `kappa ${both.kappa ?? '–'}`])];
    }),
  ];
}

function inWords(estimate: Estimate | null): string {
  if (estimate === null) return '–';
  const [mean, low, high] = [estimate.mean, estimate.low, estimate.high].map((value) => value.toFixed(1));
  return `${mean} (${low}–${high})`;
}

function row(name: string, cells: readonly string[]): string {
  return name.padEnd(18) + cells.map((cell, at) => cell.padStart(at === 0 ? 8 : 20)).join('');
}
