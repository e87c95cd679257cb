import type { IncomingHttpHeaders } from 'node:http';
import type { HttpMiddleware } from '../http-env.ts';
import { refusals } from '../refusals.ts';
import { PageFiles } from './page-files.ts';
import { fileReply } from './page-routes.ts';

/** Addresses that are no files of the page. */
const OWN = /^\/(?:v1|mcp|metrics)(?:[/?#]|$)/;
/** Tells the page to ask for a token: no link of this machine opens it. */
const MARK = '<html data-sign-in="token"';

/** The app's page on one origin, as browsers of other devices name it. Its files hold nothing secret, and need no token. */
export class RemotePage {
  readonly #origin: URL;
  readonly #files: PageFiles;

  private constructor(origin: URL, files: PageFiles) {
    this.#origin = origin;
    this.#files = files;
  }

  /** @param origin - such as `https://memory.example.org`. @throws PageMissingError */
  static async open(folder: string, origin: string): Promise<RemotePage> {
    return new RemotePage(new URL(origin), await PageFiles.open(folder));
  }

  /** Rejects requests of other pages, and of this one under another name, to which a foreign domain may lead. @throws RefusalError */
  admit({ host, origin }: IncomingHttpHeaders): void {
    if (origin !== this.#origin.origin) throw refusals.origin();
    this.#admitHost(host);
  }

  get files(): HttpMiddleware {
    return async (context, next) => {
      const { method, path } = context.req;
      if ((method !== 'GET' && method !== 'HEAD') || OWN.test(path)) return next();
      this.#admitHost(context.env.incoming.headers.host);
      const file = await this.#files.read(path.split(/[?#]/, 1)[0]!);
      const isEntry = file?.type.startsWith('text/html') === true;
      return fileReply(
        context,
        isEntry ? { ...file, body: Buffer.from(String(file.body).replace('<html', MARK)) } : file,
      );
    };
  }

  #admitHost(host = ''): void {
    if (host.toLowerCase() !== this.#origin.host) throw refusals.host();
  }
}
