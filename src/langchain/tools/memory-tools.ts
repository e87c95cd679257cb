import type { StructuredToolInterface } from '@langchain/core/tools';
import { z } from 'zod';
import type { Logger } from '../../engine/engine-context.ts';
import type { MemoryScope, SearchOptions } from '../../engine/memory-scope.ts';
import { InvalidInputError } from '../../errors/index.ts';
import type { Milliseconds } from '../../model/ids.ts';
import { ROLES, type Role, TRUST_LEVELS, type Trust } from '../../model/nodes.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { BROWSE_MEMORY, browseMemoryTool } from './browse-memory-tool.ts';
import { FORGET, forgetTool } from './forget-tool.ts';
import { REMEMBER, rememberTool } from './remember-tool.ts';
import { SEARCH_MEMORY, searchMemoryTool } from './search-memory-tool.ts';

/** Names of the tools, as the model calls them, in the order in which `memoryTools` gives them. */
export const MEMORY_TOOLS = [SEARCH_MEMORY, REMEMBER, FORGET, BROWSE_MEMORY] as const;
/** `search_memory`, `remember`, `forget` or `browse_memory`. */
export type MemoryToolName = (typeof MEMORY_TOOLS)[number];

/** Whose memory the tools work on, which tools there are, and the bounds of each. */
export interface MemoryToolsOptions {
  /** Whose memory they work on; no call can name another. */
  readonly memory: MemoryScope;
  /** Which tools there are, in this order. Default: all four. */
  readonly only?: readonly MemoryToolName[];
  /** Of `search_memory`: as those of `MemoryScope.search`. Default `auto`. */
  readonly recipe?: SearchOptions['recipe'];
  /** Turns that `search_memory` returns unless the model asks for more or fewer, from 1 to 50. Default 8. */
  readonly k?: number;
  /** Tokens that a reply of `search_memory` may have, roughly counted. Default 1,200. */
  readonly contextTokens?: number;
  /** Of `remember`: the session of what it is told. Default `remembered`. */
  readonly session?: string;
  /** Of `remember`: who said it. Default: the role. */
  readonly speaker?: string;
  /** Of `remember`: default `assistant`, since the words are the model's. */
  readonly role?: Role;
  /** Of `remember`: how far it may be acted on. Default `low`: a model may have been talked into it. */
  readonly trust?: Trust;
  /** Of `forget`: how long a confirmation is good. Default 10. */
  readonly confirmationMinutes?: number;
  /** Told of failures that the model is not told in detail. */
  readonly logger?: Logger;
  readonly clock?: () => Milliseconds;
}

const name = z.string().trim().min(1).max(500);
const anything = z.unknown().optional();
const optionsSchema = z.strictObject({
  memory: z.custom((value) => typeof Object(value).previewForget === 'function', 'is no scope of a memory'),
  only: z.array(z.enum(MEMORY_TOOLS)).min(1).optional(),
  k: z.number().int().min(1).max(50).optional(),
  contextTokens: z.number().int().min(100).max(1_000_000).optional(),
  session: name.optional(),
  speaker: name.optional(),
  role: z.enum(ROLES).optional(),
  trust: z.enum(TRUST_LEVELS).optional(),
  confirmationMinutes: z.number().positive().max(10_000).optional(),
  ...{ recipe: anything, logger: anything, clock: anything },
});

/**
 * Tools for an agent over one scope: `search_memory`, `remember`, `forget` (shows what would go first, and wants that
 * confirmed) and `browse_memory` (walks the categories). Each replies with a short text, in which what memory holds is
 * fenced as data, and with the same as an artifact of plain JSON whose `type` says what it is. Failures are told to the
 * model in words of our own; a cancel goes through.
 *
 * @throws InvalidInputError for options that are none.
 */
export function memoryTools(options: MemoryToolsOptions): StructuredToolInterface[] {
  const parsed = optionsSchema.safeParse(options);
  if (!parsed.success)
    throw new InvalidInputError(
      `The tools cannot use these options: ${describeIssues(parsed.error, Object.keys(optionsSchema.shape))}`,
    );
  const { memory, recipe, logger, clock = Date.now } = options;
  const { k = 8, contextTokens = 1_200, session = 'remembered', confirmationMinutes = 10 } = options;
  const { role = 'assistant', speaker = role, trust = 'low' } = options;
  const make: Readonly<Record<MemoryToolName, () => StructuredToolInterface>> = {
    search_memory: () => searchMemoryTool({ memory, recipe, k, contextTokens, logger }),
    remember: () => rememberTool({ memory, session, speaker, role, trust, clock, logger }),
    forget: () => forgetTool({ memory, clock, confirmationMinutes, logger }),
    browse_memory: () => browseMemoryTool({ memory, logger }),
  };
  return [...new Set(options.only ?? MEMORY_TOOLS)].map((each) => make[each]());
}
