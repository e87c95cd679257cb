import { z } from 'zod';
import type { FactLine } from '../../src/browse/fact-line.ts';
import type { ChangeEvent } from '../../src/browse/feed/change-event.ts';
import type { Learned } from '../../src/browse/learned.ts';
import type { Portrait, PortraitFact } from '../../src/browse/portrait.ts';
import type { Reminder, Reminders } from '../../src/browse/reminders.ts';
import type { SessionPage } from '../../src/browse/session-page.ts';
import { portraitShape } from '../../src/model/portrait-request.ts';
import { boundedCount, inScope, time } from './common.ts';
import { call, reply } from './method.ts';

const id = z.string().min(1).max(500);

/** A fact in words, as a list shows it. */
const factLineSchema = z.object({
  id: z.string(),
  statement: z.string(),
  /** When it began to hold; the same as `saidAt` where the turn names no date. */
  validAt: z.number(),
  /** When the time begins that the statement itself mentions. */
  eventAt: z.number().nullable(),
  /** When the first of its turns was said: a fact that began to hold then has no date of its own. */
  saidAt: z.number().nullable(),
  /** When it ceased to hold; null while it holds. */
  invalidAt: z.number().nullable(),
  confidence: z.number(),
  isPinned: z.boolean(),
  sources: z.array(z.object({ episode: z.string(), session: z.string(), index: z.number() })),
});

/** What memory made of turns. */
const learnedSchema = z.object({
  turns: z.array(z.object({ id: z.string(), text: z.string(), speaker: z.string(), isRead: z.boolean() })),
  facts: z.array(factLineSchema),
  /** Turns that are not read for facts yet. */
  pending: z.number(),
});

const portraitFactSchema = factLineSchema.extend({
  /** The statement as it is said to the user: "You live in Oslo". */
  said: z.string(),
});

/** A dated fact; `day` is its day, at 0:00 UTC. */
const reminderSchema = portraitFactSchema.extend({ day: z.number() });

/** What memory holds about one person, in sections. */
const portraitSchema = z.object({
  entity: z.object({ id: z.string(), name: z.string(), isUser: z.boolean() }).nullable(),
  /** The people whom memory knows best, for the choice of another portrait. */
  people: z.array(z.object({ id: z.string(), name: z.string(), facts: z.number() })),
  /** A few sentences. */
  summary: z.string(),
  /** Facts that hold, by what they are about. Those that belong nowhere are left out. */
  sections: z.array(
    z.object({
      key: z.string(),
      title: z.string(),
      facts: z.array(portraitFactSchema),
      /** Number of its facts; `facts` may list fewer. */
      total: z.number(),
    }),
  ),
  /** Facts that held once, and plans and appointments whose time is over; the latest first. */
  past: z.array(portraitFactSchema),
  /** Number of facts that hold. */
  facts: z.number(),
  /** Number of turns that the person spoke, or that mention somebody who never spoke; and when the first was said. */
  turns: z.number(),
  since: z.number().nullable(),
});

export const knowledgeMethods = {
  /** What memory holds of turns: themselves and the facts that they support. */
  learned: call(
    'reads',
    inScope.extend({ episodes: z.array(id).min(1).max(100) }),
    reply<Learned>(learnedSchema),
  ),
  /** What memory holds about a person; default: the speaker of most of the user's turns. */
  portrait: call('reads', inScope.extend(portraitShape), reply<Portrait>(portraitSchema)),
  /** What is ahead this week, and what this day was in earlier years. */
  reminders: call(
    'reads',
    inScope,
    reply<Reminders>(z.object({ ahead: z.array(reminderSchema), before: z.array(reminderSchema) })),
  ),
  /** Turns of a session around one of them, or from its beginning, in order. `first` is the position of the first. */
  session: call(
    'reads',
    inScope.extend({
      /** The session, or a turn of it. */
      session: id.optional(),
      episode: id.optional(),
      before: z.number().int().min(0).max(500).optional(),
      after: z.number().int().min(0).max(500).optional(),
      /** Position to begin at, in place of a turn. */
      from: z.number().int().min(0).optional(),
      /** Turns of this source are left out, and not counted. */
      without: z.string().max(1_000).optional(),
    }),
    reply<SessionPage>(
      z.object({
        session: z.string(),
        turns: z.array(z.object({ id: z.string() })),
        total: z.number(),
        first: z.number(),
      }),
    ),
  ),
  /**
   * What changed in memory before a time, the newest first. `next` is the `before` of the next page. Changes of one time
   * are never split between pages, so a page may be longer than `limit`.
   */
  recentChanges: call(
    'reads',
    inScope.extend({ before: time.optional(), limit: boundedCount(500).optional() }),
    reply<{ readonly changes: readonly ChangeEvent[]; readonly next: number | null }>(
      z.object({
        changes: z.array(z.object({ type: z.string(), at: z.number() })),
        next: z.number().nullable(),
      }),
    ),
  ),
} as const;

export type { FactLine, Learned, Portrait, PortraitFact, Reminder };
