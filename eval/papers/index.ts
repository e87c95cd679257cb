/** Public exports of `mnemis/papers`: retrieval and ingestion exactly as in the papers, as data. */

export { PAPER_PROFILES, paperProfileNamed } from './profiles.ts';
export { PAPER_RECIPES, paperRecipeNamed } from './recipes.ts';
export { PAPER_TABLES, type PaperTable, paperTableNamed, specOfTable } from './tables.ts';
