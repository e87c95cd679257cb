import type { IncomingMessage, ServerResponse } from 'node:http';
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

  async serve({ method, url = '/' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = url.split(/[?#]/, 1)[0]!;
    const file = await this.#files.read(address);
    for (const [name, value] of Object.entries(pageHeaders())) response.setHeader(name, value);
    send(response, { file, withBody: method === 'GET' });
  }
}

function send(
  response: ServerResponse,
  { file, withBody }: { readonly file: PageFile | null; readonly withBody: boolean },
): void {
  const { type, cacheControl, body } = file ?? NOT_FOUND;
  response.writeHead(file === null ? 404 : 200, {
    'content-type': type,
    'content-length': body.byteLength,
    'cache-control': cacheControl,
  });
  response.end(withBody ? body : undefined);
}

const NOT_FOUND: PageFile = {
  type: 'text/plain; charset=utf-8',
  cacheControl: 'no-store',
  body: Buffer.from('The app has no such file.\n'),
};
