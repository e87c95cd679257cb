import type { PageFiles } from '../http/page/page-files.ts';
import { pageHeaders } from '../http/page/page-files.ts';
import { isOwnPage } from './link-check.ts';
import type { OpenedFiles } from './opened-files.ts';

const OPENED = '/opened/';

/**
 * Answers requests of the scheme `app://` with files of the built page, under the same policy as in a browser, and with
 * files that the system has the app open, at `/opened/ID`.
 */
export function appProtocol(
  files: PageFiles,
  opened: Pick<OpenedFiles, 'read'>,
): (request: Request) => Promise<Response> {
  return async ({ url, method }) => {
    if (method !== 'GET' || !isOwnPage(url)) return new Response('Not allowed.\n', { status: 405 });
    const { pathname } = new URL(url);
    if (pathname.startsWith(OPENED))
      return opened.read(pathname.slice(OPENED.length)) ?? new Response('Gone.\n', { status: 404 });
    const file = await files.read(pathname);
    // The page talks to the engine through its preload script, not through the network.
    const headers = pageHeaders("'self'");
    if (file === null) return new Response('The app has no such file.\n', { status: 404, headers });
    const { type, cacheControl, body } = file;
    return new Response(new Uint8Array(body), {
      headers: { ...headers, 'content-type': type, 'cache-control': cacheControl },
    });
  };
}
