import { InvalidInputError } from '../../errors/index.ts';
import type { Scope } from '../../model/ids.ts';
import type { GraphStore } from '../../store/graph-store.ts';

/** Scopes in which a forgetting has begun and not ended. */
export async function scopesStillForgetting(store: GraphStore): Promise<Scope[]> {
  const found: Scope[] = [];
  for (const scope of await store.scopes())
    if ((await unfinishedForgettings(store, scope)) > 0) found.push(scope);
  return found;
}

/** How many forgettings of a scope have begun and not ended. */
export async function unfinishedForgettings(store: GraphStore, scope: Scope): Promise<number> {
  let open = 0;
  for await (const rows of store.scan(scope, 'correction', ['kind', 'finishedAt']))
    open += rows.filter(({ kind, finishedAt }) => kind === 'forget' && finishedAt === null).length;
  return open;
}

/** @throws InvalidInputError while something that was to be forgotten is left, which a copy would keep. */
export async function refuseUnfinishedForgetting(store: GraphStore): Promise<void> {
  const [scope] = await scopesStillForgetting(store);
  if (scope !== undefined)
    throw new InvalidInputError(
      `Forgetting in scope ${JSON.stringify(scope)} broke off, and what is left of it would be copied along. End it first: mnemis resume --scope ${JSON.stringify(scope)}`,
    );
}
