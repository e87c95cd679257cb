/** Public exports of `mnemis/papers`: retrieval and ingestion exactly as in the papers, as data. */

export { ABLATIONS, type Ablation, ablationNamed } from './ablations.ts';
export { PAPER_PROFILES, paperProfileNamed } from './profiles.ts';
export { PAPER_RECIPES, paperRecipeNamed } from './recipes.ts';
