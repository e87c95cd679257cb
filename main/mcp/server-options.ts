import { z } from 'zod';
import type { Logger } from '../../src/engine/engine-context.ts';
import { InvalidInputError } from '../../src/errors/index.ts';
import type { Milliseconds } from '../../src/model/ids.ts';
import { TRUST_LEVELS, type Trust } from '../../src/model/nodes.ts';
import { describeIssues } from '../../src/util/describe-issues.ts';

/** What an MCP client may do with which scope, and the bounds of its calls. */
export interface MemoryServerOptions {
  /** Whose memory the server works on; no request can name another. Default `default`. */
  readonly scope?: string | undefined;
  /** Whether `remember`, `forget_preview` and `forget` are left out. Default false. */
  readonly readOnly?: boolean | undefined;
  /** The name of a recipe by which questions are searched for. Default `auto`. */
  readonly recipe?: string | undefined;
  /** Turns that a search returns unless it asks for more or fewer, from 1 to 50. Default 8. */
  readonly k?: number | undefined;
  /** Tokens that the text of a search’s result may have, roughly counted, from 100 to 100,000. Default 2,000. */
  readonly contextTokens?: number | undefined;
  /** Tokens of the language model that one call may cost. Default: no limit. */
  readonly tokenBudget?: number | undefined;
  /** The session of what `remember` is told, unless it says another. Default `remembered`. */
  readonly session?: string | undefined;
  /** How far what `remember` is told may be acted on. Default `low`: a model may have been talked into it. */
  readonly trust?: Trust | undefined;
  /** How long a confirmation of `forget_preview` is good, up to 1,440. Default 10. */
  readonly confirmationMinutes?: number | undefined;
  /** Told of failures that clients are not told in detail. Default: nobody is. */
  readonly logger?: Logger | undefined;
  readonly clock?: (() => Milliseconds) | undefined;
}

const text = (longest: number) => z.string().trim().min(1).max(longest);
const schema = z.strictObject({
  scope: text(200).default('default'),
  readOnly: z.boolean().default(false),
  recipe: text(100).optional(),
  k: z.number().int().min(1).max(50).default(8),
  contextTokens: z.number().int().min(100).max(100_000).default(2_000),
  tokenBudget: z.number().int().min(1).max(1e12).optional(),
  session: text(500).default('remembered'),
  trust: z.enum(TRUST_LEVELS).default('low'),
  confirmationMinutes: z.number().positive().max(1_440).default(10),
});

/** The same with their defaults. */
export type ServerSettings = z.output<typeof schema> & {
  readonly logger: Logger;
  readonly clock: () => Milliseconds;
};

/** @throws InvalidInputError for options that are none. */
export function readServerOptions({ logger, clock, ...options }: MemoryServerOptions = {}): ServerSettings {
  const parsed = schema.safeParse(options);
  if (!parsed.success)
    throw new InvalidInputError(
      `The MCP server cannot use these options: ${describeIssues(parsed.error, Object.keys(schema.shape))}`,
    );
  return { ...parsed.data, logger: logger ?? { warn: () => undefined }, clock: clock ?? Date.now };
}
