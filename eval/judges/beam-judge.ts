import { z } from 'zod';
import { plusUsage } from '../../src/inference/language-model/tokens/plus-usage.ts';
import type { Prompt } from '../../src/model/prompt.ts';
import { NO_USAGE } from '../../src/model/retrieved-item.ts';
import { asData, asLabel, DATA, DATA_RULE, fence } from '../../src/prompts/as-data.ts';
import { replyWord } from '../../src/prompts/reply-parts.ts';
import { askJudge } from './ask-judge.ts';
import { gradeOfScore, type Judge, ruledGrade } from './judge.ts';

/** Summaries and code are long. */
const LONGEST = 12_000;

interface Nugget {
  readonly question: string;
  readonly nugget: string;
  readonly answer: string;
}

const reply = z.object({ met: replyWord(['yes', 'partly', 'no'], 'no') });
const SCORES = { yes: 1, partly: 0.5, no: 0 } as const;

export const judgeBeam: Prompt<Nugget, z.output<typeof reply>> = {
  name: 'judge-beam',
  version: 1,
  schema: reply,
  expectedTokens: 15,
  render: ({ question, nugget, answer }) => ({
    system: `You check an answer against one demand. ${DATA_RULE} First comes the question, then the demand, then the answer. Only this demand counts. The meaning counts, not the words: numbers, dates and names may be written in another way.
met is one word:
"yes": the answer meets the demand in full; where the demand forbids something, the answer does not have it.
"partly": it meets a part of it.
"no": it does not meet it, or does not answer the question.`,
    user: [
      ...[question, nugget].map((text) => fence(DATA, asLabel(text, LONGEST))),
      fence(DATA, asData(answer, LONGEST)),
    ].join('\n'),
  }),
};

/**
 * As BEAM's own judge: each nugget of the question's rubric is judged by itself and gives 0, 0.5 or 1; the score is the
 * mean. Without a rubric the gold is the only nugget.
 */
export const BEAM_JUDGE: Judge = {
  name: 'beam',
  async grade(input, options) {
    const { question, answer, gold } = input;
    const rubric = input.rubric ?? (gold === null ? [] : [gold]);
    if (answer === null || rubric.length === 0) return ruledGrade(input);
    let [sum, usage] = [0, NO_USAGE];
    for (const nugget of rubric) {
      const asked = await askJudge(options, (call) =>
        options.model.structured(judgeBeam, { question, nugget, answer }, call),
      );
      usage = plusUsage(usage, asked.usage);
      if (asked.value === null) return gradeOfScore(null, usage);
      sum += SCORES[asked.value.value.met];
    }
    return gradeOfScore(sum / rubric.length, usage);
  },
};
