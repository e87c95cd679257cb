import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { defineError } from '../../../src/errors/mnemis-error.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.wasm': 'application/wasm',
};

/** A name with a hash of the content, as the build gives to all files but the entry. */
const HASHED = /-[A-Za-z0-9_-]{8}\.[a-z0-9]+$/;
const ENTRY = '/index.html';

export interface PageFile {
  readonly type: string;
  readonly cacheControl: string;
  readonly body: Buffer;
}

/**
 * The files of the built page. Requests choose from a list that was read from the folder, so that no request can name a
 * path of the file system.
 */
export class PageFiles {
  readonly #folder: string;
  #paths: ReadonlyMap<string, string>;

  private constructor(folder: string, paths: ReadonlyMap<string, string>) {
    this.#folder = folder;
    this.#paths = paths;
  }

  /** @throws PageMissingError for a folder without a built page. */
  static async open(folder: string): Promise<PageFiles> {
    const paths = await listOf(folder);
    if (!paths.has(ENTRY)) throw new PageMissingError(folder);
    return new PageFiles(folder, paths);
  }

  /** The file with this address, without a query; null if the page has none. */
  async read(address: string): Promise<PageFile | null> {
    const path = address === '/' ? ENTRY : address;
    if (path === ENTRY) this.#paths = await listOf(this.#folder); // the page may have been built again
    const file = this.#paths.get(path);
    const body = file === undefined ? null : await contentOf(file);
    if (body === null) return null;
    const isHashed = path.startsWith('/assets/') && HASHED.test(path);
    return {
      type: TYPES[extname(path)] ?? 'application/octet-stream',
      cacheControl: isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      body,
    };
  }
}

/** Files by their addresses. Only files with a known type; no links, nothing hidden. */
async function listOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return new Map(
    entries
      .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      .map((file): [string, string] => [`/${relative(folder, file).split(sep).join('/')}`, file])
      .filter(([address]) => !address.includes('/.')),
  );
}

async function contentOf(file: string): Promise<Buffer | null> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(() => null);
  try {
    return (await handle?.readFile()) ?? null;
  } finally {
    await handle?.close();
  }
}

export class PageMissingError extends defineError('page-missing', (folder: string) => ({
  message: `The app's page is not in ${folder}; nothing was started. "npm run build:renderer" builds it.`,
})) {}

/**
 * What the page may load and do: its own files and its own server. Styles may be inline, because formulas, highlighted
 * code and positioned parts set them in markup; scripts may not.
 */
function contentSecurityPolicy(connectTo: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src ${connectTo}`,
    "manifest-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** Features of browsers that the page never uses; without those that Chromium does not know on every system and warns of. */
const FEATURES = [
  ...['accelerometer', 'autoplay', 'browsing-topics', 'camera', 'display-capture'],
  ...['encrypted-media', 'fullscreen', 'gamepad', 'geolocation', 'gyroscope', 'hid', 'idle-detection'],
  ...['local-fonts', 'magnetometer', 'microphone', 'midi', 'payment', 'picture-in-picture'],
  ...['publickey-credentials-get', 'screen-wake-lock', 'serial', 'storage-access', 'usb'],
  ...['window-management', 'xr-spatial-tracking'],
];

export function pageHeaders(connectTo = "'self'"): Readonly<Record<string, string>> {
  return {
    'content-security-policy': contentSecurityPolicy(connectTo),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': FEATURES.map((feature) => `${feature}=()`).join(', '),
    'x-frame-options': 'DENY',
  };
}
