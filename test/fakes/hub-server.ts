import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a request for a file meets instead of the file. */
export type HubFault =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number }
  | { readonly kind: 'cut'; readonly after: number }
  | { readonly kind: 'end-early'; readonly after: number }
  | { readonly kind: 'hang'; readonly after: number }
  | { readonly kind: 'drip'; readonly pause: number }
  | { readonly kind: 'corrupt' }
  | { readonly kind: 'longer' }
  | { readonly kind: 'loop' };

export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

interface HubFile {
  content: Buffer;
  readonly large: boolean;
}

export const COMMIT = 'c0ffee'.padEnd(40, '0');
export const sha256Of = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');
const gitBlobOf = (content: Uint8Array) =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');

/** A hub on loopback: a tree with checksums, files by ranges, large ones behind a redirect, and faults on demand. */
export class HubServer {
  readonly requests: RecordedRequest[] = [];
  /** Faults of a file (or of `tree`), used up one by one. */
  readonly faults = new Map<string, HubFault[]>();
  /** The one that it has. */
  repository = 'owner/model';
  ranges = true;
  /** Token that every request to this server must bring. */
  token: string | null = null;
  /** Where large files are redirected to; default: this server. */
  storage: string | null = null;
  /** Entries of the tree on one page. */
  pageSize = 1_000;
  /** Called with every request for a file, before it is answered. */
  onFile: (path: string) => void = () => undefined;
  readonly #files = new Map<string, HubFile>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(): Promise<HubServer> {
    const hub = new HubServer();
    await new Promise<void>((resolve) => hub.#server.listen(0, '127.0.0.1', resolve));
    return hub;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** `large`: kept apart and told by its SHA-256, as the hub does with weights. */
  put(path: string, content: Uint8Array | string, { large = false } = {}): this {
    this.#files.set(path, { content: Buffer.from(content), large });
    return this;
  }

  fail(path: string, ...faults: readonly HubFault[]): this {
    this.faults.set(path, [...(this.faults.get(path) ?? []), ...faults]);
    return this;
  }

  /** Requests for the content of a file. */
  requestsFor(path: string): RecordedRequest[] {
    return this.requests
      .filter(({ url }) => url.startsWith('/storage/') || url.includes('/resolve/'))
      .filter(({ url }) => url.endsWith(`/${path}`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = request.url ?? '';
    this.requests.push({ method: request.method ?? '', url, headers: request.headers });
    if (this.token !== null && request.headers.authorization !== `Bearer ${this.token}`) {
      response.writeHead(401).end('Access to this model is restricted.');
    } else if (url.startsWith(`/api/models/${this.repository}/tree/`)) this.#tree(url, response);
    else if (url.startsWith('/storage/')) this.#file(url.slice('/storage/'.length), request, response);
    else {
      const path = /\/resolve\/[^/]+\/(.+)$/.exec(url)?.[1];
      if (path === undefined || !url.startsWith(`/${this.repository}/`)) response.writeHead(404).end();
      else this.#resolve(path, request, response);
    }
  }

  #tree(url: string, response: ServerResponse): void {
    if (this.#fault('tree', response) !== undefined) return;
    const page = Number(new URL(url, this.url).searchParams.get('cursor') ?? 0);
    const all = [...this.#files].map(([path, { content, large }]) => ({
      type: 'file',
      path,
      size: content.length,
      oid: gitBlobOf(large ? Buffer.from(`pointer to ${path}`) : content),
      ...(large ? { lfs: { oid: sha256Of(content), size: content.length, pointerSize: 130 } } : {}),
    }));
    const entries = [{ type: 'directory', path: 'onnx', oid: gitBlobOf(Buffer.alloc(0)) }, ...all];
    const rest = entries.length > (page + 1) * this.pageSize;
    const next = `<${this.url}${url.replace(/&cursor=\d+/, '')}&cursor=${page + 1}>; rel="next"`;
    response.writeHead(200, {
      'content-type': 'application/json',
      ...(rest ? { link: next } : {}),
    });
    response.end(JSON.stringify(entries.slice(page * this.pageSize, (page + 1) * this.pageSize)));
  }

  #resolve(path: string, request: IncomingMessage, response: ServerResponse): void {
    const file = this.#files.get(path);
    if (!file?.large) {
      this.#file(path, request, response);
      return;
    }
    const location = `${this.storage ?? ''}/storage/${path}`;
    response.writeHead(302, { location, 'x-repo-commit': COMMIT, etag: `"link-${path}"` }).end();
  }

  #file(path: string, request: IncomingMessage, response: ServerResponse): void {
    this.onFile(path);
    const file = this.#files.get(path);
    const fault = this.#fault(path, response);
    if (fault === null) return;
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    const etag = `"${sha256Of(file.content).slice(0, 16)}"`;
    const start = this.#start(request, etag);
    const content = bent(file.content, fault);
    if (start > content.length) {
      response.writeHead(416).end();
      return;
    }
    response.writeHead(start > 0 ? 206 : 200, {
      etag,
      ...(fault?.kind === 'end-early' ? {} : { 'content-length': content.length - start }),
      ...(start > 0 ? { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` } : {}),
    });
    send(response, content.subarray(start), fault);
  }

  #start(request: IncomingMessage, etag: string): number {
    const start = /^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1];
    const unchanged = request.headers['if-range'] === undefined || request.headers['if-range'] === etag;
    return this.ranges && unchanged && start !== undefined ? Number(start) : 0;
  }

  /** The fault that bends the answer, undefined for none, null where it was the answer. */
  #fault(path: string, response: ServerResponse): HubFault | null | undefined {
    const fault = this.faults.get(path)?.shift();
    if (fault?.kind === 'status') {
      const wait = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) };
      response.writeHead(fault.status, wait).end('no');
      return null;
    }
    if (fault?.kind !== 'loop') return fault;
    this.fail(path, fault);
    response.writeHead(302, { location: `/storage/${path}` }).end();
    return null;
  }
}

function bent(content: Buffer, fault: HubFault | null | undefined): Buffer {
  if (fault?.kind === 'longer') return Buffer.concat([content, Buffer.from('more')]);
  if (fault?.kind !== 'corrupt') return content;
  const copy = Buffer.from(content);
  copy[copy.length - 1]! ^= 1;
  return copy;
}

function send(response: ServerResponse, content: Buffer, fault: HubFault | null | undefined): void {
  if (fault?.kind === 'cut') response.write(content.subarray(0, fault.after), () => response.destroy());
  else if (fault?.kind === 'hang') response.write(content.subarray(0, fault.after));
  else if (fault?.kind === 'drip') drip(response, content, fault.pause);
  else if (fault?.kind === 'end-early') response.end(content.subarray(0, fault.after));
  else response.end(content);
}

/** In eight pieces, slowly. */
function drip(response: ServerResponse, content: Buffer, pause: number): void {
  const piece = Math.ceil(content.length / 8);
  const next = (start: number) => {
    if (start >= content.length) response.end();
    else response.write(content.subarray(start, start + piece), () => setTimeout(next, pause, start + piece));
  };
  next(0);
}
