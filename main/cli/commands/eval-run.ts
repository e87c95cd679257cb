import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { BASELINES } from '../../../eval/baselines.ts';
import { CaseClock } from '../../../eval/case-clock.ts';
import type { EvaluationDataset } from '../../../eval/datasets/dataset.ts';
import { DATASET_READERS } from '../../../eval/datasets/registry.ts';
import { digestsOfJudges, JUDGE_NAMES, judgeNamed } from '../../../eval/judges/registry.ts';
import { CONTEXTS } from '../../../eval/papers/contexts.ts';
import { EVERY_PROFILE } from '../../../eval/papers/profiles.ts';
import { EVERY_RECIPE } from '../../../eval/papers/recipes.ts';
import { PAPER_TABLES, paperTableNamed, specOfTable, type TableTier } from '../../../eval/papers/tables.ts';
import { answerRehearsals } from '../../../eval/rehearsal/answer-rehearsals.ts';
import { RehearsalModel } from '../../../eval/rehearsal/rehearsal-model.ts';
import { KeptReplies } from '../../../eval/run/kept-replies.ts';
import { KeptResults } from '../../../eval/run/kept-results.ts';
import { priceOf, type RunPrice } from '../../../eval/run/price.ts';
import {
  markdownOf,
  reportOf,
  type TableReport,
  tableInMarkdown,
  writeReport,
} from '../../../eval/run/report.ts';
import {
  type EvaluationRun,
  memoryName,
  type OpenedMemory,
  runEvaluation,
} from '../../../eval/run/run-evaluation.ts';
import { parseSpec, rowsOf, type Spec } from '../../../eval/run/spec.ts';
import { FileUnreadableError } from '../../../src/errors/index.ts';
import { unreadable } from '../../../src/importers/unreadable.ts';
import { TokenBudget } from '../../../src/inference/language-model/calling/token-budget.ts';
import type { LanguageModel } from '../../../src/inference/language-model.ts';
import type { OpenedEmbedder } from '../../../src/inference/models/open-models.ts';
import type { Usage } from '../../../src/model/retrieved-item.ts';
import { digestOf } from '../../../src/util/digest-of.ts';
import { parseJson } from '../../../src/util/parse-json.ts';
import type { Config } from '../../config.ts';
import { UsageError } from '../../errors.ts';
import { configuredLanguageModel } from '../../language-model.ts';
import { mnemisVersion } from '../../version.ts';
import { CommandConsole, canAsk, cancellable, confirm, counted, type Terminal } from '../console.ts';
import { languageModelFlags, wholeNumber } from '../flags.ts';
import { startProgress } from '../progress.ts';
import { loadEngine, settingsOf } from '../run-command.ts';
import { namesIn, readDataset } from './eval-data.ts';
import { aroundTable, replaceTable } from './table-of-page.ts';

interface RunFlags extends Partial<Omit<Config, 'k' | 'recipe' | 'profile'>> {
  readonly table?: string;
  readonly dataset?: string;
  readonly data?: string;
  readonly gold?: string;
  readonly profile?: string;
  readonly recipe?: string;
  readonly context?: string;
  readonly k?: string;
  readonly answerer?: string;
  readonly judge?: string;
  readonly judgeModel?: string;
  readonly seeds?: string;
  readonly conversations?: number;
  readonly questions?: number;
  readonly out?: string;
  readonly markdown?: string;
  readonly rehearsed?: boolean;
  readonly perMillion?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export function runCommand(terminal: Terminal): Command {
  return languageModelFlags(
    new Command('run')
      .description(
        'Run a table: ways to write memory, to search and to answer, on one data set. Memories, replies and answers are kept; the same command goes on after a stop.',
      )
      .argument('[spec]', 'a JSON file that describes the table (docs/evaluation.md)')
      .option('--table <name>', 'a table of a paper')
      .addOption(
        new Option('--tier <name>', 'of a table: rules and recall alone, or a model as in the paper')
          .choices(['local', 'llm'])
          .default('local'),
      )
      .option('--dataset <name>', `one of: ${DATASET_READERS.map(({ name }) => name).join(', ')}`)
      .option('--data <file>', 'the data set’s file, in its official format')
      .option('--gold <file>', 'corrected gold for LoCoMo')
      .option('--profile <a,b>', 'ingest profiles')
      .option('--recipe <a,b>', `search recipes; ${BASELINES.join(', ')} need no memory`)
      .option('--context <a,b>', `what is answered from: ${CONTEXTS.map(({ name }) => name).join(', ')}`)
      .option('--k <a,b>', 'sizes of the context')
      .option('--answerer <a,b>', 'none, local, llm')
      .option('--judge <name>', `one of: ${JUDGE_NAMES.join(', ')}`)
      .option('--judge-model <name>', 'another model of the provider judges')
      .option('--seeds <a,b>', 'each question is answered once with each (default: 42)')
      .option('--conversations <number>', 'only the first conversations', wholeNumber)
      .option('--questions <number>', 'only the first questions of each conversation', wholeNumber)
      .option('--embedder <name>', 'the embedding model (default: the configured one)')
      .option('--reranker <name>', 'the reranker (default: the configured one)')
      .option('--out <folder>', 'folder of the run (default: evaluations/NAME)')
      .option('--markdown <page>', 'also replace the table between the marks NAME-DATASET of this page')
      .option('--rehearsed', 'a simulated model replies: tries a table without cost')
      .option(
        '--per-million <in,out>',
        'price of a million prompt and completion tokens, to state it in money',
      )
      .option('--dry-run', 'print what it would ask of a model, and stop')
      .option('--yes', 'start without a question')
      .option('--json', 'print one JSON document'),
  )
    .addHelpText('after', HELP)
    .action(async (file: string | undefined, flags: RunFlags) => {
      const console = new CommandConsole(terminal, flags.json === true);
      await cancellable(terminal, (signal) => run(file, flags, { console, signal }));
    });
}

const listed = (entries: readonly { readonly name: string; readonly text: string }[]) =>
  entries.map(({ name, text }) => `  ${name.padEnd(36)}${text}`).join('\n');
const described = (entries: readonly { readonly name: string; readonly description: string }[]) =>
  listed(entries.map(({ name, description: text }) => ({ name, text })));

const HELP = `
Tables of the papers:
${listed(PAPER_TABLES.map(({ name, title: text }) => ({ name, text })))}

Contexts:
${described(CONTEXTS)}

Profiles:
${described(EVERY_PROFILE)}

Recipes:
${described(EVERY_RECIPE)}`;

interface Running {
  readonly console: CommandConsole;
  readonly signal: AbortSignal;
}

async function run(file: string | undefined, flags: RunFlags, { console, signal }: Running): Promise<void> {
  const { terminal } = console;
  const spec = await specOf(file, flags, terminal.cwd());
  const rows = rowsOf(spec);
  if (spec.dataset === undefined) throw new UsageError('--dataset <name> is missing');
  const read = await readDataset({ ...spec, dataset: spec.dataset }, console, signal);
  const mark = slug(`${spec.name}-${spec.dataset}`);
  const page = flags.markdown === undefined ? null : resolve(terminal.cwd(), flags.markdown);
  if (page !== null) await aroundTable(page, mark); // a page without marks is reported before the run
  const folder = resolve(terminal.cwd(), flags.out ?? join('evaluations', mark));
  const config = configOf(flags, terminal);
  const needsModel = rows.some(
    ({ profile, answerer, judge }) => profile.tier === 'llm' || answerer === 'llm' || judge !== null,
  );
  const isRehearsed = flags.rehearsed === true;
  const { llmProvider, llmModel, llmBaseUrl } = config;
  // A server of the same name elsewhere may have another model.
  const at = llmBaseUrl === undefined || isRehearsed ? '' : ` at ${llmBaseUrl}`;
  const modelName = isRehearsed ? new RehearsalModel().name : `${llmProvider}:${llmModel}${at}`;
  const judgeModel = spec.judgeModel === undefined ? modelName : `${spec.judgeModel}${at}`;
  const pathOf = (path: string) => resolve(terminal.cwd(), path);
  const results = await KeptResults.open(join(folder, 'answers.jsonl'));
  const replies = needsModel ? await KeptReplies.open(join(folder, 'replies.jsonl')) : null;
  const embedders = new Map<string, OpenedEmbedder>();
  const evaluation: EvaluationRun = {
    dataset: limited(read, spec),
    rows,
    seeds: spec.seeds ?? [42],
    setting: {
      version: mnemisVersion(),
      data: digestOf(read.cases),
      embedder: config.embedder,
      reranker: config.reranker,
      model: needsModel ? modelName : null,
      judgeModel: needsModel ? judgeModel : null,
      judgeFiles: await digestsOfJudges(
        rows.map(({ judge }) => judge),
        pathOf,
      ),
    },
    results,
    replies,
    openMemory: (asked) => openMemoryOf(asked),
    embedder: () => embedderOf(config.embedder),
    judgeOf: (name) => judgeNamed(name, pathOf),
    judgeModel: (seed) => modelOf(seed, spec.judgeModel),
    concurrency: config.llmConcurrency ?? CONCURRENCY,
    signal,
    budget: config.llmTokenBudget === undefined ? undefined : new TokenBudget(config.llmTokenBudget),
  };

  async function modelOf(seed: number, other?: string): Promise<LanguageModel> {
    const { through } = replies!;
    if (isRehearsed) return new RehearsalModel({ through, rehearsals: answerRehearsals() });
    const settings = other === undefined ? config : { ...config, llmModel: other };
    return configuredLanguageModel(settings, terminal.env, { through, seed });
  }

  async function embedderOf(name: string): Promise<OpenedEmbedder> {
    const known = embedders.get(name);
    if (known !== undefined) return known;
    const { openEmbedder } = await import('../../../src/inference/models/open-models.ts');
    const { embedderDimension: dimension, modelsFolder, device } = config;
    const opened = await openEmbedder({ name, dimension, modelsFolder, device, signal });
    embedders.set(name, opened);
    return opened;
  }

  async function openMemoryOf({
    name,
    profile,
    reranker = config.reranker,
    embedder = config.embedder,
    needsModel: isAsked,
    seed,
  }: Parameters<EvaluationRun['openMemory']>[0]): Promise<OpenedMemory> {
    const { openMemory } = await loadEngine();
    const clock = new CaseClock();
    const override = {
      clock: clock.now,
      profile,
      ...(isAsked && { languageModel: await modelOf(seed) }),
    };
    const settings = { ...config, embedder, reranker, path: join(folder, name) };
    return { ...(await openMemory(settings, { signal, override })), clock };
  }

  try {
    // A model that is not set is reported before anything is rehearsed.
    if (needsModel && flags.dryRun !== true) await modelOf(evaluation.seeds[0]!);
    if (!(await agreed(evaluation, flags, { console, signal }))) return;
    const questions = evaluation.dataset.cases.reduce((sum, each) => sum + each.questions.length, 0);
    const progress = startProgress(console, 'Evaluating', questions * rows.length * evaluation.seeds.length);
    const { lines, skipped } = await runEvaluation({
      ...evaluation,
      onProgress: (done, _total, what) => progress.update(done, what),
    }).finally(() => progress.stop());
    const report = reportOf(spec, lines, {
      datasetNote: read.note,
      skipped,
      setting: describeSetting(spec, evaluation),
      memories: memoriesOf(evaluation),
    });
    const files = await writeReport(folder, report);
    if (page !== null) await replaceTable(page, mark, tableInMarkdown(report));
    console.result({ ...report, files }, () => describe(report, files));
  } finally {
    await results.close();
    await replies?.close();
    for (const embedder of embedders.values()) await embedder.close();
  }
}

/** Of the prompts of judges by file: an answer is judged again by another one. */
function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
}

const CONCURRENCY = 4;

/** States the price of what is left, and asks whether to start where somebody can answer. */
async function agreed(
  run: EvaluationRun,
  { dryRun = false, yes = false, perMillion, rehearsed = false }: RunFlags,
  { console, signal }: Running,
): Promise<boolean> {
  const isFree = run.setting.model === null || rehearsed;
  if (isFree && !dryRun) return true;
  const price = await priceOf(run);
  const lines = describePrice(price, perMillion);
  if (dryRun) {
    console.result({ price }, () => lines);
    return false;
  }
  for (const line of lines) console.note(line);
  if (price.calls === 0 || yes || !canAsk(console.terminal)) return true;
  if (await confirm(console.terminal, 'Start?', signal)) return true;
  console.note('Nothing was asked of a model.');
  return false;
}

function describePrice({ parts, ...all }: RunPrice, perMillion: string | undefined): string[] {
  if (all.calls === 0) return ['Nothing is left to ask of a model.'];
  const words = ({ calls, promptTokens, completionTokens }: Usage) =>
    `about ${counted(calls, 'call')}, ${counted(promptTokens, 'prompt token')}, ${counted(completionTokens, 'completion token')}`;
  return [
    ...parts.map(({ what, ...cost }) => `${what}: ${words(cost)}`),
    `in all: ${words(all)}${perMillion === undefined ? '' : `, some ${money(all, perMillion)}`}`,
  ];
}

function money({ promptTokens, completionTokens }: Usage, perMillion: string): string {
  const [prompt = Number.NaN, completion = Number.NaN] = perMillion.split(',').map(Number);
  const price = (promptTokens * prompt + completionTokens * completion) / 1e6;
  if (Number.isNaN(price)) throw new UsageError('--per-million needs two numbers, such as 0.4,1.6');
  return price.toFixed(2);
}

/** From a file, a table's name or flags; flags replace what the others say. */
async function specOf(file: string | undefined, flags: RunFlags, folder: string): Promise<Spec> {
  const { table, dataset, data, gold, conversations, questions, judgeModel, seeds } = flags;
  if (file !== undefined && table !== undefined)
    throw new UsageError('a specification and --table exclude each other');
  const given = Object.fromEntries(
    Object.entries({ dataset, data, gold, conversations, questions, judgeModel }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  const seeded = seeds === undefined ? {} : { seeds: numbersIn('--seeds', seeds) };
  if (file !== undefined)
    return parseSpec({ ...(await specFile(resolve(folder, file))), ...given, ...seeded });
  if (table !== undefined) {
    const named = paperTableNamed(table);
    const tier = flags.tier as TableTier;
    return parseSpec({
      ...specOfTable(named, { dataset: dataset ?? named.datasets[0]!, tier }),
      ...given,
      ...seeded,
    });
  }
  const axes = ['profile', 'recipe', 'context', 'answerer', 'judge'] as const;
  const grid = {
    ...Object.fromEntries(
      axes.flatMap((axis) => (flags[axis] === undefined ? [] : [[axis, namesIn(`--${axis}`, flags[axis])]])),
    ),
    ...(flags.k === undefined ? {} : { k: numbersIn('--k', flags.k) }),
  };
  if (Object.keys(grid).length === 0)
    throw new UsageError('Name a specification, --table, or what to compare, such as --recipe auto,system1');
  return parseSpec({ name: 'grid', ...given, ...seeded, grid });
}

function numbersIn(flag: string, list: string): number[] {
  return namesIn(flag, list).map((each) => wholeNumber(each));
}

async function specFile(path: string): Promise<object> {
  const read = parseJson(await readText(path));
  if (!read.ok || typeof read.value !== 'object' || read.value === null)
    throw new FileUnreadableError(path, 'it holds no JSON object');
  return read.value;
}

function limited(
  dataset: EvaluationDataset,
  { conversations, questions, without = [] }: Spec,
): EvaluationDataset {
  const cases = dataset.cases.slice(0, conversations).map((each) => ({
    ...each,
    questions: each.questions.filter(({ category }) => !without.includes(category)).slice(0, questions),
  }));
  return { ...dataset, cases };
}

function describeSetting({ dataset, data }: Spec, { dataset: { cases }, setting, seeds }: EvaluationRun) {
  const turns = cases.reduce((sum, each) => sum + each.turns.length, 0);
  return {
    'data set': `${dataset}${data === undefined ? '' : ` (${data.split('/').at(-1)})`}, ${counted(cases.length, 'conversation')}, ${counted(turns, 'turn')}`,
    model: setting.model ?? 'none',
    judge: setting.judgeModel ?? 'none',
    embedder: setting.embedder,
    reranker: setting.reranker,
    seeds: seeds.join(', '),
    version: setting.version,
  };
}

function memoriesOf(run: EvaluationRun) {
  const rows = run.rows.filter(({ recipe }) => typeof recipe !== 'string');
  const memories = new Map(rows.map((row) => [memoryName(row, run), row.profile.name]));
  return [...memories].flatMap(([name, profile]) => {
    const cases = run.dataset.cases.flatMap(({ scope }) => run.results.ingested(name, scope) ?? []);
    if (cases.length === 0) return [];
    const sum = (key: 'turns' | 'seconds' | 'setAside') =>
      cases.reduce((total, each) => total + each[key], 0);
    const usage = run.replies?.usageOf(name) ?? { calls: 0, promptTokens: 0, completionTokens: 0 };
    return [
      { name, profile, turns: sum('turns'), seconds: sum('seconds'), setAside: sum('setAside'), usage },
    ];
  });
}

function describe(report: TableReport, files: readonly string[]): string[] {
  return [markdownOf(report).trimEnd(), '', `written: ${files.join(', ')}`];
}

function configOf(flags: RunFlags, terminal: Terminal): Config {
  const {
    table: _t,
    dataset: _d,
    data: _a,
    gold: _g,
    profile: _p,
    recipe: _r,
    context: _c,
    k: _k,
    ...more
  } = flags;
  const {
    answerer: _n,
    judge: _j,
    judgeModel: _m,
    seeds: _s,
    conversations: _v,
    questions: _q,
    ...rest
  } = more;
  const {
    out: _o,
    markdown: _w,
    rehearsed: _h,
    perMillion: _i,
    dryRun: _y,
    yes: _e,
    json: _z,
    tier: _b,
    ...settings
  } = rest;
  return settingsOf(terminal, settings).values;
}

function slug(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^\w-]+/g, '-')
    .slice(0, 80);
}
