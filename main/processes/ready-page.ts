import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageFile } from '../../src/util/files.ts';
import { PageMissingError } from '../http/page/page-files.ts';

interface Speaker {
  note(line: string): void;
}

/**
 * The folder of the built page. From source, builds it if it is missing or older than its sources; in an installed
 * package it is there.
 *
 * @throws PageMissingError
 */
export async function readyPage(speaker: Speaker, root = packageRoot()): Promise<string> {
  const [built, source, config] = ['dist/renderer', 'renderer', 'vite.config.ts'].map((name) =>
    join(root, name),
  );
  const canBuild = existsSync(config!) && existsSync(join(source!, 'index.html'));
  if (canBuild && isOlder(join(built!, 'index.html'), source!)) {
    speaker.note('Building the app’s page …');
    const { build } = await import('vite');
    await build({ configFile: config!, logLevel: 'error' });
  }
  if (!existsSync(join(built!, 'index.html'))) throw new PageMissingError(built!);
  return built!;
}

export function packageRoot(): string {
  return dirname(packageFile('package.json')!);
}

/** Whether a file is missing, or older than a file of the folder. */
function isOlder(file: string, folder: string): boolean {
  if (!existsSync(file)) return true;
  const { mtimeMs } = statSync(file);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some((entry) => statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs > mtimeMs);
}

/** Opens a link in the system's browser; false if there is no way to. */
export async function openInBrowser(
  link: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const [command, ...words] = commandFor(link, environment);
  if (command === undefined) return false;
  return new Promise((resolve) => {
    const child = spawn(command, words, { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

/** Empty where no browser can show a window. */
function commandFor(link: string, environment: Readonly<Record<string, string | undefined>>): string[] {
  if (process.platform === 'darwin') return ['open', link];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', link];
  return environment.DISPLAY || environment.WAYLAND_DISPLAY ? ['xdg-open', link] : [];
}
