import { Command, InvalidArgumentError } from 'commander';
import { CancelledError } from '../../../src/errors/index.ts';
import type { HierarchyEnd } from '../../../src/model/nodes.ts';
import type { Usage } from '../../../src/model/retrieved-item.ts';
import type { Config } from '../../config.ts';
import type { HierarchyEvent, HierarchyReport, HierarchyStatus, InputOf } from '../../contract.ts';
import { counted, type Terminal } from '../console.ts';
import { refuseEmptyScope } from '../empty-scope.ts';
import { describeUsage, type Stages, stagesReport, tokensOf, usageReport } from '../enrichment.ts';
import { type CommonFlags, commonFlags, learningFlags } from '../flags.ts';
import { startProgress } from '../progress.ts';
import { type ClientCommand, withClient } from '../run-command.ts';

type Flags = CommonFlags & Partial<Config>;

interface RefreshFlags {
  readonly all?: boolean;
  readonly byModel?: boolean;
  readonly least?: number;
}

const HELP = `
Reading turns for facts also groups entities into categories, and categories into broader ones. Existing nodes keep \
their category; only new nodes are placed. With rules (local tier) the result always equals a rebuild. With a language \
model (--tier llm) only new entities are sent, and "status" reports when a rebuild is worth its cost.

  mnemis hierarchy                 its status
  mnemis hierarchy update          place new entities
  mnemis hierarchy rebuild         group all entities again
  mnemis tree                      browse the categories`;

export function hierarchyCommand(terminal: Terminal): Command {
  return new Command('hierarchy')
    .description('Show, update or rebuild the categories that group entities.')
    .addHelpText('after', HELP)
    .addCommand(statusCommand(terminal), { isDefault: true })
    .addCommand(organizeCommand(terminal, 'update', 'Place entities that have no category.'))
    .addCommand(
      organizeCommand(
        terminal,
        'rebuild',
        'Group all entities again; categories with the same name keep their ids.',
      ),
    )
    .addCommand(refreshCommand(terminal));
}

function statusCommand(terminal: Terminal): Command {
  return commonFlags(new Command('status'))
    .description(
      'Show the layers, how they were built, how many entities wait, and whether a rebuild is worth its cost.',
    )
    .action(async (flags: Flags) =>
      withClient(terminal, { ...flags, access: 'reads' }, async (command) => {
        const { client, config, console, signal } = command;
        const { scope } = config;
        const status = await client.hierarchy({ scope }, { signal });
        if (status.entities === 0) await refuseEmptyScope(command);
        console.result({ scope, ...status }, () => describeStatus(status));
      }),
    );
}

function organizeCommand(terminal: Terminal, name: 'update' | 'rebuild', description: string): Command {
  return learningFlags(commonFlags(new Command(name)))
    .description(description)
    .action(async (flags: Flags) =>
      withClient(terminal, { ...flags, access: 'reads', purpose: 'learn' }, async (command) => {
        await refuseEmptyScope(command);
        const { usage, byStage, ...rest } = await organize(command, name);
        const report = { ...rest, usage: usageReport(usage), byStage: stagesReport(byStage) };
        const { scope } = command.config;
        command.console.result({ scope, ...report }, () => describeReport(report));
      }),
    );
}

function refreshCommand(terminal: Terminal): Command {
  return learningFlags(commonFlags(new Command('refresh')))
    .description('Update the summaries of categories whose content has changed.')
    .option('--all', 'all summaries, also those that are up to date')
    .option('--by-model', 'let the language model write them (with --tier llm)')
    .option(
      '--least <share>',
      'share of a category’s content that must have changed, from 0 to 1 (default: 0; with --by-model 0.1)',
      share,
    )
    .action(async ({ all = false, byModel = false, least, ...flags }: Flags & RefreshFlags) =>
      withClient(terminal, { ...flags, access: 'reads', purpose: 'learn' }, async (command) => {
        const refreshed = await refresh(command, { by: byModel ? 'model' : 'rules', all, least });
        command.console.result({ refreshed }, () => [
          `${counted(refreshed, 'summary', 'summaries')} updated.`,
        ]);
      }),
    );
}

function share(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError('It must be a number from 0 to 1.');
  return value;
}

async function refresh(
  { client, config, signal }: ClientCommand,
  how: Pick<InputOf<'refreshSummaries'>, 'by' | 'all' | 'least'>,
): Promise<number> {
  const { scope, llmTokenBudget: tokenBudget } = config;
  let refreshed = 0;
  try {
    for await (const event of client.refreshSummaries({ scope, ...how, tokenBudget }, { signal }))
      ({ refreshed } = event);
  } catch (error) {
    if (!CancelledError.isInstance(error)) throw error;
    throw new CancelledError('updated summaries are kept', error);
  }
  return refreshed;
}

async function organize(
  { client, config, console, signal }: ClientCommand,
  name: 'update' | 'rebuild',
): Promise<HierarchyReport> {
  const { scope, llmTokenBudget: tokenBudget } = config;
  const run = name === 'update' ? client.updateHierarchy : client.rebuildHierarchy;
  const progress = startProgress(console, 'Grouping', 100);
  let placed = 0;
  let report: HierarchyReport | undefined;
  try {
    for await (const event of run({ scope, tokenBudget }, { signal })) {
      ({ placed } = event.counts);
      if (event.type === 'done') {
        const { type: _type, ...done } = event;
        report = done;
      } else progress.update(shareDone(event), describeProgress(event));
    }
  } catch (error) {
    throw CancelledError.isInstance(error) ? stopped(name, placed, error) : error;
  } finally {
    progress.stop(); // before the next line is printed: output would break the bar
  }
  return report!; // the stream ends with `done` or throws
}

/** An engine in another process completes its current step unreported, so `placed` is a lower bound. */
function stopped(name: 'update' | 'rebuild', placed: number, cause: CancelledError): CancelledError {
  const so = placed === 0 ? 'placed nodes are kept' : `${counted(placed, 'node')} placed and kept`;
  return new CancelledError(`${so}; run "mnemis hierarchy ${name}" again to continue`, cause);
}

type Progress = Extract<HierarchyEvent, { type: 'progress' }>;

/** Percentage for the bar. Layer 1 gets 90: each layer is much smaller than the one below it. */
function shareDone({ layer, left, counts }: Progress): number {
  const done = layer === 1 ? counts.placed / Math.max(1, counts.placed + left) : 1;
  return 90 * done + (layer > 1 ? Math.min(9, 3 * (layer - 1)) : 0);
}

function describeProgress({ layer, counts, usage }: Progress): string {
  const spent = usage.calls > 0 ? `, ${counted(tokensOf(usage), 'token')} spent` : '';
  return `layer ${layer}, ${counted(counts.placed, 'node')} placed${spent}`;
}

function describeReport({
  counts,
  layers,
  stoppedBy,
  notes,
  usage,
  byStage,
  seconds,
}: Omit<HierarchyReport, 'mode' | 'usage' | 'byStage'> & {
  readonly usage: Usage;
  readonly byStage: Stages;
}): string[] {
  const { created, dissolved, renamed, placed } = counts;
  const isSame = created + dissolved + renamed + placed === 0;
  return [
    isSame
      ? 'The categories are up to date.'
      : `${counted(placed, 'node')} placed; ${counted(created, 'category', 'categories')} new, ${dissolved} dissolved, ${renamed} renamed, in ${seconds.toFixed(1)} s`,
    describeLayers(layers, stoppedBy),
    ...describeUsage(usage, byStage),
    ...notes.slice(0, 10).map((note) => `  ${note}`),
  ];
}

const ENDS: Readonly<Record<HierarchyEnd, string>> = {
  'no-entities': 'no entities to group yet',
  'single-node': 'the top layer is one category',
  'nothing-merged': 'another layer would have merged nothing',
  'layer-grew': 'another layer would have been larger than the one below it',
  'maximum-layers': 'the maximum number of layers is reached',
  'few-nodes': 'the top layer is short enough to be read as a whole',
};

function describeLayers(layers: readonly number[], stoppedBy: HierarchyEnd | null): string {
  const sizes = layers.length === 0 ? 'No categories' : `Categories by layer: ${layers.join(' → ')}`;
  return stoppedBy === null ? sizes : `${sizes}; ${ENDS[stoppedBy]}`;
}

function describeStatus({ built, entities, layers, waiting, stale, drift }: HierarchyStatus): string[] {
  const known = counted(entities, 'entity', 'entities');
  if (built === null) return [`${known}, no categories yet: "mnemis hierarchy update" creates them.`];
  return [
    `${known}. ${describeLayers(layers, built.stoppedBy)}`,
    `Grouped by ${built.categorizer === 'local' ? 'rules' : built.categorizer}, at least ${built.minimumChildren} to a category; built ${new Date(built.builtAt).toISOString().slice(0, 16).replace('T', ' ')}`,
    ...(waiting > 0 ? [`${waiting} without a category: "mnemis hierarchy update" places them`] : []),
    ...(stale > 0
      ? [
          `${counted(stale, 'summary', 'summaries')} out of date; updated when needed, or by "mnemis hierarchy refresh"`,
        ]
      : []),
    ...(drift.share > 0
      ? [
          `Since then: ${drift.added} entities added, ${drift.gone} removed (${Math.round(100 * drift.share)} % of the entities at that time), ${drift.alone} in a category of their own; ${drift.overfull} categories too large`,
        ]
      : []),
    ...(drift.rebuildPays ? ['A rebuild is recommended: "mnemis hierarchy rebuild".'] : []),
  ];
}
