import type { HttpMiddleware } from '../http-env.ts';
import { LaunchCodes } from './launch-codes.ts';
import { type PageFile, PageFiles } from './page-files.ts';
import { pageHeaders } from './page-headers.ts';

/** The app's page, on the same origin as the contract. Its files hold nothing secret, and need no token. */
export class PageHost {
  readonly codes: LaunchCodes;
  readonly #files: PageFiles;

  private constructor(files: PageFiles, codes: LaunchCodes) {
    this.#files = files;
    this.codes = codes;
  }

  /** @throws PageMissingError */
  static async open(folder: string, codes = new LaunchCodes()): Promise<PageHost> {
    return new PageHost(await PageFiles.open(folder), codes);
  }

  /** Answers all requests for files. */
  get files(): HttpMiddleware {
    return async (context, next) => {
      const { method, path } = context.req;
      if ((method !== 'GET' && method !== 'HEAD') || path.startsWith('/v1/')) return next();
      const file = await this.#files.read(path.split(/[?#]/, 1)[0]!);
      const { type, cacheControl, body } = file ?? NOT_FOUND;
      return context.body(new Uint8Array(body), file === null ? 404 : 200, {
        ...pageHeaders(),
        'content-type': type,
        'content-length': String(body.byteLength),
        'cache-control': cacheControl,
      });
    };
  }
}

const NOT_FOUND: PageFile = {
  type: 'text/plain; charset=utf-8',
  cacheControl: 'no-store',
  body: Buffer.from('The app has no such file.\n'),
};
