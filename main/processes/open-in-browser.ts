import { spawn } from 'node:child_process';

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
