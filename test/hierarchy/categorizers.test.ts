import { RehearsalModel } from '../../eval/rehearsal/rehearsal-model.ts';
import { LlmCategorizer } from '../../src/hierarchy/categorize/llm/llm-categorizer.ts';
import { LocalCategorizer } from '../../src/hierarchy/categorize/local/local-categorizer.ts';
import { readStaticModel, StaticEmbedder } from '../../src/inference/embedder/static-embedder.ts';
import { readNounTaxonomy } from '../../src/inference/taxonomy/noun-taxonomy.ts';
import { analyze } from '../../src/search/analyzer.ts';
import { type CategorizerLab, categorizerContract } from '../contract/categorizer.ts';
import { counter } from '../fakes/openai-server/tokens.ts';

const taxonomy = await readNounTaxonomy();
const embedder = new StaticEmbedder({ analyze, model: await readStaticModel() });
const vectorOf = async (name: string) => (await embedder.embed([name], { as: 'passage' }))[0]!;

const CATEGORIZERS: Readonly<Record<string, CategorizerLab['make']>> = {
  LlmCategorizer: () => new LlmCategorizer(new RehearsalModel({ counter })),
  LocalCategorizer: () => new LocalCategorizer(taxonomy),
};
for (const [name, make] of Object.entries(CATEGORIZERS)) {
  categorizerContract(name, { make, vectorOf });
  categorizerContract(`${name} without vectors`, { make });
}
