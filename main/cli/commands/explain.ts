import type { Command } from 'commander';
import type {
  RouteTrace,
  SearchResult,
  WalkEnd,
  WalkStep,
  WalkTrace,
} from '../../../src/model/retrieved-item.ts';
import { type CommandConsole, counted, type Terminal } from '../console.ts';
import { contractCommand, lookBackFields } from '../contract-command.ts';
import { describeFound } from '../describe-item.ts';
import { learningFlags } from '../flags.ts';
import { foundIn, SEARCH_FIELDS } from './search.ts';

const NAMES = 12;
/** The recipe that runs only the walk. */
const WALK = 'system2';

interface Explained {
  readonly result: SearchResult;
  readonly leftOut: RouteTrace | null;
}

export function explainCommand(terminal: Terminal): Command {
  return contractCommand<'search', Explained>(terminal, {
    name: 'explain',
    summary:
      'Show which routes answer a question, the walk down the categories layer by layer, and the results. The walk is shown even if the recipe does not use it.',
    method: 'search',
    before: learningFlags,
    fields: {
      query: { argument: '<question>', says: 'the question' },
      ...SEARCH_FIELDS,
      ...lookBackFields('search'),
    },
    opening: () => ({ purpose: 'learn' }),
    result: async (result, { client, input, signal }) => {
      const isLeftOut = result.routes.some(({ route, end }) => route === WALK && end === 'skipped');
      const walked = isLeftOut ? await client.search({ ...input, recipe: WALK }, { signal }) : null;
      return { result, leftOut: walked?.routes.find(({ walk }) => walk !== undefined) ?? null };
    },
    isEmpty: ({ result }) => foundIn(result) === 0,
    json: ({ result, leftOut }) => (leftOut === null ? result : { ...result, leftOut }),
    lines: ({ result, leftOut }, { console, flags: { k: most } }) =>
      describeSearch(result, { leftOut, most, console }),
  });
}

interface Shown extends Pick<Explained, 'leftOut'> {
  readonly most: number | undefined;
  readonly console: CommandConsole;
}

function describeSearch(result: SearchResult, { leftOut, most, console }: Shown): string[] {
  const { lines, hidden } = describeFound(result, { most, reasons: true }, console);
  return [
    ...result.routes.flatMap((route) => describeRoute(route, console)),
    '',
    ...(leftOut === null
      ? []
      : [
          'The recipe did not take the walk. It would have selected (the results below do not use it):',
          ...describeRoute(leftOut, console),
          '',
        ]),
    ...lines,
    '',
    ...(hidden === 0 ? [] : [console.style('dim', `${hidden} more with a larger --k`)]),
    console.style('dim', `${result.recipe}, ${result.milliseconds.toFixed(1)} ms`),
  ];
}

function describeRoute(route: RouteTrace, console: CommandConsole): string[] {
  const { end, found, failure, notes, figures, usage, walk, milliseconds } = route;
  const { episodes, entities, facts } = found;
  const counts = `${counted(episodes, 'turn')}, ${counted(entities, 'entity', 'entities')}, ${counted(facts, 'fact')}`;
  const cost =
    usage.calls === 0
      ? ''
      : `; ${counted(usage.calls, 'call')}, ${counted(usage.promptTokens + usage.completionTokens, 'token')}`;
  const what = end === 'found' ? counts : `${end}${failure === null ? '' : ` (${failure})`}`;
  const numbers = Object.entries(figures).map(([name, value]) => `${name} ${Math.round(value * 100) / 100}`);
  return [
    `${console.style('bold', route.route)}: ${what}, ${milliseconds.toFixed(1)} ms${cost}`,
    ...[...notes, ...(numbers.length > 0 ? [numbers.join(', ')] : [])].map((note) =>
      console.style('dim', `  ${note}`),
    ),
    ...(walk === undefined ? [] : describeWalk(walk, console)),
  ];
}

function describeWalk(walk: WalkTrace, console: CommandConsole): string[] {
  const { selector, steps, categories, entities } = walk;
  return [
    `  walk by the ${selector} selector`,
    ...steps.flatMap((step) => describeStep(step, console)),
    `  ${ended(walk)} ${counted(categories, 'category', 'categories')} and ${counted(entities, 'entity', 'entities')} selected.`,
  ];
}

function describeStep({ layer, offered, picks, picked, notes }: WalkStep, console: CommandConsole): string[] {
  const what = layer === 0 ? 'entities' : `layer ${layer}`;
  const names = picks.slice(0, NAMES).map(({ name, all }) => (all ? `${name} (all of it)` : name));
  const rest = picked > names.length ? `, and ${picked - names.length} more` : '';
  return [
    `    ${what.padEnd(9)} ${String(picked).padStart(4)} of ${offered}  ${names.join(', ')}${rest}`,
    ...notes.map((note) => console.style('dim', `              ${note}`)),
  ];
}

const ENDS: Readonly<Record<Exclude<WalkEnd, 'failed' | 'no-picks'>, string>> = {
  complete: 'The walk reached the last layer:',
  'no-hierarchy': 'There are no categories yet ("mnemis hierarchy update" creates them):',
  'no-model': 'The selector needs a language model, and none is configured (--tier llm):',
};

function ended({ end, endLayer, failure }: WalkTrace): string {
  if (end === 'failed') return `The walk failed (${failure}) and was ignored:`;
  if (end !== 'no-picks') return ENDS[end];
  const where = endLayer === 0 ? 'the entities' : `layer ${endLayer}`;
  return `The walk stopped at ${where}, where nothing is relevant to the question:`;
}
