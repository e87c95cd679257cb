import { once } from 'node:events';
import { z } from 'zod';
import { defineError } from '../../src/errors/mnemis-error.ts';
import { connectLater, type LazyOptions } from '../client/connect.ts';
import { EngineReplyError } from '../client/errors.ts';
import { findEngine } from '../client/find-engine.ts';
import { replyTo } from '../client/http-client.ts';
import { PROTOCOL } from '../contract.ts';
import { InvalidSettingError } from '../errors.ts';
import { LoopbackServer } from '../http/loopback.ts';
import { newToken } from '../http/loopback-access.ts';
import { PageHost } from '../http/page/page-routes.ts';
import { mnemisVersion } from '../version.ts';
import { type Discovery, removeDiscovery, writeDiscovery } from './discovery-file.ts';
import { IdleTimer } from './run-engine.ts';

/** The preferred port: stable, so that the browser keeps what the page stored. */
export const DEFAULT_PORT = 4737;
/** How many ports after the preferred one are tried. */
const NEXT_PORTS = 20;

interface FrontOptions {
  /** How to find or start the engine. */
  readonly engine: LazyOptions;
  /** The memory, as `besideMemory` gives it. */
  readonly place: string;
  readonly page: string;
  /** Default: `DEFAULT_PORT`, else one of the next that is free. */
  readonly port?: number | undefined;
  /** Ends the front after so many minutes without a request and an open page; null: never. */
  readonly idleMinutes: number | null;
  readonly signal: AbortSignal;
  /** Called once the page can be opened. */
  readonly onListening: (front: { readonly port: number; readonly link: string }) => void;
  readonly onFailure?: (error: unknown) => void;
}

/** The front of a memory is found by a file beside that of its engine. */
const nameOf = (place: string): string => `${place}.app`;

/**
 * Serves the app's page and the contract on one origin until it is stopped. The engine lives in another process: when
 * it ends, the page stays, and the next request starts another engine.
 *
 * @throws PageMissingError, PortTakenError for a port that was named.
 */
export async function runFront(options: FrontOptions): Promise<void> {
  const { place, idleMinutes, signal, onFailure } = options;
  const page = await PageHost.open(options.page);
  const client = connectLater(options.engine);
  const token = newToken();
  const ending = new AbortController();
  const idle =
    idleMinutes === null
      ? null
      : new IdleTimer(
          () => idleMinutes * 60_000,
          () => ending.abort(),
        );
  try {
    const server = await listen(options.port, {
      client,
      token,
      page,
      ...(onFailure && { onFailure }),
      onActivity: (underWay) => idle?.note(underWay),
    });
    const { port } = server;
    const [pid, started, version] = [process.pid, Date.now(), mnemisVersion()];
    try {
      if (place !== ':memory:')
        await writeDiscovery(nameOf(place), { pid, started, version, protocol: PROTOCOL, port, token });
      options.onListening({ port, link: linkOf(port, page.codes.issue()) });
      client.health({}).catch(() => undefined); // starts the engine; the page's own requests show a failure
      const ended = AbortSignal.any([signal, ending.signal]);
      if (!ended.aborted) await once(ended, 'abort');
    } finally {
      await server.close();
      if (place !== ':memory:') await removeDiscovery(nameOf(place), token);
    }
  } finally {
    idle?.stop();
    await client.close();
  }
}

const codeReply = z.object({ code: z.string() });

/** A new link to the front that runs for a memory, as `besideMemory` gives it; null if none runs. */
export async function linkToFront(
  place: string,
): Promise<{ readonly link: string; readonly pid: number } | null> {
  const running = place === ':memory:' ? null : await findEngine(nameOf(place), { anyProtocol: true });
  if (running === null) return null;
  const { port, pid } = running.discovery;
  return { link: linkOf(port, await codeFrom(running.discovery)), pid };
}

async function codeFrom(discovery: Discovery): Promise<string> {
  const parsed = codeReply.safeParse(await replyTo(discovery, { method: 'launchCode', input: {} }));
  if (!parsed.success) throw new EngineReplyError(parsed.error);
  return parsed.data.code;
}

/** The code is in the fragment, which browsers do not send and do not pass on as a referrer. */
function linkOf(port: number, code: string): string {
  return `http://127.0.0.1:${port}/#launch=${code}`;
}

async function listen(
  port: number | undefined,
  options: Parameters<typeof LoopbackServer.listen>[0],
): Promise<LoopbackServer> {
  const ports =
    port === undefined ? Array.from({ length: NEXT_PORTS }, (_, next) => DEFAULT_PORT + next) : [port];
  for (const each of ports) {
    const server = await LoopbackServer.listen({ ...options, port: each }).catch((error) => {
      if (!isTaken(error)) throw error;
      return null;
    });
    if (server !== null) return server;
  }
  if (port !== undefined) throw new PortTakenError(port);
  return LoopbackServer.listen({ ...options, port: 0 });
}

/** Also where the system does not let us have it. */
function isTaken(error: unknown): boolean {
  if (!InvalidSettingError.isInstance(error)) return false;
  return ['EADDRINUSE', 'EACCES'].includes((error.cause as NodeJS.ErrnoException | undefined)?.code ?? '');
}

/** Another program listens on the port that was named. */
export class PortTakenError extends defineError('port-taken', (port: number) => ({
  message: `Another program uses port ${port}; nothing was started. Choose another port, or omit --port to get a free one.`,
})) {}
