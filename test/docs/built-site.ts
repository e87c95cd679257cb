import { execFile } from 'node:child_process';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../main/cli/fake-terminal.ts';

const VITEPRESS = join(ROOT, 'node_modules/vitepress/bin/vitepress.js');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Half a minute on an idle machine; ten times that beside other programs. Below the limit of the hooks that build. */
const BUILD_MILLISECONDS = 290_000;

/** Builds the site into a folder, as `npm run docs:build` does; rejects with its output where that fails. */
export async function buildSite(folder: string): Promise<void> {
  const argv = [VITEPRESS, 'build', 'docs', '--outDir', folder];
  await promisify(execFile)(process.execPath, argv, { cwd: ROOT, timeout: BUILD_MILLISECONDS });
}

/** Serves a built site on loopback, with addresses without endings, until the result is disposed. */
export async function serveSite(folder: string): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer(({ url = '/' }, response) => {
    const path = normalize(decodeURIComponent(new URL(url, 'http://localhost').pathname));
    const file = [path, `${path}.html`, join(path, 'index.html')]
      .map((each) => join(folder, each))
      .find((each) => existsSync(each) && statSync(each).isFile());
    if (file === undefined) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    return createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
