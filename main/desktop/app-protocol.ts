import type { PageFiles } from '../http/page/page-files.ts';
import { pageHeaders } from '../http/page/page-files.ts';
import { isOwnPage } from './link-check.ts';

/** Answers requests of the scheme `app://` with files of the built page, under the same policy as in a browser. */
export function appProtocol(files: PageFiles): (request: Request) => Promise<Response> {
  return async ({ url, method }) => {
    if (method !== 'GET' || !isOwnPage(url)) return new Response('Not allowed.\n', { status: 405 });
    const file = await files.read(new URL(url).pathname);
    // The page talks to the engine through its preload script, not through the network.
    const headers = pageHeaders("'self'");
    if (file === null) return new Response('The app has no such file.\n', { status: 404, headers });
    const { type, cacheControl, body } = file;
    return new Response(new Uint8Array(body), {
      headers: { ...headers, 'content-type': type, 'cache-control': cacheControl },
    });
  };
}
