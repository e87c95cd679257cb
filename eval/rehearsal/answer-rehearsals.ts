import { type AnswerInput, answerQuestion } from '../../src/answer/llm/answer-question-prompt.ts';
import {
  type SelectInput,
  type ShownNode,
  selectNodes,
} from '../../src/retrieve/categories/select-nodes-prompt.ts';
import { analyze } from '../../src/search/analyzer.ts';
import { type JudgedTexts, judgeAnswer } from '../judge-answer.ts';
import { judgeBeam } from '../judges/beam-judge.ts';
import { judgeByFile } from '../judges/file-judge.ts';
import { judgeLocomo } from '../judges/locomo-judge.ts';
import { judgeLongMemEval } from '../judges/longmemeval-judge.ts';
import { scoreAnswer } from '../metrics/answer-metrics.ts';
import { type Rehearsal, rehearsal } from './reading-rehearsals.ts';

/** F1 from which a rehearsed judge calls an answer right; such answers are whole turns. */
const RIGHT = 0.3;
/** A question without a shared word is not answered. */
const LEAST_SHARED = 1;

/** The prompts of the walk, the answer and the judges: by words in common, without understanding. */
export function answerRehearsals(): Rehearsal[] {
  return [
    rehearsal(answerQuestion, async (input) => answer(input)),
    rehearsal(selectNodes, async (input) => selected(input)),
    rehearsal(judgeAnswer, async (input) => ({ verdict: isRight(input) ? 'right' : 'wrong' })),
    rehearsal(judgeByFile, async (input) => (isRight(input) ? 'CORRECT' : 'WRONG')),
    rehearsal(judgeLocomo, async (input) => ({ label: isRight(input) ? 'correct' : 'wrong' })),
    rehearsal(judgeLongMemEval, async (input) => ({ right: isRight(input) ? 'yes' : 'no' })),
    rehearsal(judgeBeam, async ({ nugget, answer: given }) => ({
      met: isRight({ gold: nugget, answer: given }) ? 'yes' : 'no',
    })),
  ];
}

/** The source with the most words of the question. */
function answer({ sources, question }: AnswerInput): string {
  const asked = new Set(analyze(question));
  const shared = sources.map(
    ({ text }) => [...new Set(analyze(text))].filter((word) => asked.has(word)).length,
  );
  const most = Math.max(0, ...shared);
  if (most < LEAST_SHARED) return 'UNCLEAR\nNOT_ENOUGH';
  const at = shared.indexOf(most);
  return `HOLDS\n${sources[at]!.text.replaceAll('\n', ' ')} [${at + 1}]`;
}

/** The entries that share a word with the question; numbers as in the list. */
function selected({ nodes, question }: SelectInput) {
  const asked = new Set(analyze(question));
  const open: string[] = [];
  let number = 0;
  const look = ({ name, tags, summary, children }: ShownNode) => {
    number += 1;
    if (analyze([name, ...tags, summary].join(' ')).some((word) => asked.has(word))) open.push(`${number}`);
    for (const child of children) look(child);
  };
  for (const node of nodes) look(node);
  return { open, all: [] };
}

function isRight({ gold, answer: given }: Pick<JudgedTexts, 'gold' | 'answer'>): boolean {
  return scoreAnswer(given, gold).f1 >= RIGHT;
}
