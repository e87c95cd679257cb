import { z } from 'zod';
import type { Page } from '../../src/browse/history/page.ts';
import type { SignFound } from '../../src/browse/injection-signs.ts';
import type {
  ReviewCounts,
  ReviewEntity,
  ReviewFact,
  ReviewItem,
  ReviewKind,
  ReviewTopic,
  ReviewTurn,
} from '../../src/browse/review.ts';
import { boundedCount, inScope } from './common.ts';
import { call, reply } from './method.ts';

const kind = z.enum([
  'contradiction',
  'merge',
  'injection',
  'unsure',
  'set-aside',
  'dropped',
]) satisfies z.ZodType<ReviewKind>;
const count = z.number();

/** What a person should look at, and what was decided about it. Corrections and forgetting have methods of their own. */
export const reviewMethods = {
  /** Number of items of each kind, without dismissed ones. */
  review: call(
    'reads',
    inScope,
    reply<ReviewCounts>(
      z.object({
        contradiction: count,
        merge: count,
        injection: count,
        unsure: count,
        'set-aside': count,
        dropped: count,
      }),
    ),
  ),
  /** Items of one kind with their evidence, the surest or the latest first. `after` is the `next` of the page before. */
  reviewItems: call(
    'reads',
    inScope.extend({
      kind,
      limit: boundedCount(100).optional(),
      after: z.string().max(2_000).optional(),
    }),
    reply<Page<ReviewItem>>(
      z.object({
        items: z.array(z.object({ kind: z.string(), id: z.string() })),
        total: count,
        next: z.string().nullable(),
      }),
    ),
  ),
  /** Takes a contradiction or a suspected injection off the list, or puts it back; memory stays as it is. */
  dismissReview: call(
    'writes',
    inScope.extend({
      /** The `id` of the item. */
      item: z.string().min(1).max(1_000),
      /** Default true. */
      isDismissed: z.boolean().optional(),
    }),
    z.object({ dismissed: count }).readonly(),
  ),
} as const;

export type {
  ReviewCounts,
  ReviewEntity,
  ReviewFact,
  ReviewItem,
  ReviewKind,
  ReviewTopic,
  ReviewTurn,
  SignFound,
};
