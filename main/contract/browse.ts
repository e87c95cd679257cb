import { z } from 'zod';
import type { Page } from '../../src/engine/history/page.ts';
import type { FactLine } from '../../src/engine/knowledge/fact-line.ts';
import type { Episode } from '../../src/model/nodes.ts';
import { boundedCount, inScope, time } from './common.ts';
import { call, reply } from './method.ts';

const id = z.string().min(1).max(1_000);
/** `after` is the `next` of the page before. A period begins at `from` and ends before `to`. */
const listed = inScope.extend({
  from: time.optional(),
  to: time.optional(),
  limit: boundedCount(500).optional(),
  after: z.string().max(1_000).optional(),
});

export const pageReply = <T>() =>
  reply<Page<T>>(
    z.object({
      items: z.array(z.object({ id: z.string() })),
      total: z.number(),
      next: z.string().nullable(),
    }),
  );

/** What memory holds, as lists and pages. */
export const browseMethods = {
  /** Facts that memory believes, the latest first. */
  facts: call(
    'reads',
    listed.extend({
      /** By id, or by a name that no other entity has. */
      entity: id.optional(),
      /** By id: facts about entities below it. */
      category: id.optional(),
      state: z.enum(['holds', 'ended', 'any']).optional(),
      /** What the period and the order are about. Default: when facts began to hold. */
      by: z.enum(['begun', 'ended']).optional(),
    }),
    pageReply<FactLine>(),
  ),
  /** Turns, the latest first. */
  turns: call(
    'reads',
    listed.extend({
      /** Turns that mention it; by id, or by a name that no other entity has. */
      entity: id.optional(),
      session: id.optional(),
      speaker: z.string().max(1_000).optional(),
      source: z.string().max(1_000).optional(),
    }),
    pageReply<Episode>(),
  ),
} as const;
