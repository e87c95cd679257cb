import { roughTokens } from '../../src/inference/language-model/tokens/count-tokens.ts';
import type { ContextForm } from '../../src/model/context-form.ts';
import type { Usage } from '../../src/model/retrieved-item.ts';
import { measureIngestionCost } from '../ingestion-cost.ts';
import { sumOfUsages } from '../metrics/numbers.ts';
import { type EvaluationRun, keyOfRow, memoryName } from './run-evaluation.ts';
import type { ResolvedRow } from './spec.ts';

/** What is still to be asked of a model, about. */
export interface PricePart extends Usage {
  readonly what: string;
}
export interface RunPrice extends Usage {
  readonly parts: readonly PricePart[];
}

/** Rules and question of an answer, and its reply. */
const ANSWER = { rules: 750, reply: 60 };
/** A walk down the categories (Mnemis, Table 3: 1.37 million prompt tokens of 1,540 questions). */
const WALK = { calls: 3, promptTokens: 890, completionTokens: 79 };
const JUDGEMENT = { calls: 1, promptTokens: 350, completionTokens: 15 };
const FILLED = 4_000;
const FACT = 25;
const FACTS_OF_A_TURN = 4;
const ENTITY = 60;

/**
 * What a run would still ask of a model: the first missing conversation of each profile is rehearsed, the rest is
 * counted by turns and questions. Calls no model.
 */
export async function priceOf(
  run: Pick<EvaluationRun, 'dataset' | 'rows' | 'seeds' | 'setting' | 'results' | 'signal'>,
): Promise<RunPrice> {
  const parts = [...(await writing(run)), ...asking(run)];
  return { ...sumOfUsages(parts), parts };
}

async function writing(run: Parameters<typeof priceOf>[0]): Promise<PricePart[]> {
  const profiles = new Map(
    run.rows
      .filter(({ profile, recipe }) => profile.tier === 'llm' && typeof recipe !== 'string')
      .map((row) => [memoryName(row, run), row.profile]),
  );
  const parts: PricePart[] = [];
  for (const [name, profile] of profiles) {
    const missing = run.dataset.cases.filter(({ scope }) => run.results.ingested(name, scope) === undefined);
    const [first] = missing;
    if (first === undefined) continue;
    const cost = await measureIngestionCost([first], { profile, signal: run.signal });
    const turns = missing.reduce((sum, each) => sum + each.turns.length, 0);
    parts.push({ what: `writing with ${profile.name}`, ...times(cost, turns / first.turns.length) });
  }
  return parts;
}

function asking(run: Parameters<typeof priceOf>[0]): PricePart[] {
  const { cases } = run.dataset;
  const turns = cases.flatMap((each) => each.turns);
  const aTurn =
    turns.reduce((sum, { content }) => sum + roughTokens(content), 0) / Math.max(1, turns.length) + 8;
  const counts = { walks: 0, answers: 0, prompt: 0, judged: 0 };
  for (const row of run.rows) {
    const key = keyOfRow(row, run);
    const missing = run.seeds.flatMap((seed) =>
      cases.flatMap(({ scope, questions }) =>
        questions.filter(({ id }) => run.results.answer({ row: key, seed, scope, id }) === undefined),
      ),
    ).length;
    if (walks(row)) counts.walks += missing;
    if (row.answerer === 'llm') {
      counts.answers += missing;
      counts.prompt += missing * (ANSWER.rules + contextTokens(row.context, aTurn));
    }
    if (row.judge !== null) counts.judged += missing;
  }
  const answers = {
    calls: counts.answers,
    promptTokens: counts.prompt,
    completionTokens: counts.answers * ANSWER.reply,
  };
  return [
    { what: 'walks down the categories', ...times(WALK, counts.walks) },
    { what: 'answers', ...times(answers, 1) },
    { what: 'judgements', ...times(JUDGEMENT, counts.judged) },
  ].filter(({ calls }) => calls > 0);
}

function walks({ recipe, profile }: ResolvedRow): boolean {
  if (typeof recipe === 'string' || profile.tier === 'local') return false;
  return recipe.routes.some((each) => each.route === 'system2' && each.selector !== 'local');
}

function contextTokens(form: ContextForm, aTurn: number): number {
  if (form === 'filled') return FILLED;
  const facts = form.facts === 'citing' ? FACTS_OF_A_TURN * form.turns : form.facts;
  return form.turns * aTurn + facts * FACT + form.entities * ENTITY;
}

function times({ calls, promptTokens, completionTokens }: Usage, factor: number): Usage {
  return {
    calls: Math.round(calls * factor),
    promptTokens: Math.round(promptTokens * factor),
    completionTokens: Math.round(completionTokens * factor),
  };
}
