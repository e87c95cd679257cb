import { z } from 'zod';
import { InvalidInputError } from '../errors/index.ts';
import { describeIssues } from '../util/describe-issues.ts';

const schema = z.strictObject({
  /** The user whose memory the run reads and writes; required unless there is one `memory` for all. */
  userId: z.union([z.string(), z.number()]).optional(),
  /** The conversation. */
  session: z.string().trim().min(1).max(500).optional(),
  /** True for a run that neither reads nor writes memory. */
  private: z.boolean().default(false),
});

/** What a run says of itself. */
export type RunOptions = z.input<typeof schema>;

/**
 * @param place - Where the program said it, for the error.
 * @throws InvalidInputError
 */
export function readRunOptions(given: unknown, place: string): z.output<typeof schema> {
  const parsed = schema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  throw new InvalidInputError(`${place}: ${describeIssues(parsed.error, Object.keys(schema.shape))}`);
}
