import type { z } from 'zod';
import type { Mnemis } from '../../src/engine.ts';
import { CancelledError, InvalidInputError } from '../../src/errors/index.ts';
import { withoutUndefined } from '../../src/util/collections.ts';
import { describeIssues } from '../../src/util/describe-issues.ts';
import type { browseMethods } from '../contract/browse.ts';
import type { knowledgeMethods } from '../contract/knowledge.ts';
import type { reviewMethods } from '../contract/review.ts';
import type { timelineMethods } from '../contract/timeline.ts';
import {
  type ClientMethod,
  contract,
  type MemoryClient,
  type MethodName,
  type OutputOf,
  type RequestOptions,
} from '../contract.ts';

type CheckedInput<Name extends MethodName> = z.output<(typeof contract)[Name]['input']>;

/** What carries out each method, given an input that fits the contract. */
export type Handlers = {
  readonly [Name in MethodName]: (
    input: CheckedInput<Name>,
    options: RequestOptions,
  ) => (typeof contract)[Name]['kind'] extends 'call'
    ? Promise<OutputOf<Name>>
    : AsyncGenerator<OutputOf<Name>, void>;
};

/** Methods that look at their input before anything else: a call rejects, and a stream throws when it is first taken from. */
export function checked(handlers: Handlers): Omit<MemoryClient, 'close'> {
  const names = Object.keys(contract) as MethodName[];
  return Object.fromEntries(
    names.map((name) => [name, contract[name].kind === 'call' ? callOf(name) : streamOf(name)]),
  ) as { readonly [Name in MethodName]: ClientMethod<Name> };

  function callOf(name: MethodName) {
    return async (input: unknown, options: RequestOptions = {}) =>
      run(name, readInput(name, input, options), options);
  }

  function streamOf(name: MethodName) {
    return async function* (input: unknown, options: RequestOptions = {}) {
      yield* run(name, readInput(name, input, options), options) as AsyncGenerator<unknown>;
    };
  }

  function run(name: MethodName, input: unknown, options: RequestOptions): unknown {
    return (handlers[name] as (input: unknown, options: RequestOptions) => unknown)(input, options);
  }
}

/** @throws InvalidInputError, CancelledError where the signal has fired already. */
export function readInput<Name extends MethodName>(
  name: Name,
  input: unknown,
  { signal }: RequestOptions = {},
): CheckedInput<Name> {
  const parsed = contract[name].input.safeParse(input);
  if (!parsed.success)
    throw new InvalidInputError(`The request "${name}" is not valid: ${describeIssues(parsed.error)}`);
  if (signal?.aborted) throw new CancelledError('nothing was begun', signal.reason);
  return parsed.data as CheckedInput<Name>;
}

type OnMemory = typeof browseMethods &
  typeof timelineMethods &
  typeof knowledgeMethods &
  typeof reviewMethods;

/** The methods on what memory holds and learned, by an engine in this process. */
export function knowledgeHandlers(engine: Mnemis) {
  const knowledge = (scope: string) => engine.scope(scope).knowledge;
  return {
    facts: async ({ scope, ...request }) => knowledge(scope).facts(withoutUndefined(request)),
    turns: async ({ scope, ...request }) => knowledge(scope).turns(withoutUndefined(request)),
    names: async ({ scope, ...request }) => knowledge(scope).names(withoutUndefined(request)),
    entities: async ({ scope, ...request }) => knowledge(scope).entities(withoutUndefined(request)),
    graph: async ({ scope, ...request }) => knowledge(scope).graph(withoutUndefined(request)),
    entityPage: async ({ scope, entity }) => knowledge(scope).entityPage(entity),
    categoryPage: async ({ scope, ...request }) => knowledge(scope).categoryPage(withoutUndefined(request)),
    timeline: async ({ scope, ...request }) => knowledge(scope).timeline(withoutUndefined(request)),
    supersessions: async ({ scope, ...request }) => knowledge(scope).supersessions(withoutUndefined(request)),
    learned: async ({ scope, episodes }) => knowledge(scope).learned(episodes),
    portrait: async ({ scope, ...request }) => knowledge(scope).portrait(withoutUndefined(request)),
    reminders: async ({ scope }) => knowledge(scope).reminders(),
    session: async ({ scope, ...request }) => knowledge(scope).session(withoutUndefined(request)),
    recentChanges: async ({ scope, ...page }) => knowledge(scope).recentChanges(withoutUndefined(page)),
    review: async ({ scope }) => knowledge(scope).review(),
    reviewItems: async ({ scope, ...request }) => knowledge(scope).reviewItems(withoutUndefined(request)),
  } satisfies Pick<Handlers, Exclude<keyof OnMemory, 'recipes' | 'dismissReview'>>;
}
