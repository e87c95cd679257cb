/** What `import … from 'mnemis/papers'` gives: retrieval and ingestion to the letter of the papers, as data. */

export { ABLATIONS, type Ablation, ablationNamed } from './ablations.ts';
export { PAPER_PROFILES, paperProfileNamed } from './profiles.ts';
export { PAPER_RECIPES, paperRecipeNamed } from './recipes.ts';
