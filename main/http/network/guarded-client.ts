import { z } from 'zod';
import { MnemisError } from '../../../src/errors/index.ts';
import type { ScopesOfApp } from '../../assistant/app-handlers.ts';
import { INTERNAL } from '../../client/errors.ts';
import { readInput } from '../../client/handlers.ts';
import {
  contract,
  type Health,
  type MemoryClient,
  type MethodName,
  type RequestOptions,
} from '../../contract.ts';
import { refusals } from '../refusals.ts';
import { admitted, isOfApp, shownToApp } from './app-rules.ts';
import { OK, type Outcome } from './audit-log.ts';
import { covers, type Grant } from './grant.ts';
import { ruleOf } from './method-rules.ts';

/** Called for each call that a guarded client receives, also for one that is refused. */
export interface CallObserver {
  /** @returns what takes the outcome, once. */
  begin(call: { readonly method: MethodName; readonly scope: string | null }): (outcome: Outcome) => void;
}

const scoped = z.object({ scope: z.string() });

/**
 * A client that does what a token allows, and nothing else: each method follows its rule (`method-rules.ts`) and the
 * grant. All requests from the network, of the contract and of MCP, pass here. A method that refuses throws before it
 * returns a stream, so that the refusal can still set the status of the reply.
 *
 * @param scopes - of the things of the app, where it is served (`app-rules.ts`).
 */
export function guardedClient(
  client: MemoryClient,
  grant: Grant,
  observer: CallObserver,
  scopes: ScopesOfApp | null = null,
): MemoryClient {
  const names = Object.keys(contract) as MethodName[];
  const methods = names.map((name) => [name, contract[name].kind === 'call' ? callOf(name) : streamOf(name)]);
  const asking = scopes && { grant, scopes };
  return { ...Object.fromEntries(methods), close: async () => undefined };

  function callOf(name: MethodName) {
    return async (input: unknown, options: RequestOptions = {}) => {
      const { end, given } = begin(name, input);
      try {
        const run = client[name] as (input: unknown, options: RequestOptions) => Promise<unknown>;
        const result = seenBy(grant, name, await run(given, options));
        end(OK);
        return asking === null ? result : shownToApp(name, result, asking);
      } catch (error) {
        end(codeOf(error));
        throw error;
      }
    };
  }

  function streamOf(name: MethodName) {
    return (input: unknown, options: RequestOptions = {}) => {
      const { end, given } = begin(name, input);
      const run = client[name] as (input: unknown, options: RequestOptions) => AsyncGenerator<unknown>;
      return observed(run(given, options), {
        end,
        show: (event) => (asking === null ? event : shownToApp(name, event, asking)),
      });
    };
  }

  /** @throws RefusalError, InvalidInputError; both are observed. */
  function begin(name: MethodName, input: unknown) {
    const end = observer.begin({ method: name, scope: scopeIn(name, input) });
    try {
      refuseUnserved(name, scopes);
      const checked = checkedInput(grant, name, input);
      return { end, given: asking === null ? input : admitted(name, checked, asking) };
    } catch (error) {
      end(codeOf(error));
      throw error;
    }
  }
}

interface Observed {
  readonly end: (outcome: Outcome) => void;
  /** What of an event is seen; null: nothing. */
  readonly show: (event: unknown) => unknown;
}

async function* observed(events: AsyncGenerator<unknown>, { end, show }: Observed) {
  let outcome = 'cancelled'; // where the client leaves
  try {
    for await (const event of events) {
      const seen = show(event);
      if (seen !== null) yield seen;
    }
    outcome = OK;
  } catch (error) {
    outcome = codeOf(error);
    throw error;
  } finally {
    end(outcome);
  }
}

/** @param scopes - null where the app is not served. @throws RefusalError */
export function refuseUnserved(name: MethodName, scopes: ScopesOfApp | null): void {
  if (ruleOf(name) === 'not-served' && (scopes === null || !isOfApp(name))) throw refusals.notServed();
}

/** @throws RefusalError for what the grant does not allow, InvalidInputError for an input that does not fit. */
function checkedInput(grant: Grant, name: MethodName, input: unknown): unknown {
  if (grant.access === 'metrics') throw refusals.access();
  if (contract[name].effect !== 'reads' && grant.access !== 'write') throw refusals.access();
  const checked = readInput(name, input);
  if (ruleOf(name) === 'in-scope' && !covers(grant, scoped.parse(checked).scope)) throw refusals.scope();
  return checked;
}

function scopeIn(name: MethodName, input: unknown): string | null {
  const parsed = contract[name].input.safeParse(input);
  return parsed.success ? (scoped.safeParse(parsed.data).data?.scope ?? null) : null;
}

/** What of a reply the holder of a grant may see. */
function seenBy(grant: Grant, name: MethodName, result: unknown): unknown {
  const rule = ruleOf(name);
  if (rule === 'scopes') return (result as readonly string[]).filter((scope) => covers(grant, scope));
  // Neither the place of the memory nor the process concerns another machine.
  if (rule === 'server') return { ...(result as Health), path: '', pid: 0 };
  return result;
}

function codeOf(error: unknown): string {
  return MnemisError.isInstance(error) ? error.code : INTERNAL;
}
