import { InvalidInputError } from '../../errors/index.ts';
import type { GraphStore } from '../../store/graph-store.ts';

/** @throws InvalidInputError while something that was to be forgotten is left, which a copy would keep. */
export async function refuseUnfinishedForgetting(store: GraphStore): Promise<void> {
  for (const scope of await store.scopes())
    for await (const rows of store.scan(scope, 'correction', ['kind', 'finishedAt']))
      if (rows.some(({ kind, finishedAt }) => kind === 'forget' && finishedAt === null))
        throw new InvalidInputError(
          `Forgetting in scope ${JSON.stringify(scope)} broke off, and what is left of it would be copied along. End it first: mnemis resume --scope ${JSON.stringify(scope)}`,
        );
}
