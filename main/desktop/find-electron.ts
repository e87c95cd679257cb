import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Electron's program, or why the desktop window cannot open here. */
export type FoundElectron = { readonly program: string } | { readonly reason: string };

interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
  /** Folder of the package `electron`; null if it is not installed. */
  readonly folder?: string | null;
}

/** Never loads the package, because that would try to download the program. */
export function findElectron({
  environment,
  platform = process.platform,
  folder = installedFolder(),
}: Surroundings): FoundElectron {
  if (folder === null) return { reason: 'Electron is not installed' };
  const name = join(folder, 'path.txt');
  const program = existsSync(name) ? join(folder, 'dist', readFileSync(name, 'utf8').trim()) : null;
  if (program === null || !existsSync(program)) return { reason: 'Electron’s program was not downloaded' };
  const hasDisplay = Boolean(environment.DISPLAY || environment.WAYLAND_DISPLAY);
  return platform === 'linux' && !hasDisplay ? { reason: 'there is no display' } : { program };
}

function installedFolder(): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve('electron/package.json'));
  } catch {
    return null;
  }
}

/**
 * In an installed app, the file beside the archive in place of the one inside: the engine's process and the page are
 * read as plain files (electron-builder.yml, `asarUnpack`). Elsewhere the path itself.
 */
export function outsideArchive(path: string): string {
  return path.replace(/([\\/]app\.asar)(?=[\\/])/, '$1.unpacked');
}
