import { resolve } from 'node:path';
import { isDatabaseUrl } from '../../../../src/util/database-url.ts';
import type { Config } from '../../../config.ts';
import { TokenFile } from './token-file.ts';
import type { TokenStore } from './token-store.ts';
import { TokenTable } from './token-table.ts';

/** The environment's name for the file of the tokens. */
export const TOKENS_VARIABLE = 'MNEMIS_TOKENS';

export interface TokensPlace {
  /** The memory that the tokens are for. */
  readonly path: Config['path'];
  /** The file that a flag or the environment names. */
  readonly file?: string | undefined;
  /** Folder that a relative path begins at. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The tokens of a memory: beside its file, or for a memory on a database server in its database. */
export function openTokens(place: TokensPlace): TokenStore {
  const file = tokensFile(place);
  return file === null ? new TokenTable(place.path) : new TokenFile(file);
}

/** Null for tokens in the database. */
export function tokensFile({ path, file, folder, environment }: TokensPlace): string | null {
  const named = file ?? (environment[TOKENS_VARIABLE] || undefined);
  if (named !== undefined) return resolve(folder, named);
  return isDatabaseUrl(path) ? null : `${path}.tokens.json`;
}
