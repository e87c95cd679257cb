import { UnknownNameError } from '../../src/errors/index.ts';
import type { SearchedKind } from '../../src/retrieve/route-settings.ts';
import type { Spec, SpecRow } from '../run/spec.ts';
import { gamSweeps, paperRecipeNamed, personalaiRecipes } from './recipes.ts';

/** Figures of a paper in percent, or as they are, by metric; a line without an entry has none for that data set. */
type OfDataset = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface TableRow extends SpecRow {
  readonly label: string;
  readonly of?: OfDataset;
}

/** A table of a paper as data; its lines are those of the paper, in the paper's words. */
export interface PaperTable {
  readonly name: string;
  readonly paper: string;
  readonly title: string;
  /** Data sets that the paper ran it on, the first by default. */
  readonly datasets: readonly string[];
  /** How the paper judges; default: as its data set. */
  readonly judge?: string;
  /** What figures of the paper were made with, and what a reader must know of ours. */
  readonly note: string;
  readonly rows: readonly TableRow[];
}

const JUDGED = (locomo?: number, longmemeval?: number): OfDataset => ({
  ...(locomo === undefined ? {} : { locomo: { judge: locomo } }),
  ...(longmemeval === undefined ? {} : { longmemeval: { judge: longmemeval } }),
});
const recalls = (turn: number, session: number) => ({ 'turn@10': turn, 'session@10': session });
const words = (f1: number, bleu1: number): OfDataset => ({ locomo: { F1: f1, 'BLEU-1': bleu1 } });

/** `mnemis-paper` with one of its routes. */
function part(name: string, route: string): SpecRow['recipe'] {
  const recipe = paperRecipeNamed('mnemis-paper');
  return { ...recipe, name, routes: recipe.routes.filter((each) => each.route === route) };
}

/** The recipe with the first route's lists of some kinds alone. */
function only(name: string, kinds: readonly SearchedKind[]): SpecRow['recipe'] {
  const recipe = paperRecipeNamed('system1-paper');
  return { ...recipe, name, routes: recipe.routes.map((route) => ({ ...route, kinds })) };
}

const MNEMIS_ROW = { profile: 'mnemis-paper', context: 'mnemis' } as const;
const RAG = {
  label: 'System-1 RAG',
  ...MNEMIS_ROW,
  recipe: only('system1-paper-rag', ['episode']),
  context: 'turns',
};
const GRAPH = {
  label: 'System-1 Graph',
  ...MNEMIS_ROW,
  recipe: only('system1-paper-graph', ['entity', 'fact']),
  context: 'graph',
};
const BOTH = { label: 'System-1 RAG + Graph', ...MNEMIS_ROW, recipe: 'system1-paper' };
const SYSTEM2_ONLY = {
  label: 'System-2 Only',
  ...MNEMIS_ROW,
  recipe: part('system2-paper', 'system2'),
};
const WHOLE = { label: 'System-1 + System-2', ...MNEMIS_ROW, recipe: 'mnemis-paper' };
const GPT_41 = 'The paper’s figures are judged answers with GPT-4.1-mini and Qwen3-Reranker-8B.';

const sizes = (row: TableRow, scores: readonly [number, number, number, number]): TableRow[] =>
  [5, 10, 30, 50].map((k, at) => ({ ...row, label: `${row.label}, k = ${k}`, k, of: JUDGED(scores[at]!) }));

const MNEMIS: readonly Omit<PaperTable, 'paper'>[] = [
  {
    name: 'mnemis-table1',
    title: 'Mnemis beside retrieval of turns (Tables 1 and 2)',
    datasets: ['locomo', 'longmemeval'],
    note: `${GPT_41} Its RAG retrieves episodes only, all else equal.`,
    rows: [
      { ...RAG, label: 'RAG', of: JUDGED(73.8, 72.6) },
      { ...WHOLE, label: 'Mnemis', of: JUDGED(93.3, 91.6) },
      { ...WHOLE, label: 'Mnemis (k = 30)', k: 30, of: JUDGED(93.9) },
    ],
  },
  {
    name: 'mnemis-table4',
    title: 'Routes of Mnemis (Table 4)',
    datasets: ['locomo'],
    note: GPT_41,
    rows: [
      { ...RAG, of: JUDGED(73.8) },
      { ...GRAPH, of: JUDGED(81.6) },
      { ...BOTH, of: JUDGED(89.1) },
      {
        ...BOTH,
        label: 'System-1 Re-ranked',
        recipe: { ...paperRecipeNamed('system1-paper'), name: 'system1-paper-reranked', rerank: 'all' },
        of: JUDGED(89.1),
      },
      { ...SYSTEM2_ONLY, of: JUDGED(87.7) },
      { ...WHOLE, of: JUDGED(93.3) },
    ],
  },
  {
    name: 'mnemis-table5',
    title: 'Rerankers of Mnemis (Table 5), and none',
    datasets: ['locomo'],
    note: 'The paper’s figures are judged answers with GPT-4.1-mini.',
    rows: [
      { ...WHOLE, label: 'no reranker', reranker: 'none' },
      { ...WHOLE, label: 'Qwen3-Reranker-0.6B', reranker: 'qwen3-reranker-0.6b', of: JUDGED(92.6) },
      { ...WHOLE, label: 'BGE-Reranker-V2-M3', reranker: 'bge-reranker-v2-m3', of: JUDGED(92.7) },
      { ...WHOLE, label: 'Qwen3-Reranker-8B', reranker: 'qwen3-reranker-8b', of: JUDGED(93.3) },
    ],
  },
  {
    name: 'mnemis-table6',
    title: 'Embedders of Mnemis (Table 6): System-1 RAG',
    datasets: ['locomo'],
    note: 'The paper’s figures are judged answers with GPT-4.1-mini. Its MiniLM is not named further.',
    rows: [
      { ...RAG, label: 'MiniLM', embedder: 'all-minilm-l6-v2', of: JUDGED(58.7) },
      { ...RAG, label: 'BGE-M3', embedder: 'bge-m3', of: JUDGED(69) },
      { ...RAG, label: 'Qwen3-Embedding-0.6B', embedder: 'qwen3-embedding-0.6b', of: JUDGED(73.8) },
      { ...RAG, label: 'Gemma-300M', embedder: 'embeddinggemma-300m', of: JUDGED(76.9) },
    ],
  },
  {
    name: 'mnemis-table9',
    title: 'How many items Mnemis shows (Table 9)',
    datasets: ['locomo'],
    note: GPT_41,
    rows: [
      ...sizes(RAG, [64.3, 73.8, 82.7, 85.6]),
      ...sizes(GRAPH, [79.4, 81.6, 84.7, 86.2]),
      ...sizes(BOTH, [86.8, 89.1, 90.6, 91.8]),
      ...sizes(SYSTEM2_ONLY, [87.3, 87.7, 87.9, 88.1]),
      ...sizes(WHOLE, [92.2, 93.3, 93.9, 93.4]),
    ],
  },
];

const MEMORAI_ROW = { profile: 'memorai-paper', recipe: 'memorai-paper', context: 'memorai' } as const;
const GPT_OSS = 'The paper’s figures are with gpt-oss-20b, Contriever and GPT-4o as the judge.';

const MEMORAI: readonly Omit<PaperTable, 'paper'>[] = [
  {
    name: 'memorai-table1',
    title: 'Answers and retrieval of MemORAI (Tables 1 to 3), beside plain BM25 and vectors',
    datasets: ['locomo', 'longmemeval'],
    note: `${GPT_OSS} Its BLEU counts up to four words, ours one; its dense line is Contriever, ours the configured embedder.`,
    rows: [
      { label: 'BM25', recipe: 'BM25', of: recallsOf([26.05, 32.1, 39.21], [56.72, 64.68, 73.69]) },
      { label: 'vectors alone', recipe: 'cosine', of: recallsOf([24.36, 30.3, 37.75], [45.07, 57.02, 69.4]) },
      {
        label: 'MemORAI',
        ...MEMORAI_ROW,
        of: {
          locomo: {
            ...depths([42.63, 51.97, 64.68]),
            'session@5': 81.63,
            'session@10': 92.03,
            judge: 60.22,
            F1: 56.71,
          },
          longmemeval: {
            ...depths([71.13, 82.64, 91.63]),
            ...{ 'session@5': 94.56, 'session@10': 98.54, judge: 75.55, F1: 45.99 },
          },
        },
      },
    ],
  },
  {
    name: 'memorai-table4',
    title: 'Topics and gate of MemORAI (Table 4)',
    datasets: ['locomo', 'longmemeval'],
    note: GPT_OSS,
    rows: [
      {
        label: 'full',
        ...MEMORAI_ROW,
        of: { locomo: recalls(64.68, 92.03), longmemeval: recalls(91.63, 98.54) },
      },
      {
        label: 'w/o Selective',
        ...MEMORAI_ROW,
        changes: { gate: false },
        of: { locomo: recalls(57.32, 87.44), longmemeval: recalls(73.85, 93.72) },
      },
      {
        label: 'w/o Topic Seg',
        ...MEMORAI_ROW,
        changes: { partition: { by: 'session' } },
        of: { locomo: recalls(27.61, 66.02), longmemeval: recalls(23.86, 75.79) },
      },
    ],
  },
  {
    name: 'memorai-table5',
    title: 'Edge weights of MemORAI (Tables 5 and 16)',
    datasets: ['locomo', 'longmemeval'],
    note: GPT_OSS,
    rows: [
      {
        label: 'Dynamic Weight',
        ...MEMORAI_ROW,
        of: { locomo: recalls(64.68, 92.03), longmemeval: recalls(91.63, 98.54) },
      },
      {
        label: 'Uniform (w=1)',
        ...MEMORAI_ROW,
        recipe: 'memorai-uniform',
        of: { locomo: recalls(62.01, 91.02), longmemeval: recalls(89.75, 97.7) },
      },
    ],
  },
  {
    name: 'memorai-table6',
    title: 'Subgraph of MemORAI (Tables 6 and 7)',
    datasets: ['locomo', 'longmemeval'],
    note: GPT_OSS,
    rows: [
      {
        label: 'Full Graph',
        ...MEMORAI_ROW,
        recipe: 'memorai-full-graph',
        of: {
          locomo: { ...recalls(51.77, 86.13), 'PageRank ms': 14.19, coverage: 100 },
          longmemeval: { ...recalls(88.91, 96.86), 'PageRank ms': 18.34, coverage: 100 },
        },
      },
      {
        label: 'Subgraph',
        ...MEMORAI_ROW,
        of: {
          locomo: { ...recalls(64.68, 92.03), 'PageRank ms': 12.44, coverage: 94.31 },
          longmemeval: { ...recalls(91.63, 98.54), 'PageRank ms': 14.21, coverage: 99.9 },
        },
      },
    ],
  },
  {
    name: 'memorai-table8',
    title: 'Triplets beside the turns of MemORAI (Table 8)',
    datasets: ['locomo', 'longmemeval'],
    note: `${GPT_OSS} Table 8 repeats F1 and BLEU of other lines of Table 1; only its judged scores are shown.`,
    rows: [
      { label: 'Turn only', ...MEMORAI_ROW, context: 'turns', k: 3, of: JUDGED(51.66, 61.72) },
      { label: 'Turn + Triplets', ...MEMORAI_ROW, of: JUDGED(60.22, 75.55) },
    ],
  },
];

function depths([three, five, ten]: readonly [number, number, number]) {
  return { 'turn@3': three, 'turn@5': five, 'turn@10': ten };
}

function recallsOf(
  locomo: readonly [number, number, number],
  longmemeval: readonly [number, number, number],
): OfDataset {
  return { locomo: depths(locomo), longmemeval: depths(longmemeval) };
}

const GAM_ROW = { profile: 'gam-paper', recipe: 'gam-paper', context: 'turns', k: 10 } as const;
const QWEN_7B = 'The paper’s figures are answers by Qwen2.5-7B, averaged over the categories of questions.';

const gamPartition = (label: string, profile: string, f1?: number): TableRow => ({
  label,
  ...GAM_ROW,
  profile,
  ...(f1 === undefined ? {} : { of: { locomo: { F1: f1 } } }),
});

const GAM: readonly Omit<PaperTable, 'paper'>[] = [
  {
    name: 'gam-table1',
    title: 'Answers of GAM (Tables 1, 2 and 4)',
    datasets: ['locomo', 'longdialqa'],
    note: `${QWEN_7B} With GPT-4o-mini F1 is 43.14 and BLEU-1 36.48 on LoCoMo.`,
    rows: [
      {
        label: 'GAM',
        ...GAM_ROW,
        of: { ...words(40, 32.99), longdialqa: { F1: 12.55, 'BLEU-1': 12.43 } },
      },
    ],
  },
  {
    name: 'gam-table3',
    title: 'Parts of GAM (Tables 3 and 6)',
    datasets: ['locomo'],
    note: QWEN_7B,
    rows: [
      { label: 'full', ...GAM_ROW, of: words(40, 32.99) },
      { label: 'w/o TAN', ...GAM_ROW, recipe: 'gam-without-tan', of: words(35.07, 29) },
      { label: 'w/o MFR', ...GAM_ROW, recipe: 'gam-without-mfr', of: words(35.94, 29.28) },
      { label: 'w/o SSM', ...GAM_ROW, profile: 'gam-without-ssm', of: words(32.58, 26.13) },
      { label: 'w/o EPG', ...GAM_ROW, recipe: 'gam-without-epg', of: words(25.06, 20.76) },
    ],
  },
  {
    name: 'gam-partitions',
    title: 'What GAM consolidates at once (§4.4)',
    datasets: ['locomo'],
    note: `${QWEN_7B} The text names three of the figures, the others are drawn.`,
    rows: [
      gamPartition('topics', 'gam-paper', 40),
      gamPartition('256 tokens', 'gam-tokens-256', 34.23),
      gamPartition('512 tokens', 'gam-tokens-512'),
      gamPartition('3 turns', 'gam-turns-3'),
      gamPartition('5 turns', 'gam-turns-5'),
      gamPartition('session', 'gam-session', 36.59),
    ],
  },
  {
    name: 'gam-sweeps',
    title: 'Factors and sizes of GAM (Appendix D)',
    datasets: ['locomo'],
    note: 'The paper draws its figures and prints none.',
    rows: gamSweeps().map((recipe) => ({ label: recipe.name, ...GAM_ROW, recipe })),
  },
];

/** Judge scores without restrictions for models of 7B, 8B and more (PersonalAI, Table 3), for a note. */
const PERSONALAI_NOTE =
  'Table 3 prints judged scores without restrictions of models of 7B, 8B and more, averaged over data sets: WaterCircles .09, .34, .55; A* .14, .41, .33; BeamSearch .06, .36, .65; WaterCircles + BeamSearch .02, .32, .68; A* + BeamSearch .01, .36, .66; A* + WaterCircles .07, .42, .60. Those of more than 8B stand beside ours.';
const LARGE: Readonly<Record<string, number>> = {
  'personalai-paper-astar': 33,
  'personalai-paper-water-circles': 55,
  'personalai-paper-beam': 65,
  'personalai-paper-water-circles-and-beam': 68,
  'personalai-paper-astar-and-beam': 66,
  'personalai-paper-astar-and-water-circles': 60,
};

const PERSONALAI: readonly Omit<PaperTable, 'paper'>[] = [
  {
    name: 'personalai-table3',
    title: 'Traversals of PersonalAI, alone, together and restricted (Tables 2 to 4)',
    datasets: ['hotpotqa-gold', 'hotpotqa-one', 'hotpotqa', 'triviaqa', 'diaasq', 'locomo'],
    note: PERSONALAI_NOTE,
    rows: personalaiRecipes().map((recipe) => {
      const score = LARGE[recipe.name];
      return {
        label: recipe.name.replace('personalai-paper-', ''),
        profile: 'personalai-paper',
        recipe,
        context: 'personalai',
        ...(score === undefined ? {} : { of: { 'hotpotqa-gold': { judge: score } } }),
      };
    }),
  },
  {
    name: 'personalai-table16',
    title: 'Exact match of PersonalAI on one graph of all contexts (Table 16)',
    datasets: ['hotpotqa-gold', 'hotpotqa-one', 'triviaqa'],
    note: 'The paper’s figures are those of its best setting: BeamSearch with WaterCircles or alone, and GPT-4o-mini or DeepSeek V3.',
    rows: ['personalai-paper-beam', 'personalai-paper-water-circles-and-beam'].map((recipe) => ({
      label: recipe,
      profile: 'personalai-paper',
      recipe,
      context: 'personalai',
      ...(recipe === 'personalai-paper-water-circles-and-beam'
        ? { of: { 'hotpotqa-gold': { 'exact match': 60 }, triviaqa: { 'exact match': 62 } } }
        : {}),
    })),
  },
];

const LEADERBOARD: Omit<PaperTable, 'paper'> = {
  name: 'leaderboard',
  title: 'Ways to search, each with the context that its authors give',
  datasets: ['locomo', 'beam', 'hotpotqa', 'longmemeval'],
  note: 'Our own lines write and search with default settings.',
  rows: [
    { label: 'BM25', recipe: 'BM25' },
    { label: 'vectors', recipe: 'cosine' },
    { label: 'BM25 + vectors', recipe: 'BM25 + cosine' },
    { label: 'Mnemis `auto`', profile: 'default', recipe: 'auto' },
    { label: 'Mnemis `system1`', profile: 'default', recipe: 'system1' },
    { ...WHOLE, label: 'Mnemis (paper)' },
    { label: 'MemORAI', ...MEMORAI_ROW },
    { label: 'GAM', ...GAM_ROW },
    {
      label: 'PersonalAI',
      profile: 'personalai-paper',
      recipe: 'personalai-paper-water-circles-and-beam',
      context: 'personalai',
    },
  ],
};

/** @param judge - MemORAI grades both data sets by LongMemEval's rule for facts (its Figure 10). */
const under =
  (paper: string, judge?: string) =>
  (table: Omit<PaperTable, 'paper'>): PaperTable => ({
    ...table,
    paper,
    ...(judge !== undefined && { judge }),
  });
/** Every table that can be run, by paper. */
export const PAPER_TABLES: readonly PaperTable[] = [
  ...MNEMIS.map(under('mnemis')),
  ...MEMORAI.map(under('memorai', 'longmemeval')),
  ...GAM.map(under('gam')),
  ...PERSONALAI.map(under('personalai')),
  under('all')(LEADERBOARD),
];

/** Which model answers and judges, and how: as in the papers, or rules and recall alone. */
export type TableTier = 'llm' | 'local';

interface TableOptions {
  readonly dataset: string;
  readonly tier: TableTier;
}

const JUDGE_OF: Readonly<Record<string, string>> = {
  locomo: 'locomo',
  longmemeval: 'longmemeval',
  beam: 'beam',
};

/**
 * A table as a specification. In the llm tier memory is written, answered from and judged by a model as in the paper; in
 * the local one rules write it and nobody answers, so that search and context are measured alone.
 */
export function specOfTable(
  { name, title, note, judge, rows }: PaperTable,
  { dataset, tier }: TableOptions,
): Spec {
  const isLocal = tier === 'local';
  return {
    name,
    title,
    note: isLocal ? `${note} Here rules write memory and walk it, and nobody answers.` : note,
    dataset,
    ...(dataset === 'locomo' ? { without: ['5'] } : {}),
    rows: rows.map(({ of = {}, ...row }) => ({
      ...row,
      ...(isLocal ? byRules(row) : { answerer: 'llm', judge: judge ?? JUDGE_OF[dataset] ?? 'ours' }),
      paper: { ...of[dataset] },
    })),
  };
}

/** The same line with a memory that rules write: its partition and its gate stay. */
function byRules({ profile = 'local', changes = {} }: SpecRow): Partial<SpecRow> {
  return { profile: 'local', changes: { ...PARTITIONS[profile], ...changes }, answerer: 'none' };
}

const PARTITIONS: Readonly<Record<string, SpecRow['changes']>> = {
  'gam-tokens-256': { partition: { by: 'tokens', tokens: 256 } },
  'gam-tokens-512': { partition: { by: 'tokens', tokens: 512 } },
  'gam-turns-3': { partition: { by: 'turns', turns: 3 } },
  'gam-turns-5': { partition: { by: 'turns', turns: 5 } },
  'gam-session': { partition: { by: 'session' } },
  'gam-without-ssm': { partition: { by: 'turns', turns: 1 } },
};

/** @throws UnknownNameError, which lists the names. */
export function paperTableNamed(name: string): PaperTable {
  const table = PAPER_TABLES.find((candidate) => candidate.name === name);
  if (table !== undefined) return table;
  throw new UnknownNameError(
    'table',
    name,
    PAPER_TABLES.map((candidate) => candidate.name),
  );
}
