import { UnknownNameError } from '../../src/errors/index.ts';
import { DEFAULT_LOCAL_PROFILE, type IngestProfile, profileNamed } from '../../src/ingest/profile.ts';
import type { Recipe } from '../../src/retrieve/recipes/recipe.ts';
import { gamSweeps, paperRecipeNamed, personalaiRecipes } from './recipes.ts';

/**
 * The paper's own figures in percent, by metric. They are from other data, models and memories, for orientation only.
 */
export type PaperFigures = Readonly<Record<string, number>>;

/** One line of a table of a paper. */
export interface AblationRow {
  /** The label in the paper. */
  readonly label: string;
  readonly recipe: Recipe;
  readonly paper?: PaperFigures | undefined;
}

/** Lines that share one memory: its ingest profile, its reranker, and the recipes compared on it. */
export interface AblationRun {
  readonly profile: IngestProfile;
  /** A model's name, or `none`. Default: the configured one. */
  readonly reranker?: string | undefined;
  readonly rows: readonly AblationRow[];
}

/** A table of a paper as data. Recipes of one run have different names. */
export interface Ablation {
  readonly name: string;
  readonly title: string;
  /** A note that reports of our figures must include. */
  readonly note?: string | undefined;
  readonly runs: readonly AblationRun[];
}

const LOCAL = profileNamed(DEFAULT_LOCAL_PROFILE);
const WRITTEN_BY_RULES = 'Here rules write memory, in the paper a model does; the same part is left out.';
const JUDGED =
  'The paper’s figures are a judge’s of answers on all ten conversations; ours are recall. Walks are by rules, and lines that rerank do so where a reranker is set.';

function profile(name: string, changes: Partial<IngestProfile>): IngestProfile {
  return { ...LOCAL, name: `local-${name}`, description: `local, ${name}`, ...changes };
}

function row(label: string, recipe: string, paper?: PaperFigures): AblationRow {
  return { label, recipe: paperRecipeNamed(recipe), paper };
}

const recalls = (turn: number, session: number): PaperFigures => ({ 'turn@10': turn, 'session@10': session });
const scores = (f1: number, bleu1: number): PaperFigures => ({ F1: f1, 'BLEU-1': bleu1 });
const judge = (score: number): PaperFigures => ({ judge: score });
const judgeByK = (five: number, ten: number, thirty: number, fifty: number): PaperFigures => ({
  'judge k=5': five,
  'k=10': ten,
  'k=30': thirty,
  'k=50': fifty,
});

const MNEMIS: readonly Ablation[] = [
  {
    name: 'mnemis-table4',
    title: 'Routes of Mnemis (Table 4)',
    note: JUDGED,
    runs: [
      {
        profile: LOCAL,
        rows: [
          row('System-1 RAG', 'system1-rag', judge(73.8)),
          row('System-1 Graph', 'system1-graph', judge(81.6)),
          row('System-1 RAG + Graph', 'system1', judge(89.1)),
          row('System-1 Re-ranked', 'system1-reranked', judge(89.1)),
          row('System-2 Only', 'system2', judge(87.7)),
          row('System-1 + System-2', 'mnemis', judge(93.3)),
        ],
      },
    ],
  },
  {
    name: 'mnemis-table5',
    title: 'Rerankers of Mnemis (Table 5), and none',
    note: JUDGED,
    runs: [
      { profile: LOCAL, reranker: 'none', rows: [row('no reranker', 'mnemis')] },
      reranked('Qwen3-Reranker-0.6B', 'qwen3-reranker-0.6b', 92.6),
      reranked('BGE-Reranker-V2-M3', 'bge-reranker-v2-m3', 92.7),
      reranked('Qwen3-Reranker-8B', 'qwen3-reranker-8b', 93.3),
    ],
  },
  {
    name: 'mnemis-table9',
    title: 'How many turns Mnemis shows (Table 9): recall at 5, 10, 30 and 50',
    note: JUDGED,
    runs: [
      {
        profile: LOCAL,
        rows: [
          row('System-1 RAG', 'system1-rag', judgeByK(64.3, 73.8, 82.7, 85.6)),
          row('System-1 Graph', 'system1-graph', judgeByK(79.4, 81.6, 84.7, 86.2)),
          row('System-1 RAG + Graph', 'system1', judgeByK(86.8, 89.1, 90.6, 91.8)),
          row('System-2 Only', 'system2', judgeByK(87.3, 87.7, 87.9, 88.1)),
          row('System-1 + System-2', 'mnemis', judgeByK(92.2, 93.3, 93.9, 93.4)),
        ],
      },
    ],
  },
];

function reranked(label: string, reranker: string, score: number): AblationRun {
  return { profile: LOCAL, reranker, rows: [row(label, 'mnemis', judge(score))] };
}

const MEMORAI: readonly Ablation[] = [
  {
    name: 'memorai-table4',
    title: 'Topics and gate of MemORAI (Table 4)',
    note: WRITTEN_BY_RULES,
    runs: [
      { profile: LOCAL, rows: [row('full', 'memorai', recalls(64.68, 92.03))] },
      {
        profile: profile('without-gate', { gate: false }),
        rows: [row('w/o Selective', 'memorai', recalls(57.32, 87.44))],
      },
      {
        profile: profile('session', { partition: { by: 'session' } }),
        rows: [row('w/o Topic Seg', 'memorai', recalls(27.61, 66.02))],
      },
    ],
  },
  {
    name: 'memorai-table5',
    title: 'Edge weights of MemORAI (Table 5)',
    runs: [
      {
        profile: LOCAL,
        rows: [
          row('Dynamic Weight', 'memorai', recalls(64.68, 92.03)),
          row('Uniform (w=1)', 'memorai-uniform', recalls(62.01, 91.02)),
        ],
      },
    ],
  },
  {
    name: 'memorai-table6',
    title: 'Subgraph of MemORAI (Tables 6 and 7)',
    runs: [
      {
        profile: LOCAL,
        rows: [
          row('Full Graph', 'memorai-full-graph', {
            ...recalls(51.77, 86.13),
            'PageRank ms': 14.19,
            coverage: 100,
          }),
          row('Subgraph', 'memorai', {
            ...recalls(64.68, 92.03),
            'PageRank ms': 12.44,
            coverage: 94.31,
          }),
        ],
      },
    ],
  },
];

const EVERY_TURN = profile('turns-1', { partition: { by: 'turns', turns: 1 } });

const GAM: readonly Ablation[] = [
  {
    name: 'gam-table3',
    title: 'Parts of GAM (Table 3)',
    note: `${WRITTEN_BY_RULES} The paper’s figures are of answers by a model of 7B; ours are recall.`,
    runs: [
      {
        profile: LOCAL,
        rows: [
          row('full', 'gam', scores(40, 32.99)),
          row('w/o TAN', 'gam-without-tan', scores(35.07, 29)),
          row('w/o MFR', 'gam-without-mfr', scores(35.94, 29.28)),
          row('w/o EPG', 'gam-without-epg', scores(25.06, 20.76)),
        ],
      },
      { profile: EVERY_TURN, rows: [row('w/o SSM', 'gam', scores(32.58, 26.13))] },
    ],
  },
  {
    name: 'gam-partitions',
    title: 'What GAM consolidates at once (§4.4)',
    note: `${WRITTEN_BY_RULES} The paper’s figures are of answers, those that its text names; ours are recall.`,
    runs: [
      { profile: LOCAL, rows: [row('topics', 'gam', { F1: 40 })] },
      partitioned('256 tokens', { by: 'tokens', tokens: 256 }, { F1: 34.23 }),
      partitioned('512 tokens', { by: 'tokens', tokens: 512 }),
      partitioned('3 turns', { by: 'turns', turns: 3 }),
      partitioned('5 turns', { by: 'turns', turns: 5 }),
      partitioned('session', { by: 'session' }, { F1: 36.59 }),
    ],
  },
  {
    name: 'gam-sweeps',
    title: 'Factors and sizes of GAM (Appendix D)',
    note: 'The paper draws its figures and prints none.',
    runs: [{ profile: LOCAL, rows: rowsOf([paperRecipeNamed('gam'), ...gamSweeps()]) }],
  },
];

function partitioned(
  label: string,
  partition: IngestProfile['partition'],
  paper?: PaperFigures,
): AblationRun {
  return { profile: profile(label.replace(' ', '-'), { partition }), rows: [row(label, 'gam', paper)] };
}

function rowsOf(recipes: readonly Recipe[]): readonly AblationRow[] {
  return recipes.map((recipe) => ({ label: recipe.name, recipe }));
}

/** Every named comparison of the papers. */
export const ABLATIONS: readonly Ablation[] = [
  ...MNEMIS,
  ...MEMORAI,
  ...GAM,
  {
    name: 'personalai',
    title: 'Traversals of PersonalAI, together, apart and restricted (Tables 2 to 4)',
    note: 'The paper’s tables count how often a setting is among its best and worst, so no line has a figure of its own.',
    runs: [{ profile: LOCAL, rows: rowsOf(personalaiRecipes()) }],
  },
];

/** @throws UnknownNameError */
export function ablationNamed(name: string): Ablation {
  const ablation = ABLATIONS.find((candidate) => candidate.name === name);
  if (ablation !== undefined) return ablation;
  throw new UnknownNameError(
    'ablation',
    name,
    ABLATIONS.map((candidate) => candidate.name),
  );
}
