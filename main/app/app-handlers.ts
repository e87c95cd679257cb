import { InvalidInputError } from '../../src/errors/index.ts';
import type { Handlers } from '../client/handlers.ts';
import type { MethodName } from '../contract.ts';

/** What carries out some of the contract's methods. */
export type AppHandlers<Name extends MethodName> = Pick<Handlers, Name>;

/** Placeholder until a part is there. */
export function notYet<Name extends MethodName>(methods: Readonly<Record<Name, unknown>>): AppHandlers<Name> {
  const refuse = () => {
    throw new InvalidInputError('This part of the app is not there yet');
  };
  return Object.fromEntries(
    Object.keys(methods).map((name) => [name, refuse]),
  ) as unknown as AppHandlers<Name>;
}
