import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { FileUnreadableError } from '../../src/errors/index.ts';
import { type RejectedRecord, rejected, throwIfCancelled, turnRecord } from '../../src/importers/importer.ts';
import { idSchema, readJsonFile } from '../../src/importers/json/json-format.ts';
import { UniqueNames } from '../../src/importers/unique-names.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { breathe } from '../../src/util/breathe.ts';
import { describeIssues } from '../../src/util/describe-issues.ts';
import {
  type DatasetOptions,
  type EvaluationDataset,
  type EvaluationQuestion,
  keepTurns,
  sessionsOf,
} from './dataset.ts';
import { fragmentsOf, isKeptLength } from './passages.ts';

export const TRIVIAQA_SOURCE = 'triviaqa';

/** Pages have no time; the data set is of this year. */
const PUBLISHED = Date.UTC(2017, 4, 9);

/** As many as PersonalAI takes (Appendix E). */
const QUESTIONS = 500;

/** A page of evidence; without a text it has a file. */
interface Page {
  readonly name: string;
  readonly title: string;
  readonly text: string | null;
}

interface Item {
  readonly id: string;
  readonly question: string;
  readonly answer: string;
  readonly aliases: readonly string[];
  readonly pages: readonly Page[];
}

const written = z.string().trim().min(1);
const pageSchema = z.object({ Filename: written, Title: z.string().default('') });

/** Of the official files, whose texts are files in the folder `evidence`. */
const officialSchema = z
  .object({
    QuestionId: idSchema,
    Question: written,
    Answer: z.object({ Value: written, Aliases: z.array(z.string()).default([]) }),
    EntityPages: z.array(pageSchema).default([]),
    SearchResults: z.array(pageSchema).default([]),
  })
  .transform(
    ({ QuestionId, Question, Answer, EntityPages, SearchResults }): Item => ({
      ...{ id: QuestionId, question: Question, answer: Answer.Value, aliases: Answer.Aliases },
      pages: [
        ...EntityPages.map(({ Filename, Title }) => pageOf('wikipedia', Filename, Title)),
        ...SearchResults.map(({ Filename, Title }) => pageOf('web', Filename, Title)),
      ],
    }),
  );

const columnsSchema = z.object({
  filename: z.array(z.string()).default([]),
  title: z.array(z.string()).default([]),
  wiki_context: z.array(z.string()).optional(),
  search_context: z.array(z.string()).optional(),
});

/** Of the version of Hugging Face, which has the texts. */
const columnSchema = z
  .object({
    question_id: idSchema,
    question: written,
    answer: z.object({ value: written, aliases: z.array(z.string()).default([]) }),
    entity_pages: columnsSchema.optional(),
    search_results: columnsSchema.optional(),
  })
  .transform(
    ({ question_id, question, answer, entity_pages, search_results }): Item => ({
      ...{ id: question_id, question, answer: answer.value, aliases: answer.aliases },
      pages: [...pagesOf('wikipedia', entity_pages), ...pagesOf('web', search_results)],
    }),
  );

function pageOf(folder: string, file: string, title: string, text: string | null = null): Page {
  return { name: `${folder}/${file}`, title: title.trim() || file, text };
}

function pagesOf(folder: string, columns: z.output<typeof columnsSchema> | undefined): Page[] {
  const texts = columns?.wiki_context ?? columns?.search_context ?? [];
  return texts.map((text, position) => {
    const title = columns?.title[position] ?? '';
    return pageOf(folder, columns?.filename[position] ?? (title || `page ${position + 1}`), title, text);
  });
}

const rootSchema = z.union([
  z.array(z.unknown()),
  z.object({ Data: z.array(z.unknown()) }).transform(({ Data }) => Data),
]);

/**
 * TriviaQA (arXiv 1705.03551) as PersonalAI has it: one graph of all pages, in fragments, and its first 500 questions
 * about it. `path` is an official file (`qa/wikipedia-dev.json`, with the folder `evidence` beside it or beside its
 * folder) or a list of rows of the version of Hugging Face, which have their texts.
 *
 * Evidence is the fragments of a question's pages that hold its answer, as the data set's authors find it.
 */
export async function readTriviaQaDataset(
  path: string,
  { signal }: DatasetOptions = {},
): Promise<EvaluationDataset> {
  const list = rootSchema.safeParse(await readJsonFile(path, signal));
  if (!list.success)
    throw new FileUnreadableError(path, 'it is no list of questions, and has none as "Data"');
  const rejections: RejectedRecord[] = [];
  const pages = new Pages(path, rejections);
  const ids = new UniqueNames();
  const questions: EvaluationQuestion[] = [];
  let leftOut = 0;
  for (const [position, raw] of list.data.entries()) {
    if (questions.length === QUESTIONS) break;
    throwIfCancelled(signal);
    const where = `question ${position + 1}`;
    const isOfficial = typeof raw === 'object' && raw !== null && 'QuestionId' in raw;
    const parsed = (isOfficial ? officialSchema : columnSchema).safeParse(raw);
    if (!parsed.success) rejections.push(rejected(where, describeIssues(parsed.error)));
    else {
      const found: TurnInput[] = [];
      for (const page of parsed.data.pages) found.push(...(await pages.fragments(page, where)));
      if (found.length === 0) leftOut++;
      else questions.push(toQuestion(parsed.data, ids.take(parsed.data.id), found));
    }
    await breathe();
  }
  const cases = questions.length === 0 ? [] : [{ scope: 'triviaqa', turns: pages.all, facts: [], questions }];
  const note = `One graph of all pages and at most ${QUESTIONS} questions, as in PersonalAI’s Appendix E; ${leftOut} questions before the last are left out, since none of their pages has fragments of 64 to 1,024 characters only.`;
  return { name: 'triviaqa', cases, rejected: rejections, note };
}

/** The fragments of pages, each page once. */
class Pages {
  readonly all: TurnInput[] = [];
  readonly #known = new Map<string, readonly TurnInput[]>();
  readonly #titles = new UniqueNames();
  readonly #path: string;
  readonly #rejections: RejectedRecord[];

  constructor(path: string, rejections: RejectedRecord[]) {
    this.#path = path;
    this.#rejections = rejections;
  }

  async fragments(page: Page, where: string): Promise<readonly TurnInput[]> {
    const known = this.#known.get(page.name);
    if (known !== undefined) return known;
    const text = page.text ?? (await this.#textOf(page, where));
    const fragments = text === null ? [] : fragmentsOf(text);
    const kept = fragments.every(isKeptLength) ? this.#turnsOf(page, fragments) : [];
    this.#known.set(page.name, kept);
    this.all.push(...kept);
    return kept;
  }

  async #textOf({ name }: Page, where: string): Promise<string | null> {
    const folder = dirname(this.#path);
    for (const evidence of [join(folder, 'evidence'), join(folder, '../evidence')]) {
      const file = join(evidence, name);
      if (relative(evidence, file).startsWith('..')) break;
      const text = await readFile(file, 'utf8').catch(() => null);
      if (text !== null) return text.replaceAll('\r\n', '\n');
    }
    this.#rejections.push(rejected(where, 'the folder "evidence" lacks the text of a page'));
    return null;
  }

  #turnsOf(page: Page, fragments: readonly string[]): TurnInput[] {
    const session = this.#titles.take(page.title);
    const records = fragments.map((content, index) =>
      turnRecord(
        {
          ...{ content, speaker: page.title, role: 'other', session, index, source: TRIVIAQA_SOURCE },
          at: new Date(PUBLISHED + (this.all.length + index) * 1000),
          sourceId: `${page.name}:${index}`,
        },
        { where: `page ${session}, fragment ${index + 1}` },
      ),
    );
    return keepTurns(records, this.#rejections);
  }
}

function toQuestion(
  { question, answer, aliases }: Item,
  id: string,
  found: readonly TurnInput[],
): EvaluationQuestion {
  const names = [...new Set([answer, ...aliases].map((name) => name.toLowerCase()))].filter(
    (name) => name !== '',
  );
  const evidenceTurns = found.flatMap(({ content, sourceId }) =>
    names.some((name) => content.toLowerCase().includes(name)) ? (sourceId ?? []) : [],
  );
  return {
    id,
    text: question,
    category: 'trivia',
    answer,
    otherAnswers: aliases,
    evidenceTurns: [...new Set(evidenceTurns)],
    evidenceSessions: sessionsOf(found, evidenceTurns),
  };
}
