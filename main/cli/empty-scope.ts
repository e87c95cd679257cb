import { withoutPassword } from '../../src/util/database-url.ts';
import { ScopeEmptyError } from '../errors.ts';
import type { ClientCommand } from './run-command.ts';

/** For a command that finds nothing in its scope. @throws ScopeEmptyError with the other scopes, if it has no turns */
export async function refuseEmptyScope({
  client,
  config: { path, scope },
}: Pick<ClientCommand, 'client' | 'config'>): Promise<void> {
  const { episode: turns } = await client.stats({ scope });
  if (turns > 0) return;
  const scopes = (await client.scopes({})).filter((name) => name !== scope);
  throw new ScopeEmptyError(scope, { path: withoutPassword(path), scopes });
}
