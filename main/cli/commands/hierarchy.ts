import { Command } from 'commander';
import { CancelledError } from '../../../src/errors/index.ts';
import type { HierarchyEnd } from '../../../src/model/nodes.ts';
import type { Usage } from '../../../src/model/retrieved-item.ts';
import type { HierarchyEvent, HierarchyReport, HierarchyStatus, OutputOf } from '../../contract.ts';
import { type CommandConsole, counted, type Terminal } from '../console.ts';
import { contractCommand } from '../contract-command.ts';
import { describeUsage, type Stages, stagesReport, tokensOf, usageReport } from '../enrichment.ts';
import { learningFlags } from '../flags.ts';
import { lastEvent } from '../progress.ts';

type Organized = Omit<HierarchyReport, 'usage' | 'byStage'> & {
  readonly usage: Usage;
  readonly byStage: Stages;
};

interface RefreshFlags {
  readonly all?: boolean;
  readonly byModel?: boolean;
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
  return contractCommand<'hierarchy'>(terminal, {
    name: 'status',
    summary:
      'Show the layers, how they were built, how many entities wait, and whether a rebuild is worth its cost.',
    method: 'hierarchy',
    isEmpty: ({ entities }) => entities === 0,
    json: (status, { config: { scope } }) => ({ scope, ...status }),
    lines: describeStatus,
  });
}

function organizeCommand(terminal: Terminal, name: 'update' | 'rebuild', summary: string): Command {
  const method = name === 'update' ? 'updateHierarchy' : 'rebuildHierarchy';
  return contractCommand<typeof method, Organized>(terminal, {
    name,
    summary,
    method,
    before: learningFlags,
    needsTurns: true,
    opening: () => ({ purpose: 'learn' }),
    result: async (events, { console }) => {
      const { usage, byStage, ...rest } = await organize(name, events, console);
      return { ...rest, usage: usageReport(usage), byStage: stagesReport(byStage) };
    },
    json: (report, { config: { scope } }) => ({ scope, ...report }),
    lines: describeReport,
  });
}

function refreshCommand(terminal: Terminal): Command {
  return contractCommand<'refreshSummaries', { readonly refreshed: number }, RefreshFlags>(terminal, {
    name: 'refresh',
    summary: 'Update the summaries of categories whose content has changed.',
    method: 'refreshSummaries',
    before: learningFlags,
    fields: {
      all: { says: 'all summaries, also those that are up to date' },
      least: {
        value: 'share',
        says: 'share of a category’s content that must have changed, from 0 to 1 (default: 0; with --by-model 0.1)',
      },
    },
    after: (command) => command.option('--by-model', 'let the language model write them (with --tier llm)'),
    input: ({ all = false, byModel = false }) => ({ all, by: byModel ? 'model' : 'rules' }),
    opening: () => ({ purpose: 'learn' }),
    result: async (events) => ({ refreshed: await refresh(events) }),
    lines: ({ refreshed }) => `${counted(refreshed, 'summary', 'summaries')} updated.`,
  });
}

async function refresh(events: AsyncIterable<OutputOf<'refreshSummaries'>>): Promise<number> {
  let refreshed = 0;
  try {
    for await (const event of events) ({ refreshed } = event);
  } catch (error) {
    if (!CancelledError.isInstance(error)) throw error;
    throw new CancelledError('updated summaries are kept', error);
  }
  return refreshed;
}

async function organize(
  name: 'update' | 'rebuild',
  events: AsyncIterable<HierarchyEvent>,
  console: CommandConsole,
): Promise<HierarchyReport> {
  let placed = 0;
  try {
    const { type: _, ...report } = await lastEvent(events, {
      console,
      what: 'Grouping',
      show: (event, progress) => {
        ({ placed } = event.counts);
        progress.update(shareDone(event), describeProgress(event));
      },
    });
    return report;
  } catch (error) {
    throw CancelledError.isInstance(error) ? stopped(name, placed, error) : error;
  }
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

function describeReport({ counts, layers, stoppedBy, notes, usage, byStage, seconds }: Organized): string[] {
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
