import { judgeResult } from '../judge-answer.ts';
import { gradeOfVerdict, type Judge } from './judge.ts';

/** Our own: four verdicts, of which "partly" counts half. */
export const OURS: Judge = {
  name: 'ours',
  grade: async (input, options) => gradeOfVerdict(await judgeResult(input, options)),
};
