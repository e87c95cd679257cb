import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { CancelledError, ModelFilesError } from '../../../src/errors/index.ts';
import { pulledModels } from '../../../src/inference/hub/installed-model.ts';
import {
  listModels,
  type ModelEntry,
  type ModelVariantEntry,
  removeInstalled,
  verifyInstalled,
} from '../../../src/inference/models/model-catalogue.ts';
import { BUNDLED_ENTRIES, isBundled } from '../../../src/inference/models/model-reference.ts';
import type { Config } from '../../config.ts';
import { CommandConsole, CommandFailed, cancellable, type Terminal } from '../console.ts';
import { megabytes, pull } from '../pull-model.ts';
import { settingsOf } from '../run-command.ts';
import { benchCommand } from './models-bench.ts';

interface ModelsFlags {
  readonly modelsFolder?: string;
  readonly json?: boolean;
}

interface PullFlags extends ModelsFlags {
  readonly precision?: string;
  readonly modelsMirror?: string;
  readonly offline?: boolean;
}

const HELP = `
To use a model, set "embedder" or "reranker" (see "mnemis config") to its name; add ":precision" for one that is not the \
default (bge-m3:fp16). A chat model is "llmModel" or "reranker" as local:NAME. Each model has a folder in the models folder. You can also put a model there yourself, with the \
files of its repository. Only "pull" uses the network.

  mnemis models pull all-minilm-l6-v2
  MNEMIS_EMBEDDER=all-minilm-l6-v2 mnemis import chat.jsonl --format jsonl
  mnemis models pull bge-m3 --mirror /media/disk/models
  HF_TOKEN=… mnemis models pull embeddinggemma-300m
  mnemis models bench qwen3-4b-instruct

The third copies a model from a folder, the fourth needs a licence accepted on the hub, the last measures a chat model here.`;

export function modelsCommand(terminal: Terminal): Command {
  return new Command('models')
    .description('List, fetch, measure, verify and remove models.')
    .addHelpText('after', HELP)
    .addCommand(listCommand(terminal))
    .addCommand(pullCommand(terminal))
    .addCommand(
      benchCommand(withFlags(new Command('bench')), terminal, (flags) =>
        begin(terminal, flags as ModelsFlags),
      ),
    )
    .addCommand(verifyCommand(terminal))
    .addCommand(removeCommand(terminal));
}

function listCommand(terminal: Terminal): Command {
  return withFlags(new Command('list'))
    .description('List the models that Mnemis supports and which are installed.')
    .action(async (flags: ModelsFlags) => {
      const { console, config } = begin(terminal, flags);
      const models = await listModels(config.modelsFolder);
      console.result({ modelsFolder: config.modelsFolder, bundled: BUNDLED_ENTRIES, models }, () =>
        modelTable(models, config.modelsFolder, console),
      );
    });
}

function pullCommand(terminal: Terminal): Command {
  return withFlags(new Command('pull'))
    .description('Download a model, or its missing files. Run it again to continue after an interruption.')
    .argument('<name>', 'the model’s name, as in "mnemis models list"')
    .option('--precision <name>', 'fp32, fp16, int8 or q4, if the model has it')
    .addOption(new Option('--mirror <address>', 'an HTTP address with the hub’s API, or a folder'))
    .option('--offline', 'do not use the network')
    .action(async (name: string, { mirror, precision, ...flags }: PullFlags & { mirror?: string }) => {
      const { console, config } = begin(terminal, {
        ...flags,
        ...(mirror === undefined ? {} : { modelsMirror: mirror }),
      });
      if (isBundled(name)) {
        console.result(
          { name, bundled: true },
          () => `${name} is part of the package; there is nothing to fetch`,
        );
        return;
      }
      const reference = precision === undefined ? name : `${name}:${precision}`;
      await cancellable(terminal, async (signal) => {
        const manifest = await pull(reference, { console, config, signal });
        const { modelsFolder } = config;
        const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
        console.result({ folder: resolve(modelsFolder, manifest.name), ...manifest }, () => [
          `${manifest.name} is installed: ${manifest.files.length} files, ${megabytes(bytes)}, all verified`,
        ]);
      });
    });
}

function verifyCommand(terminal: Terminal): Command {
  return withFlags(new Command('verify'))
    .description('Compare the files of a model, or of all, with their recorded checksums; needs no network.')
    .argument('[name]', 'the model’s name (default: all installed models)')
    .action(async (name: string | undefined, flags: ModelsFlags) => {
      const { console, config } = begin(terminal, flags);
      const { modelsFolder } = config;
      const names = name === undefined ? await pulledModels(modelsFolder) : [name];
      await cancellable(terminal, async (signal) => {
        const models: Verified[] = [];
        for (const each of names) {
          const verified = verify(modelsFolder, each, signal);
          // When all are checked, one that cannot be checked does not stop the others.
          models.push(await (name === undefined ? verified.catch(problemOf(each)) : verified));
        }
        console.result({ modelsFolder, models }, () =>
          models.length === 0
            ? `No model is installed in ${modelsFolder}`
            : models.flatMap((model) => describe(model, console)),
        );
        if (models.some(({ whole }) => whole === false)) throw new CommandFailed();
      });
    });
}

interface Verified {
  readonly name: string;
  /** Null for a model that was placed by hand. */
  readonly whole: boolean | null;
  readonly files: NonNullable<Awaited<ReturnType<typeof verifyInstalled>>>;
  readonly problem?: string;
}

async function verify(modelsFolder: string, name: string, signal: AbortSignal): Promise<Verified> {
  try {
    const files = await verifyInstalled(modelsFolder, name, signal);
    if (files === null) return { name, whole: null, files: [] };
    return { name, whole: files.every(({ state }) => state === 'whole'), files };
  } catch (error) {
    throw signal.aborted ? new CancelledError('nothing was changed', error) : error;
  }
}

function problemOf(name: string): (error: unknown) => Verified {
  return (error) => {
    if (!ModelFilesError.isInstance(error)) throw error;
    return { name, whole: false, files: [], problem: error.message };
  };
}

function describe({ name, whole, files, problem }: Verified, console: CommandConsole): string[] {
  if (problem !== undefined) return [`${console.style('red', 'bad ')} ${name}: ${problem}`];
  if (whole === null)
    return [`${console.style('yellow', '–   ')} ${name}: placed by hand, no checksums to compare with`];
  if (whole) return [`${console.style('green', 'ok  ')} ${name}: ${files.length} files`];
  const bad = files.filter(({ state }) => state !== 'whole');
  return [
    `${console.style('red', 'bad ')} ${name}: ${bad.map(({ path, state }) => `${path} is ${state}`).join(', ')}`,
    `     to fetch it again: mnemis models pull ${name}`,
  ];
}

function removeCommand(terminal: Terminal): Command {
  return withFlags(new Command('remove'))
    .description('Remove a pulled model, in all precisions.')
    .argument('<name>', 'the model’s name')
    .action(async (name: string, flags: ModelsFlags) => {
      const { console, config } = begin(terminal, flags);
      const { bytes, whole, left } = await removeInstalled(config.modelsFolder, name);
      console.result({ name, bytes, left }, () => [
        whole
          ? `Removed ${name}, freed ${megabytes(bytes)}`
          : `${name} was not completely installed; removed its partial download, freed ${megabytes(bytes)}`,
        ...(left.length > 0 ? [`Kept, as "mnemis models pull" did not write them: ${left.join(', ')}`] : []),
      ]);
    });
}

function withFlags(command: Command): Command {
  return command
    .option('--models-folder <folder>', 'folder of the models (default: models in your data folder)')
    .option('--json', 'print one JSON document');
}

function begin(terminal: Terminal, { json, ...settings }: ModelsFlags & Partial<Config>) {
  const { values: config } = settingsOf(terminal, settings);
  return { console: new CommandConsole(terminal, json === true), config };
}

/** The bundled models, then one line per model and precision. */
function modelTable(models: readonly ModelEntry[], modelsFolder: string, console: CommandConsole): string[] {
  const chatModels = models.flatMap(({ name, chat, variants: [variant] }) =>
    chat === null || variant === undefined
      ? []
      : [
          '',
          `${console.style('bold', name)}  ${variant.installed ? 'here' : 'not here'}, ${variant.megabytes} MB on disk, about ${chat.memoryMegabytes} MB in memory`,
          `  for ${chat.suits}; ${chat.languages}`,
        ],
  );
  const bundled = BUNDLED_ENTRIES.map(({ name, kind, dimension, megabytes, licence }) => [
    name,
    kind,
    `${dimension}`,
    '–',
    `${megabytes} MB`,
    'yes, bundled',
    licence,
  ]);
  const ofVectors = models.filter(({ chat }) => chat === null);
  const rows = ofVectors.flatMap((model) =>
    model.variants.map((variant) => [
      variant.isDefault ? model.name : `${model.name}:${variant.precision}`,
      model.kind,
      model.dimension === null ? '–' : [...model.shorterDimensions, model.dimension].join(', '),
      variant.precision,
      `${variant.megabytes} MB`,
      stateOf(variant),
      model.licence,
    ]),
  );
  const table = [['model', 'kind', 'numbers', 'stored as', 'size', 'here', 'licence'], ...bundled, ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  const shown = columnsThatFit(widths, console.width);
  return [
    ...table.map((row, index) => {
      const line = shown
        .map((column) => row[column]!.padEnd(widths[column]!))
        .join('  ')
        .trimEnd();
      return index === 0 ? console.style('bold', line) : line;
    }),
    '',
    'Chat models, which need the package node-llama-cpp; none of them was run with Mnemis yet. Use: --llm-model local:NAME',
    ...chatModels,
    '',
    console.style('dim', `Installed in ${modelsFolder}`),
    ...(shown.length < widths.length
      ? [console.style('dim', 'A wider terminal shows more columns; --json has all')]
      : []),
  ];
}

/** Columns of the table that a narrow terminal does not show, the first first: numbers, licence, stored as, kind. */
const LEFT_OUT_FIRST = [2, 6, 3, 1];

function columnsThatFit(widths: readonly number[], width: number): number[] {
  let shown = [...widths.keys()];
  for (const column of LEFT_OUT_FIRST) {
    const needed = shown.reduce((sum, each) => sum + widths[each]! + 2, -2);
    if (needed <= width) break;
    shown = shown.filter((each) => each !== column);
  }
  return shown;
}

function stateOf({ installed, selfCheckedOn }: ModelVariantEntry): string {
  if (!installed) return 'no';
  return selfCheckedOn.length === 0
    ? 'yes, not self-checked'
    : `yes, self-checked on ${selfCheckedOn.join(', ')}`;
}
