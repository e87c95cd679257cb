import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { FileUnreadableError } from '../../src/errors/index.ts';
import { unreadable } from '../../src/importers/unreadable.ts';
import type { TextPrompt } from '../../src/model/prompt.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../../src/prompts/as-data.ts';
import { digestOf } from '../../src/util/digest-of.ts';
import type { JudgedTexts } from '../judge-answer.ts';
import { askJudge } from './ask-judge.ts';
import { gradeOfScore, type Judge, judgeOf } from './judge.ts';

const LONGEST = 12_000;
const PLACE = /\{(question|gold|answer)\}/g;

interface Filled extends JudgedTexts {
  /** The user's prompt, with places for the three texts. */
  readonly template: string;
}

export const judgeByFile: TextPrompt<Filled> = {
  name: 'judge-file',
  version: 1,
  expectedTokens: 20,
  render: ({ template, ...texts }) => ({
    system: DATA_RULE,
    user: template.replace(PLACE, (_, place: keyof JudgedTexts) =>
      fence(DATA, asLabel(texts[place], LONGEST), template),
    ),
  }),
};

const WORD = /\b(?:(not\s+correct|incorrect|wrong|no)|correct|yes)\b/gi;

/** True for yes or CORRECT, false for no or WRONG. Of both, the first word of the reply counts, else the last verdict. */
export const binaryReply = z.string().transform((text, context) => {
  const said = [...text.matchAll(WORD)].map((match) => ({ at: match.index, right: match[1] === undefined }));
  const opening = said.find(({ at }) => !/[\p{L}\p{N}]/u.test(text.slice(0, at)));
  const verdict = opening ?? said.at(-1);
  if (verdict !== undefined) return verdict.right;
  context.addIssue('has neither yes nor no, CORRECT nor WRONG');
  return z.NEVER;
});

/**
 * A judge with the prompt of a file, such as a data set's official one: `{question}`, `{gold}` and `{answer}` are
 * filled in, fenced as data. Questions without an answer are graded by rule.
 *
 * @throws FileUnreadableError also if the text lacks `{gold}` or `{answer}`.
 */
export async function fileJudge(path: string): Promise<Judge> {
  const template = await readTemplate(path);
  for (const place of ['{gold}', '{answer}'])
    if (!template.includes(place)) throw new FileUnreadableError(path, `a judge's prompt needs ${place}`);
  return judgeOf(`file:${basename(path)}`, async (texts, options) => {
    const { value, usage } = await askJudge(options, (call) =>
      options.model.text(judgeByFile, { template, ...texts }, call),
    );
    const { data } = binaryReply.safeParse(value?.text);
    return gradeOfScore(data === undefined ? null : Number(data), usage);
  });
}

/** A digest of the prompt in a file. @throws FileUnreadableError */
export async function digestOfTemplate(path: string): Promise<string> {
  return digestOf(await readTemplate(path));
}

function readTemplate(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
}
