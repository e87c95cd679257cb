import { INGEST_PROFILES, type IngestProfile } from '../src/ingest/profile.ts';
import type { Recipe } from '../src/retrieve/recipes/recipe.ts';
import { RECIPE_ALIASES, RECIPE_NAMES, RECIPES } from '../src/retrieve/recipes/recipes.ts';
import type { RecipeEntry } from './contract.ts';

/** Returns the recipe of that name; variants of the papers are loaded only here. @throws UnknownNameError */
export async function findRecipe(name: string | undefined): Promise<string | Recipe | undefined> {
  if (name === undefined || RECIPE_NAMES.includes(name)) return name;
  return (await import('../eval/papers/recipes.ts')).paperRecipeNamed(name);
}

export async function recipeNames(): Promise<readonly string[]> {
  const { PAPER_RECIPES } = await import('../eval/papers/recipes.ts');
  return [...RECIPE_NAMES, ...PAPER_RECIPES.map(({ name }) => name)];
}

/** The plain recipes, which are named after no paper. */
const GENERAL: ReadonlySet<string> = new Set([
  ...['auto', 'everything'],
  ...['system1-rag', 'system1-reranked', 'system1-balanced', 'system1-lexical', 'system1-vector'],
  ...['system2-local', 'mnemis-local'],
]);

/** The recipes that `findRecipe` knows, in words: for everyday use, then as in the papers, then their variants. */
export async function recipeEntries(): Promise<RecipeEntry[]> {
  const { PAPER_RECIPES } = await import('../eval/papers/recipes.ts');
  const entryOf = (group: RecipeEntry['group'], { name, description, routes }: Recipe): RecipeEntry => ({
    name,
    description,
    group,
    aliases: Object.keys(RECIPE_ALIASES).filter((alias) => RECIPE_ALIASES[alias] === name),
    routes: [...new Set(routes.map(({ route }) => route))],
    model: modelUse(routes),
  });
  const named = (isGeneral: boolean) => RECIPES.filter(({ name }) => GENERAL.has(name) === isGeneral);
  return [
    ...named(true).map((each) => entryOf('general', each)),
    ...named(false).map((each) => entryOf('papers', each)),
    ...PAPER_RECIPES.map((each) => entryOf('ablations', each)),
  ];
}

/** Only a walk down the categories asks a model. */
function modelUse(routes: Recipe['routes']): RecipeEntry['model'] {
  const selectors = routes.flatMap((each) => (each.route === 'system2' ? [each.selector] : []));
  if (selectors.includes('llm')) return 'needed';
  return selectors.includes('auto') ? 'used' : 'unused';
}

/** Returns the ingest profile of that name; those of the papers are loaded only here. @throws UnknownNameError */
export async function findProfile(name: string): Promise<IngestProfile> {
  const profile = INGEST_PROFILES.find((candidate) => candidate.name === name);
  return profile ?? (await import('../eval/papers/profiles.ts')).paperProfileNamed(name);
}
