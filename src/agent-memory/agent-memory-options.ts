import { z } from 'zod';
import type { MemoryScope } from '../engine/memory-scope.ts';
import type { SearchOptions } from '../engine/search-options.ts';
import type { Mnemis } from '../engine.ts';
import { InvalidInputError } from '../errors/index.ts';
import { roughTokens } from '../inference/language-model/tokens/count-tokens.ts';
import type { Logger } from '../model/logger.ts';
import { AGENT_TOKENS, MOST_RESULTS, options } from '../model/options.ts';
import { describeIssues } from '../util/describe-issues.ts';

/** What the middleware needs of one scope's memory; `MemoryScope` is one. */
export type MiddlewareMemory = Pick<MemoryScope, 'name' | 'context' | 'add'>;

/** The memory of an agent, how much of it the model gets, and what is stored. */
export interface MemoryMiddlewareOptions {
  /** Each run names its user and uses that user's scope. Set this or `memory`. */
  readonly engine?: { scope(name: string): MiddlewareMemory } | Mnemis | undefined;
  /** One memory for the runs of all users. */
  readonly memory?: MiddlewareMemory | undefined;
  /** The name of a user's scope. Default: the `userId` itself. */
  readonly scopeOf?: ((userId: string) => string) | undefined;
  /** Name of a user in memory. Default: the generic user. */
  readonly speakerOf?: ((userId: string | undefined) => string | undefined) | undefined;
  /** Turns recalled at most, from 1 to 100; 0 disables recall. Default: as many as fit into `budget`. */
  readonly k?: number | undefined;
  readonly recipe?: SearchOptions['recipe'];
  /** Time limit of each route of the search, in milliseconds. Default: none. */
  readonly routeMilliseconds?: number | undefined;
  /** The most recalled tokens in each model call. Default 2,000. */
  readonly budget?: number | undefined;
  /** Counts tokens as the model does. Default: an estimate that tends to be too high. */
  readonly countTokens?: ((text: string) => number | Promise<number>) | undefined;
  /** Whether to store the turns of a run. Default true. */
  readonly remember?: boolean | undefined;
  /** The most runs with turns waiting to be stored; beyond it, the end of a run waits for one of them. Default 100. */
  readonly mostWaiting?: number | undefined;
  /** Receives failures of recall and storage, which do not break the run. Default: `logger`. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Default: warnings of the process. */
  readonly logger?: Logger | undefined;
  readonly clock?: (() => number) | undefined;
}

const isFunction = (value: unknown): boolean => typeof value === 'function';
const hasAll =
  (...names: readonly string[]) =>
  (value: unknown) =>
    typeof value === 'object' && value !== null && names.every((name) => name in value);

const schema = z
  .strictObject({
    engine: z.custom<{ scope(name: string): MiddlewareMemory }>(hasAll('scope'), 'is no engine').optional(),
    memory: z.custom<MiddlewareMemory>(hasAll('context', 'add'), 'is no scope of a memory').optional(),
    scopeOf: z
      .custom<(userId: string) => string>(isFunction, 'is no function')
      .default(() => (userId: string) => userId),
    speakerOf: z
      .custom<(userId: string | undefined) => string | undefined>(isFunction, 'is no function')
      .default(() => () => undefined),
    // 0 disables recall.
    k: z.number().int().min(0).max(MOST_RESULTS).optional(),
    recipe: z.custom<SearchOptions['recipe']>(() => true).optional(),
    routeMilliseconds: options.routeMilliseconds.optional(),
    budget: z.number().int().min(0).default(AGENT_TOKENS),
    countTokens: z
      .custom<NonNullable<MemoryMiddlewareOptions['countTokens']>>(isFunction, 'is no function')
      .default(() => roughTokens),
    remember: z.boolean().default(true),
    mostWaiting: z.number().int().min(1).default(100),
    onError: z.custom<(error: unknown) => void>(isFunction, 'is no function').optional(),
    logger: z.custom<Logger>(hasAll('warn'), 'is no logger').optional(),
    clock: z.custom<() => number>(isFunction, 'is no function').default(() => Date.now),
  })
  .refine(
    ({ engine, memory }) => (engine === undefined) !== (memory === undefined),
    'need either engine, for a memory per user, or memory, for one shared by all',
  );

export type MiddlewareSettings = z.output<typeof schema>;

/** @throws InvalidInputError */
export function readMiddlewareOptions(given: MemoryMiddlewareOptions): MiddlewareSettings {
  const parsed = schema.safeParse(given);
  if (!parsed.success)
    throw new InvalidInputError(`The options of the memory middleware: ${describeIssues(parsed.error)}`);
  return parsed.data;
}
