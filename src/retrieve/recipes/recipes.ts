import { UnknownNameError } from '../../errors/index.ts';
import { GAM_RECIPES } from './gam-recipes.ts';
import { MEMORAI_RECIPES } from './memorai-recipes.ts';
import { MIXED_RECIPES } from './mixed-recipes.ts';
import { MNEMIS_RECIPES } from './mnemis-recipes.ts';
import { PERSONALAI_RECIPES } from './personalai-recipes.ts';
import { parseRecipe, type Recipe } from './recipe.ts';

/**
 * The recipe of `search` and `ask` where none is named. It goes by the question: `system1` for all, more routes for
 * those that ask for all of something.
 */
export const DEFAULT_RECIPE = 'auto';

/** Every strategy that goes by a name. */
export const RECIPES: readonly Recipe[] = [
  ...MIXED_RECIPES,
  ...MNEMIS_RECIPES,
  ...MEMORAI_RECIPES,
  ...GAM_RECIPES,
  ...PERSONALAI_RECIPES,
];

/** A recipe by its name, or one of the caller's own, checked. */
export function recipeFrom(recipe: string | Recipe): Recipe {
  return typeof recipe === 'string' ? recipeNamed(recipe) : parseRecipe(recipe);
}

/** One of `RECIPES`, for a name that a user gave. @throws UnknownNameError, which lists the names. */
export function recipeNamed(name: string): Recipe {
  const recipe = RECIPES.find((candidate) => candidate.name === name);
  if (recipe === undefined)
    throw new UnknownNameError(
      'recipe',
      name,
      RECIPES.map((candidate) => candidate.name),
    );
  return recipe;
}
