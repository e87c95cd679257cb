import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineError } from '../../src/errors/mnemis-error.ts';

interface StartDesktop {
  /** Electron's. */
  readonly program: string;
  /** The package's folder. */
  readonly root: string;
  readonly folder: string;
  /** Settings that were given as flags are in it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Runs the desktop app until its windows are closed. From source, bundles it first. @throws DesktopStartError */
export async function startDesktop({
  program,
  root,
  folder,
  environment,
  signal,
}: StartDesktop): Promise<void> {
  const main = join(root, 'dist/desktop/main.js');
  const script = join(root, 'scripts/build.ts');
  const run = async (file: string, words: readonly string[]) => {
    const child = spawn(file, words, { cwd: folder, env: { ...environment }, stdio: 'inherit' });
    signal.addEventListener('abort', () => child.kill());
    const [code] = (await once(child, 'close').catch(() => [null])) as [number | null];
    return code;
  };
  if (existsSync(script)) await run(process.execPath, ['--import', 'tsx', script, '--desktop']);
  if (!existsSync(main))
    throw new DesktopStartError('its programs are missing; "npm run build:desktop" builds them');
  const code = await run(program, [main]);
  if (code !== 0 && !signal.aborted)
    throw new DesktopStartError(
      'its window ended with an error; "mnemis app --browser" opens the app in a browser',
    );
}

export class DesktopStartError extends defineError('desktop-start', (reason: string) => ({
  message: `The desktop app cannot be used: ${reason}. Memory is unchanged.`,
})) {}
