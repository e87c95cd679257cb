import type { System2Route } from '../../src/retrieve/categories/defaults.ts';
import { recipeNamed } from '../../src/retrieve/recipes/recipes.ts';

/** Settings for a walk by a model. */
export interface Lever {
  readonly name: string;
  readonly route: System2Route;
}

const NONE = 100_000;

const DEFAULT = recipeNamed('system2').routes.find((route) => route.route === 'system2')!;

/** No list is truncated, joined or omitted. */
const BARE: System2Route = {
  ...DEFAULT,
  selector: 'llm',
  walk: { beam: NONE, skipTop: 0, together: 0 },
  llm: { shown: 'names+tags', listTokens: 3_000, shortlist: NONE },
};

type Setting = Partial<System2Route['walk'] & System2Route['llm']>;

function lever(name: string, setting: Setting, base = BARE): Lever {
  const { beam, skipTop, together, shown, listTokens, shortlist } = { ...base.walk, ...base.llm, ...setting };
  return {
    name,
    route: { ...base, walk: { beam, skipTop, together }, llm: { shown, listTokens, shortlist } },
  };
}

/** The baseline for all others. */
export const DEAREST = 'names+tags+summary';
/** The same for every question, so that it can be cached. */
const ONE_LIST = 'names, all in one list';

/** One lever each on top of `names+tags`, then several together. */
export const LEVERS: readonly Lever[] = [
  lever(DEAREST, { shown: 'names+tags+summary' }),
  lever('names+tags', {}),
  lever('names', { shown: 'names' }),
  lever('beam 30', { beam: 30 }),
  lever('beam 12', { beam: 12 }),
  lever('beam 6', { beam: 6 }),
  lever('together 60', { together: 60 }),
  lever('together 150', { together: 150 }),
  lever('skipTop 30', { skipTop: 30 }),
  lever('shortlist 300', { shortlist: 300 }),
  lever('shortlist 100', { shortlist: 100 }),
  lever('shortlist 50', { shortlist: 50 }),
  lever('recipe as it is', {}, { ...DEFAULT, selector: 'llm' }),
  lever('names, shortlist 100', { shown: 'names', shortlist: 100 }),
  lever('names, skipTop 30, shortlist 300', { shown: 'names', skipTop: 30, shortlist: 300 }),
  lever('names, skipTop 30, shortlist 200', { shown: 'names', skipTop: 30, shortlist: 200 }),
  lever('names, skipTop 30, shortlist 100', { shown: 'names', skipTop: 30, shortlist: 100 }),
  lever(ONE_LIST, { shown: 'names', skipTop: NONE, together: NONE, listTokens: 16_000 }),
];

const AT_EVERY_SIZE = new Set([
  DEAREST,
  'names+tags',
  'names',
  'recipe as it is',
  'names, shortlist 100',
  ONE_LIST,
]);

/** Levers with an effect at small sizes. */
export function leversFor(isWhole: boolean): readonly Lever[] {
  return isWhole ? LEVERS : LEVERS.filter(({ name }) => AT_EVERY_SIZE.has(name));
}
