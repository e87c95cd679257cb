import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { EndsThen } from '../../../src/engine/history/ends-then.ts';
import type { Fact } from '../../../src/model/nodes.ts';
import type { Relationship } from '../../../src/model/relationships.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/timelines');
const MINUTE = 60_000;

const schema = z.strictObject({
  name: z.string(),
  sessions: z.array(
    z.strictObject({
      at: z.string(),
      /** "Speaker: words", one a minute. */
      turns: z.array(z.string()),
      /** What a good model reads from them; turns from 1, `date` as the prompts write it. */
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
  /** What such a model says of them, by their statements. */
  outdated: z.array(
    z.strictObject({ by: z.string(), old: z.string(), kind: z.enum(['replaces', 'corrects']) }),
  ),
  questions: z.array(
    z.strictObject({
      asOf: z.string(),
      /** Default: all that was ever told. */
      knownAt: z.string().optional(),
      /** Words of one valid statement each; a word behind "-" is not in it. */
      holds: z.array(z.string()),
      /** Words that no valid statement has together. */
      not: z.array(z.string()),
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

/** When memory is told of a session: an hour after it began. */
export function toldAt({ at }: TimelineSession): number {
  return Date.parse(at) + 60 * MINUTE;
}

/** What a memory holds after a timeline. */
export interface TimelineRows {
  readonly facts: readonly Fact[];
  /** SUPERSEDES. */
  readonly supersedes: readonly Relationship[];
}

/** Every expectation that the rows do not meet, as a line each. */
export function failuresOf({ questions }: Timeline, rows: TimelineRows): string[] {
  return questions.flatMap(({ asOf, knownAt = '2100-01-01', holds, not }) => {
    const valid = validAt(rows, Date.parse(asOf), Date.parse(knownAt));
    const label = `${asOf} as known ${knownAt}`;
    const missing = holds.filter((words) => !valid.some((each) => has(each, words)));
    const wrong = not.flatMap((words) => valid.filter((each) => has(each, words)));
    return [
      ...missing.map((words) => `${label}: lacks "${words}"`),
      ...wrong.map((statement) => `${label}: holds "${statement}"`),
    ];
  });
}

/** What memory took to be so at one time, as it saw it at another. */
function validAt({ facts, supersedes }: TimelineRows, asOf: number, knownAt: number): string[] {
  const supersededBy = new Map<string, Fact[]>();
  for (const { from, to } of supersedes) {
    const by = facts.filter(({ id }) => id === from);
    supersededBy.set(to, [...(supersededBy.get(to) ?? []), ...by]);
  }
  const ends = new EndsThen(knownAt, supersededBy);
  const believed = facts.filter(
    ({ createdAt, expiredAt }) => createdAt <= knownAt && (expiredAt === null || expiredAt > knownAt),
  );
  return believed
    .filter((fact) => fact.validAt <= asOf && asOf < (ends.of(fact) ?? Number.POSITIVE_INFINITY))
    .map(({ statement }) => statement);
}

function has(statement: string, words: string): boolean {
  const said = new Set(statement.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  return words
    .toLowerCase()
    .split(' ')
    .every((word) => (word.startsWith('-') ? !said.has(word.slice(1)) : said.has(word)));
}
