import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/timelines');
const MINUTE = 60_000;

const schema = z.strictObject({
  name: z.string(),
  sessions: z.array(
    z.strictObject({
      at: z.string(),
      /** "Speaker: content", one a minute. */
      turns: z.array(z.string()),
      /** What a good model reads from the turns; turns from 1, `date` in the format of the prompts. */
      read: z.array(
        z.strictObject({
          turn: z.number(),
          statement: z.string(),
          subject: z.string(),
          relation: z.string(),
          object: z.string(),
          date: z.string(),
        }),
      ),
    }),
  ),
  /** The verdicts of such a model on them, by statement. */
  outdated: z.array(
    z.strictObject({ by: z.string(), old: z.string(), kind: z.enum(['replaces', 'corrects']) }),
  ),
  questions: z.array(
    z.strictObject({
      asOf: z.string(),
      /** Default: everything said so far. */
      knownAt: z.string().optional(),
      /** Words of one valid statement each; words after "-" must not be in it. */
      holds: z.array(z.string()),
      /** Words that no valid statement contains together. */
      not: z.array(z.string()),
      /** A question whose answer contains these words, and not those, except as a former state. */
      ask: z.strictObject({ question: z.string(), says: z.string(), never: z.array(z.string()) }).optional(),
    }),
  ),
});

export type Timeline = z.output<typeof schema>;
export type TimelineSession = Timeline['sessions'][number];

export function timelines(): Timeline[] {
  return readdirSync(FOLDER)
    .sort()
    .map((file) => schema.parse(JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))));
}

export function turnsOf({ at, turns }: TimelineSession): TurnInput[] {
  return turns.map((turn, index) => {
    const [speaker, ...words] = turn.split(': ');
    return {
      speaker: speaker!,
      content: words.join(': '),
      session: at,
      at: new Date(Date.parse(at) + index * MINUTE).toISOString(),
    };
  });
}

/** When a session is added: an hour after it began. */
export function toldAt({ at }: TimelineSession): number {
  return Date.parse(at) + 60 * MINUTE;
}

type TimelineQuestion = Timeline['questions'][number];

/** One line per expectation that a memory does not meet. */
export async function failuresOf({ questions }: Timeline, memory: MemoryScope): Promise<string[]> {
  const failures: string[] = [];
  for (const question of questions) {
    const { asOf, knownAt } = question;
    const times = { asOf, ...(knownAt === undefined ? {} : { knownAt }) };
    failures.push(...(await failuresAt(question, memory, times)));
    if (isPresent(question, questions)) failures.push(...(await failuresAt(question, memory, {})));
  }
  return failures;
}

/** Whether a question is about the final state: no session is later, so that no time is needed. */
function isPresent({ asOf, knownAt }: TimelineQuestion, all: readonly TimelineQuestion[]): boolean {
  return knownAt === undefined && all.every((other) => other.asOf <= asOf);
}

/** What held before, which an answer may add where it says that it has ended. */
const FORMER = / \(since [^();]+; before: [^()]+ \[\d+\]\)/g;

async function failuresAt(
  { holds, not, ask }: TimelineQuestion,
  memory: MemoryScope,
  times: { readonly asOf?: string; readonly knownAt?: string },
): Promise<string[]> {
  const failures: string[] = [];
  const find = async (words: string) => {
    const { facts } = await memory.search(words, { ...times, k: 100 });
    return facts.map(({ statement }) => statement).filter((statement) => has(statement, words));
  };
  for (const words of holds) if ((await find(words)).length === 0) failures.push(`lacks "${words}"`);
  for (const words of not) failures.push(...(await find(words)).map((found) => `holds "${found}"`));
  if (ask !== undefined) {
    const { text } = await memory.ask(ask.question, { ...times, answerer: 'local' });
    const now = text.replace(FORMER, '');
    const said = has(now, ask.says) && !ask.never.some((words) => has(now, words));
    if (!said) failures.push(`answers "${ask.question}" with "${text}"`);
  }
  return failures.map((failure) => `${JSON.stringify(times)} ${failure}`);
}

function has(statement: string, words: string): boolean {
  const said = new Set(statement.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  return words
    .toLowerCase()
    .split(' ')
    .every((word) => (word.startsWith('-') ? !said.has(word.slice(1)) : said.has(word)));
}
