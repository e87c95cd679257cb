import { z } from 'zod';
import { ANSWERERS } from '../../src/answer/given-answer.ts';
import { InvalidInputError } from '../../src/errors/index.ts';
import { type IngestProfile, profileSchema } from '../../src/ingest/profile.ts';
import { type ContextForm, contextFormSchema } from '../../src/model/context-form.ts';
import type { Recipe } from '../../src/retrieve/recipes/recipe.ts';
import { recipeFrom } from '../../src/retrieve/recipes/recipes.ts';
import { describeIssues } from '../../src/util/describe-issues.ts';
import { BASELINES, type Baseline } from '../baselines.ts';
import { contextNamed } from '../papers/contexts.ts';
import { paperProfileNamed } from '../papers/profiles.ts';
import { paperRecipeNamed } from '../papers/recipes.ts';

const name = z.string().trim().min(1).max(200);
const size = z.number().int().min(1);

const { partition, gate, reflection, hierarchy, relates, supersedes } = profileSchema.shape;
/** What a line changes of its ingest profile, such as `{ "gate": false }`. */
const changesSchema = z
  .strictObject({ partition, gate, reflection, hierarchy, relates, supersedes })
  .partial();

const settingsShape = {
  /** The ingest profile that writes memory: one of the papers or of this project. Default `local`. */
  profile: name,
  /** The search recipe by name, or as data; `BM25`, `cosine` and `BM25 + cosine` are plain baselines of turns. */
  recipe: z.union([name, z.looseObject({ name })]),
  /** What is answered from, by name (`mnemis`, `memorai`, …) or as data. Default `filled`. */
  context: z.union([name, contextFormSchema]),
  /** Size of a named context. Default: the paper's. */
  k: size.max(100),
  /** `none` measures the search and the context alone. Default: `llm` with a profile of a model, else `local`. */
  answerer: z.enum(['none', ...ANSWERERS]),
  /** Who judges answers: `ours`, or as a data set does. Default: nobody. */
  judge: name,
  /** A model's name or `none`. Default: the configured one. */
  reranker: name,
  /** Default: the configured one. Each has a memory of its own. */
  embedder: name,
};

const rowSchema = z.strictObject({
  ...z.strictObject(settingsShape).partial().shape,
  /** Default: what it differs in. */
  label: name.optional(),
  changes: changesSchema.optional(),
  /** Figures of the paper, by metric. */
  paper: z.record(z.string(), z.number()).optional(),
});
/** One line of a table: how memory is written, searched and answered from. */
export type SpecRow = z.input<typeof rowSchema>;

const listOf = <Schema extends z.ZodType>(schema: Schema) => z.array(schema).min(1).max(100);
const gridSchema = z
  .strictObject({
    profile: listOf(settingsShape.profile),
    recipe: listOf(settingsShape.recipe),
    context: listOf(settingsShape.context),
    k: listOf(settingsShape.k),
    answerer: listOf(settingsShape.answerer),
    judge: listOf(settingsShape.judge),
    reranker: listOf(settingsShape.reranker),
    embedder: listOf(settingsShape.embedder),
  })
  .partial();

/** Checks a specification. */
export const specSchema = z
  .strictObject({
    name,
    title: z.string().max(500).optional(),
    note: z.string().max(5_000).optional(),
    /** A data set by name, and its file, from where the command runs. */
    dataset: name.optional(),
    data: name.optional(),
    gold: name.optional(),
    /** Only the first conversations, and the first questions of each. */
    conversations: size.optional(),
    questions: size.optional(),
    /** Categories of questions that are left out, such as LoCoMo's "5". */
    without: z.array(z.string()).optional(),
    /** Each question is answered and judged once with each. */
    seeds: z.array(z.number().int().min(0).max(2_147_483_647)).min(1).max(20).optional(),
    /** The model that judges, of the same provider; default: the one that answers. */
    judgeModel: name.optional(),
    rows: z.array(rowSchema).max(500).optional(),
    /** Lines for every combination. */
    grid: gridSchema.optional(),
  })
  .refine(({ rows = [], grid }) => rows.length > 0 || grid !== undefined, 'it has neither rows nor a grid');
/** A table as data: what `mnemis eval run` reads. */
export type Spec = z.input<typeof specSchema>;

/** A line with its names resolved. */
export interface ResolvedRow {
  readonly label: string;
  readonly profile: IngestProfile;
  /** A baseline reads no memory. */
  readonly recipe: Recipe | Baseline;
  readonly context: ContextForm;
  readonly answerer: 'none' | 'local' | 'llm';
  readonly judge: string | null;
  readonly reranker: string | undefined;
  readonly embedder: string | undefined;
  readonly paper: Readonly<Record<string, number>>;
}

/** @throws InvalidInputError that says what is wrong with a spec. */
export function parseSpec(given: unknown): Spec {
  const parsed = specSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new InvalidInputError(
    `The specification is not valid: ${describeIssues(parsed.error, Object.keys(specSchema.shape), { namesKeys: true })}`,
  );
}

/** The lines of a spec. @throws UnknownNameError; InvalidInputError if two have the same label. */
export function rowsOf({ rows = [], grid }: Spec): ResolvedRow[] {
  const resolved = [
    ...rows.map(resolve),
    ...distinct(grid === undefined ? [] : combinations(grid).map(resolve)),
  ];
  const labels = new Set<string>();
  for (const { label } of resolved) {
    if (labels.has(label)) throw new InvalidInputError(`Two lines are called "${label}"`);
    labels.add(label);
  }
  return resolved;
}

/** Without lines that do the same: a baseline has no context. */
function distinct(rows: readonly ResolvedRow[]): ResolvedRow[] {
  const known = new Map(rows.toReversed().map((row) => [JSON.stringify(settingsOf(row)), row]));
  return rows.filter((row) => known.get(JSON.stringify(settingsOf(row))) === row);
}

/** A grid's lines, each labelled by what differs. */
function combinations(grid: NonNullable<Spec['grid']>): SpecRow[] {
  const axes = Object.entries(grid).filter(([, values]) => values !== undefined) as [
    keyof SpecRow,
    unknown[],
  ][];
  let rows: SpecRow[] = [{}];
  for (const [axis, values] of axes)
    rows = rows.flatMap((row) => values.map((value) => ({ ...row, [axis]: value })));
  const differing = axes.filter(([, values]) => values.length > 1).map(([axis]) => axis);
  return rows.map((row) => ({
    ...row,
    label: differing.map((axis) => (axis === 'k' ? `k = ${row.k}` : wordOf(row[axis]))).join(', ') || 'all',
  }));
}

function wordOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const named = z.looseObject({ name: z.string() }).safeParse(value).data;
  return named?.name ?? JSON.stringify(value);
}

function resolve(row: SpecRow): ResolvedRow {
  const profile = changed(paperProfileNamed(row.profile ?? 'local'), row.changes);
  const { recipe = 'auto', context = 'filled', k, reranker, embedder, paper = {} } = row;
  const isBaseline = typeof recipe === 'string' && (BASELINES as readonly string[]).includes(recipe);
  const answerer = isBaseline ? 'none' : (row.answerer ?? profile.tier);
  return {
    label:
      (isBaseline && row.label?.startsWith(recipe) ? recipe : row.label) ??
      [profile.name, wordOf(recipe), wordOf(context), ...(k === undefined ? [] : [`k = ${k}`])].join(', '),
    profile,
    recipe: isBaseline
      ? (recipe as Baseline)
      : typeof recipe === 'string'
        ? paperRecipeNamed(recipe)
        : recipeFrom(recipe as unknown as Recipe),
    context: isBaseline ? 'filled' : typeof context === 'string' ? contextNamed(context, k) : context,
    answerer,
    judge: answerer === 'none' ? null : (row.judge ?? null),
    reranker,
    embedder,
    paper,
  };
}

/** The profile with changes, under a name of its own. */
function changed(profile: IngestProfile, changes: SpecRow['changes']): IngestProfile {
  if (changes === undefined || Object.keys(changes).length === 0) return profile;
  const parts = Object.entries(changes).map(([part, value]) =>
    typeof value === 'object' ? `${part} ${Object.values(value).join(' ')}` : `${part} ${value}`,
  );
  const name = `${profile.name} (${parts.join(', ')})`.slice(0, 100);
  return { ...profile, ...changes, name } as IngestProfile;
}

/** What a line does, as JSON: equal for lines with equal results. A paper's reader is known by its profile's name. */
export function settingsOf({ label: _l, paper: _p, profile, ...row }: ResolvedRow) {
  return { ...row, profile: profileSettings(profile) };
}

export function profileSettings({ reading, description: _, ...profile }: IngestProfile) {
  return { ...profile, reading: typeof reading === 'function' ? 'of the paper' : reading };
}
