import type { AppEvents } from '../assistant/app-events.ts';
import { contract, type MethodName } from '../contract.ts';
import type { Handlers } from './handlers.ts';

/** So that a program that adds turn after turn has each window ask a few times a second at most. */
const MILLISECONDS = 300;

/** Handlers that tell every window what changed a scope, whoever asked for it, also where it failed half-way. */
export function telling<Some extends Partial<Handlers>>(
  handlers: Some,
  events: Pick<AppEvents, 'emit'> | undefined,
): Some {
  if (events === undefined) return handlers;
  const waiting = new Set<string>();
  const tell = ({ scope }: { readonly scope?: string }) => {
    if (scope === undefined || waiting.has(scope)) return;
    waiting.add(scope);
    setTimeout(() => {
      waiting.delete(scope);
      events.emit({ type: 'memory', scope });
    }, MILLISECONDS).unref();
  };
  const told = Object.entries(handlers).map(([name, handler]) => {
    const { effect, kind } = contract[name as MethodName];
    if (effect === 'reads') return [name, handler];
    const run = handler as (input: { readonly scope?: string }, ...rest: unknown[]) => unknown;
    const call = async (...asked: Parameters<typeof run>) => {
      try {
        return await run(...asked);
      } finally {
        tell(asked[0]);
      }
    };
    async function* stream(...asked: Parameters<typeof run>) {
      try {
        yield* run(...asked) as AsyncGenerator<unknown>;
      } finally {
        tell(asked[0]);
      }
    }
    return [name, kind === 'call' ? call : stream];
  });
  return Object.fromEntries(told) as Some;
}
