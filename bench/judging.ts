import { ingestCase } from '../eval/datasets/dataset.ts';
import { questionsReader } from '../eval/datasets/questions/questions.ts';
import { percentile } from '../eval/metrics/numbers.ts';
import { recallAt } from '../eval/metrics/retrieval-metrics.ts';
import { Mnemis } from '../src/engine.ts';
import { judging } from '../src/inference/llama/process/judging.ts';
import type { RetrievedEpisode } from '../src/model/retrieved-item.ts';
import { rerank, rerankedText } from '../src/retrieve/rerank.ts';
import { directRuntime } from './direct-runtime.ts';

const CANDIDATES = 20;
const CUTS = [1, 3, 5, 10] as const;

/** Of the turns with evidence, in percent, among the first 1, 3, 5 and 10. */
type Recalls = readonly number[];

export interface JudgingReport {
  readonly questions: number;
  /** Of the processor, for 20 candidates: medians of the questions, with the shared beginning evaluated once or each time. */
  readonly seconds: { readonly shared: number; readonly apart: number; readonly timesFaster: number };
  /** In the order of the search without a reranker, of the model, and of both as a search adds them. */
  readonly recall: { readonly search: Recalls; readonly model: Recalls; readonly both: Recalls };
  /** Of the pairs of a candidate with evidence and one without, those that the model orders right; 0.5 is chance. */
  readonly pairsInOrder: number;
}

/**
 * A chat model as a judge of the 20 best turns of a search, on questions of `questions` at equal distances.
 *
 * @param file - A GGUF file; the package `node-llama-cpp` is installed beside Mnemis.
 */
export async function benchJudging(file: string, { questions: most }: { readonly questions: number }) {
  const judge = await judgeOf(file);
  const dataset = await questionsReader.readBundled!();
  const asked = dataset.cases.flatMap((each) =>
    each.questions
      .filter(({ evidenceTurns }) => evidenceTurns.length > 0)
      .map((question) => ({ each, question })),
  );
  const chosen = asked.filter((_, at) => at % Math.ceil(asked.length / most) === 0);
  await using engine = await Mnemis.open({ path: ':memory:', automatic: false });
  for (const each of dataset.cases) await ingestCase(engine.scope(each.scope), each, {});
  const times: { readonly shared: number; readonly apart: number }[] = [];
  const recall = { search: [] as number[][], model: [] as number[][], both: [] as number[][] };
  let [right, pairs] = [0, 0];
  for (const { each, question } of chosen) {
    const { episodes } = await engine
      .scope(each.scope)
      .search(question.text, { recipe: 'system1', k: CANDIDATES });
    const texts = episodes.map(rerankedText);
    const apart = await judge(question.text, texts, { isShared: false });
    const { scores, seconds } = await judge(question.text, texts, { isShared: true });
    times.push({ shared: seconds, apart: apart.seconds });
    const recallsOf = (items: readonly RetrievedEpisode[]) => {
      const ids = items.map(({ sourceId }) => sourceId!);
      return CUTS.map((cut) => recallAt(ids, question.evidenceTurns, cut)!);
    };
    const scored = episodes.map((item, at) => ({ item, score: scores[at]! }));
    const reranker = { model: 'judge', rerank: async () => scores };
    recall.search.push(recallsOf(episodes));
    recall.model.push(recallsOf(scored.toSorted((a, b) => b.score - a.score).map(({ item }) => item)));
    recall.both.push(recallsOf((await rerank(question.text, episodes, { reranker })).items));
    const isEvidence = ({ item }: (typeof scored)[number]) => question.evidenceTurns.includes(item.sourceId!);
    for (const { score } of scored.filter(isEvidence))
      for (const other of scored.filter((each) => !isEvidence(each))) {
        pairs++;
        right += score > other.score ? 1 : score === other.score ? 0.5 : 0;
      }
    process.stderr.write(`${JSON.stringify({ done: times.length, of: chosen.length, ...times.at(-1) })}\n`);
  }
  const median = (values: number[]) => Number(percentile(values, 50)!.toFixed(2));
  const means = (rows: readonly number[][]) =>
    CUTS.map((_, at) =>
      Number(((100 * rows.reduce((sum, row) => sum + row[at]!, 0)) / rows.length).toFixed(1)),
    );
  return {
    questions: chosen.length,
    seconds: {
      shared: median(times.map(({ shared }) => shared)),
      apart: median(times.map((time) => time.apart)),
      timesFaster: median(times.map((time) => time.apart / time.shared)),
    },
    recall: { search: means(recall.search), model: means(recall.model), both: means(recall.both) },
    pairsInOrder: Number((right / pairs).toFixed(3)),
  } satisfies JudgingReport;
}

/** Judges in this process. */
async function judgeOf(file: string) {
  const { runtime, model, context, sequence, chat } = await directRuntime(file);
  return async (question: string, texts: readonly string[], { isShared }: { readonly isShared: boolean }) => {
    await sequence.clearHistory();
    const before = process.cpuUsage();
    const { judge } = judging({ runtime, model, chat, contextTokens: context.contextSize }, question);
    const scores: number[] = [];
    for (const text of texts) {
      if (!isShared) await sequence.clearHistory();
      scores.push(await judge(sequence, text));
    }
    const { user, system } = process.cpuUsage(before);
    return { scores, seconds: (user + system) / 1e6 };
  };
}
