import { z } from 'zod';
import { InvalidInputError } from '../../src/errors/index.ts';
import type { Milliseconds } from '../../src/model/ids.ts';
import type { Logger } from '../../src/model/logger.ts';
import { TRUST_LEVELS, type Trust } from '../../src/model/nodes.ts';
import { AGENT_TOKENS, options as shared } from '../../src/model/options.ts';
import { describeIssues } from '../../src/util/describe-issues.ts';

/** The scope that an MCP client works on, its rights, and the limits of its calls. */
export interface MemoryServerOptions {
  /** The scope of the server; no request can name another. Default `default`. */
  readonly scope?: string | undefined;
  /** Whether to omit `remember`, `forget_preview` and `forget`. Default false. */
  readonly readOnly?: boolean | undefined;
  /** Name of the search recipe. Default `auto`. */
  readonly recipe?: string | undefined;
  /**
   * Turns that a search shows, and an answer reads, at most if the call sets no number, from 1 to 100. Default: as many as
   * fit into `contextTokens`; of a search, the structured content has ten.
   */
  readonly k?: number | undefined;
  /** The most tokens in the text of a search’s result, from 1 to 1,000,000. Default 2,000. */
  readonly contextTokens?: number | undefined;
  /** The most tokens of the language model that one call may use. Default: no limit. */
  readonly tokenBudget?: number | undefined;
  /** Session of turns from `remember`, if the call names no other. Default `remembered`. */
  readonly session?: string | undefined;
  /** Trust of turns from `remember`. Default `low`: a prompt injection may have written them. */
  readonly trust?: Trust | undefined;
  /** Minutes for which a confirmation of `forget_preview` is valid, up to 10,000. Default 10. */
  readonly confirmationMinutes?: number | undefined;
  /**
   * Secret of at least 32 characters that signs these confirmations, for several servers behind one address. Default:
   * random, so that a confirmation is valid for the server that gave it.
   */
  readonly confirmationKey?: string | undefined;
  /** Receives failures that clients see without details. Default: none. */
  readonly logger?: Logger | undefined;
  readonly clock?: (() => Milliseconds) | undefined;
}

const text = (longest: number) => z.string().trim().min(1).max(longest);
const schema = z.strictObject({
  scope: text(200).default('default'),
  readOnly: z.boolean().default(false),
  recipe: text(100).optional(),
  k: shared.k.optional(),
  contextTokens: shared.contextTokens.default(AGENT_TOKENS),
  tokenBudget: shared.tokenBudget.optional(),
  session: text(500).default('remembered'),
  trust: z.enum(TRUST_LEVELS).default('low'),
  confirmationMinutes: shared.confirmationMinutes.default(10),
  confirmationKey: z.string().min(32).max(1_000).optional(),
});

/** The options, with defaults filled in. */
export type ServerSettings = z.output<typeof schema> & {
  readonly logger: Logger;
  readonly clock: () => Milliseconds;
};

/** @throws InvalidInputError for invalid options. */
export function readServerOptions({ logger, clock, ...options }: MemoryServerOptions = {}): ServerSettings {
  const parsed = schema.safeParse(options);
  if (!parsed.success)
    throw new InvalidInputError(
      `The MCP server cannot use these options: ${describeIssues(parsed.error, Object.keys(schema.shape))}`,
    );
  return { ...parsed.data, logger: logger ?? { warn: () => undefined }, clock: clock ?? Date.now };
}
