import type { HttpContext, HttpMiddleware } from '../http-env.ts';
import { newToken } from '../loopback-access.ts';
import { type PageFile, PageFiles, pageHeaders } from './page-files.ts';

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

  get files(): HttpMiddleware {
    return async (context, next) => {
      const { method, path } = context.req;
      if ((method !== 'GET' && method !== 'HEAD') || path.startsWith('/v1/')) return next();
      const file = await this.#files.read(path.split(/[?#]/, 1)[0]!);
      return fileReply(context, file);
    };
  }
}

/** @param file - null: there is none. */
export function fileReply(context: HttpContext, file: PageFile | null): Response {
  const { type, cacheControl, body } = file ?? NOT_FOUND;
  return context.body(new Uint8Array(body), file === null ? 404 : 200, {
    ...pageHeaders(),
    'content-type': type,
    'content-length': String(body.byteLength),
    'cache-control': cacheControl,
  });
}

const NOT_FOUND: PageFile = {
  type: 'text/plain; charset=utf-8',
  cacheControl: 'no-store',
  body: Buffer.from('The app has no such file.\n'),
};

const CODE_MILLISECONDS = 60_000;
/** More cannot wait at once; the oldest becomes invalid. */
const MOST_CODES = 100;

/** One-time codes in links. A page exchanges its code for the token, so that no link and no file holds the token. */
export class LaunchCodes {
  readonly #clock: () => number;
  /** When each code becomes invalid, the oldest first. */
  readonly #codes = new Map<string, number>();

  constructor(clock: () => number = Date.now) {
    this.#clock = clock;
  }

  issue(): string {
    this.#drop((_, ends) => ends <= this.#clock());
    if (this.#codes.size >= MOST_CODES) this.#codes.delete(this.#codes.keys().next().value!);
    const code = newToken();
    this.#codes.set(code, this.#clock() + CODE_MILLISECONDS);
    return code;
  }

  /** Whether the code is valid; afterwards it is not. The codes are random, so that a lookup in a map tells nothing. */
  redeem(code: string): boolean {
    const ends = this.#codes.get(code);
    this.#codes.delete(code);
    return ends !== undefined && this.#clock() < ends;
  }

  #drop(isOver: (code: string, ends: number) => boolean): void {
    for (const [code, ends] of this.#codes) if (isOver(code, ends)) this.#codes.delete(code);
  }
}
