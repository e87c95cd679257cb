import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { findElectron } from '../../main/desktop/find-electron.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Electron's program, or why the specs cannot drive it here. */
export const foundElectron = findElectron({ environment: process.env });

/** Whether the specs drive the desktop window in place of a browser. */
export const isElectron = process.env.E2E_SHELL === 'electron';

/** Starts the desktop app. */
export async function launchElectron(
  environment: Readonly<Record<string, string>>,
): Promise<ElectronApplication> {
  if ('reason' in foundElectron) throw new TypeError(`No desktop window: ${foundElectron.reason}`);
  execFileSync('npm', ['run', '-s', 'build:desktop'], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  return _electron.launch({
    executablePath: foundElectron.program,
    args: [join(ROOT, 'dist/desktop/main.js')],
    env: { ...given(process.env), ...environment },
  });
}

/** Another window of the desktop app, by the way of the app itself. */
export async function openSecondWindow(app: ElectronApplication, first: Page): Promise<Page> {
  const [second] = await Promise.all([
    app.waitForEvent('window'),
    first.evaluate('window.mnemis.openWindow("/")'),
  ]);
  return second;
}

const given = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
