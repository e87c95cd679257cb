import { INGEST_PROFILES, type IngestProfile } from '../src/ingest/profile.ts';
import type { Recipe } from '../src/retrieve/recipes/recipe.ts';
import { RECIPE_NAMES } from '../src/retrieve/recipes/recipes.ts';

/** Returns the recipe of that name; variants of the papers are loaded only here. @throws UnknownNameError */
export async function findRecipe(name: string | undefined): Promise<string | Recipe | undefined> {
  if (name === undefined || RECIPE_NAMES.includes(name)) return name;
  return (await import('../eval/papers/recipes.ts')).paperRecipeNamed(name);
}

/** The names that `findRecipe` knows. */
export async function recipeNames(): Promise<readonly string[]> {
  const { PAPER_RECIPES } = await import('../eval/papers/recipes.ts');
  return [...RECIPE_NAMES, ...PAPER_RECIPES.map(({ name }) => name)];
}

/** Returns the ingest profile of that name; those of the papers are loaded only here. @throws UnknownNameError */
export async function findProfile(name: string): Promise<IngestProfile> {
  const profile = INGEST_PROFILES.find((candidate) => candidate.name === name);
  return profile ?? (await import('../eval/papers/profiles.ts')).paperProfileNamed(name);
}
