/** Public exports of `mnemis/eval`: evaluation on data sets, and the cost of ingesting them. */

export { type AnswersReport, answersReportSchema } from './answers-report.ts';
export { CaseClock } from './case-clock.ts';
export type { EvaluationCase, EvaluationDataset, EvaluationQuestion } from './datasets/dataset.ts';
export { DATASET_IMPORTERS, DATASET_READERS, datasetReaderNamed } from './datasets/registry.ts';
export { type AnswerEvaluation, evaluateAnswers } from './evaluate-answers.ts';
export { evaluateRetrieval, type RetrievalEvaluation, type RetrievalReport } from './evaluate-retrieval.ts';
export { type CostOptions, type IngestionCost, measureIngestionCost } from './ingestion-cost.ts';
export type { JudgeOptions } from './judges/ask-judge.ts';
export type { Grade, Judge, JudgeInput } from './judges/judge.ts';
export { JUDGE_NAMES, judgeNamed } from './judges/registry.ts';
