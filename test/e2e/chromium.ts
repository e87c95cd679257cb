import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** Without these, Chromium looks for hosts on the internet by itself. */
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The browser of this machine; `scripts/install-chromium.sh` installs one. */
export function launchChromium(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? PLACES.find((path) => existsSync(path));
  if (executablePath === undefined)
    throw new TypeError(
      'No Chromium was found: run scripts/install-chromium.sh, or set CHROMIUM to its path',
    );
  return chromium.launch({ executablePath, args: QUIET });
}
