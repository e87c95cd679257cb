import { existsSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { z } from 'zod';
import { HERE, requireHere } from '../../util/at-run-time.ts';
import { LLAMA_RUNTIME } from './model-host.ts';

export interface LlamaInstallation {
  /** Null where models cannot run, or where another runtime is named. */
  readonly version: string | null;
  readonly isInstalled: boolean;
  /** What a person runs to install it; null in an installed app, which carries it or not. */
  readonly command: string | null;
}

const manifestSchema = z.looseObject({ version: z.string() });

/**
 * Whether the package that runs models of this computer is there; it is not loaded.
 *
 * @param named - Import name of another package in its place, which counts as there.
 */
export function llamaInstallation(named?: string): LlamaInstallation {
  const own = HERE;
  const version = installedVersion();
  const isGlobal = /[\\/](?:lib|npm)[\\/]node_modules[\\/]mnemis[\\/]/.test(own);
  const command = own.includes('app.asar') ? null : `npm install ${isGlobal ? '-g ' : ''}${LLAMA_RUNTIME}`;
  return { version, isInstalled: version !== null || named !== undefined, command };
}

function installedVersion(): string | null {
  const folders = requireHere.resolve.paths(LLAMA_RUNTIME) ?? [];
  // Imports look in folders above alone, not in those of a user.
  const manifest = folders
    .filter((folder) => folder.endsWith(`${sep}node_modules`))
    .map((folder) => join(folder, LLAMA_RUNTIME, 'package.json'))
    .find((file) => existsSync(file));
  return manifest === undefined
    ? null
    : manifestSchema.parse(JSON.parse(readFileSync(manifest, 'utf8'))).version;
}
