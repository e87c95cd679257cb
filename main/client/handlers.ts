import type { z } from 'zod';
import { CancelledError, InvalidInputError } from '../../src/errors/index.ts';
import { describeIssues } from '../../src/util/describe-issues.ts';
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

type Methods = { readonly [Name in MethodName]: ClientMethod<Name> };

/** Methods that look at their input before anything else: a call rejects, and a stream throws when it is first taken from. */
export function checked(handlers: Handlers): Omit<MemoryClient, 'close'> {
  const names = Object.keys(contract) as MethodName[];
  return Object.fromEntries(
    names.map((name) => [name, contract[name].kind === 'call' ? callOf(name) : streamOf(name)]),
  ) as Methods;

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
