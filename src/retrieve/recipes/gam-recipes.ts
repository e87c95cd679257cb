import { TOPICS, type TopicsRoute } from '../topics/defaults.ts';
import { type Recipe, recipe } from './recipe.ts';

function gam(name: string, description: string, route: Partial<TopicsRoute> = {}): Recipe {
  return recipe(name, description, { routes: [{ ...TOPICS, ...route }] });
}

/** Retrieval of the GAM paper (§3.4) and its ablations (§4.4). The one without SSM is an ingest profile. */
export const GAM_RECIPES: readonly Recipe[] = [
  gam('gam', 'the topics nearest to the question, their neighbours, and the turns of all of these'),
  gam('gam-without-tan', 'gam over the turns nearest to the question, without topics', { anchors: 'none' }),
  gam('gam-without-epg', 'gam that ranks what was noted of topics, and gives the turns of the best ones', {
    candidates: 'summaries',
  }),
  gam('gam-without-mfr', 'gam that ranks turns by their cosine alone', { rerank: 'cosine' }),
];

const FACTORS = [1, 1.2, 1.4, 1.6, 1.8, 2];
const SIZES = [5, 10, 15, 20, 30, 40];

/** The sensitivity studies of the paper (Appendix D): each factor alone from 1 to 2, and k from 5 to 40. */
export function gamSweeps(): readonly Recipe[] {
  const ofFactors = (['time', 'role', 'confidence'] as const).flatMap((factor) =>
    FACTORS.map((value) =>
      gam(`gam-${factor}-${value.toFixed(1).replace('.', '-')}`, `gam with a ${factor} factor of ${value}`, {
        factors: { ...TOPICS.factors, [factor]: value },
      }),
    ),
  );
  const ofSizes = SIZES.map((k) =>
    gam(`gam-k-${k}`, `gam with ${k} topics, and ${k} turns found`, { topics: k, results: k }),
  );
  return [...ofFactors, ...ofSizes];
}
