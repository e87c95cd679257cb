import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { TurnInput } from '../../../src/model/turn-input.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/hard-cases');

export const KINDS = [
  'correction',
  'negation',
  'sarcasm',
  'same first name',
  'nickname',
  'relative dates',
  'prompt injection',
  'pasted log',
  'other language',
  'quotes',
] as const;

/** Compared with statements in lower case. */
const words = z.array(z.string().min(1)).min(1);
const day = z.iso.date();
/** "s1:3" is the fourth turn of session s1. */
const turnName = z.string().regex(/^s\d:\d+$/);

const factSchema = z.strictObject({
  /** Words in its statement. */
  words,
  /** Number of such facts; at least one if not given. */
  count: z.number().int().optional(),
  /** First day of its event, and the day after its last. */
  event: z.tuple([day, day]).optional(),
  /** The day from which it holds. */
  validFrom: day.optional(),
  /** Exactly its evidence. */
  rests: z.array(turnName).optional(),
  about: z.array(z.string()).optional(),
  notAbout: z.array(z.string()).optional(),
  relation: z.string().optional(),
  /** Lowest and highest confidence. */
  confidence: z.tuple([z.number(), z.number()]).optional(),
});
export type ExpectedFact = z.infer<typeof factSchema>;

const hardCaseSchema = z.strictObject({
  kind: z.enum(KINDS),
  title: z.string(),
  sessions: z.array(
    z.strictObject({
      name: z.string(),
      at: z.iso.datetime(),
      /** "Speaker: content". */
      turns: z.array(z.string().regex(/^[^:]+: ./s)),
    }),
  ),
  facts: z.array(factSchema),
  /** No fact's statement contains all words of one of these. */
  never: z.array(words),
  /** Nor of these, unless it also contains one of the others. */
  neverWithout: z.array(z.strictObject({ words, unless: words })).default([]),
  /** A fact with these words has low confidence, or does not exist. */
  doubted: z.array(words).default([]),
  entities: z
    .strictObject({
      /** Names of the same entity. */
      one: z.array(z.array(z.string()).min(2)).default([]),
      /** Names of two entities. */
      apart: z.array(z.tuple([z.string(), z.string()])).default([]),
      present: z.array(z.string()).default([]),
      absent: z.array(z.string()).default([]),
    })
    .prefault({}),
  search: z.array(
    z.strictObject({
      query: z.string(),
      /** Among the first three episodes. */
      turns: z.array(turnName).default([]),
      /** Each in the statement of one of the first three facts. */
      facts: z.array(z.string()).default([]),
    }),
  ),
  ask: z.array(z.strictObject({ question: z.string(), says: words })),
});
export type HardCase = z.infer<typeof hardCaseSchema>;

export function readHardCases(): { file: string; hardCase: HardCase }[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  return files.sort().map((file) => {
    return { file, hardCase: hardCaseSchema.parse(JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))) };
  });
}

export function turnsOf({ sessions }: HardCase): TurnInput[][] {
  return sessions.map(({ name, at, turns }) =>
    turns.map((turn, index) => {
      const end = turn.indexOf(':');
      const speaker = turn.slice(0, end);
      const role = speaker === 'assistant' ? 'assistant' : 'user';
      return { session: name, index, at, speaker, role, content: turn.slice(end + 2) } as TurnInput;
    }),
  );
}
