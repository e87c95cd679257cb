import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Logger } from '../../src/model/logger.ts';
import { withoutUndefined } from '../../src/util/collections.ts';
import { isDatabaseUrl } from '../../src/util/database-url.ts';
import type { App } from '../assistant/app-handlers.ts';
import { localClient } from '../client/local-client.ts';
import type { Config } from '../config.ts';
import type { MemoryClient } from '../contract.ts';
import { InvalidSettingError } from '../errors.ts';
import { isLoopbackHost } from '../http/loopback-access.ts';
import { AuditLog } from '../http/network/audit-log.ts';
import { Authenticator, type ForeignTokens } from '../http/network/authenticator.ts';
import { openOidc } from '../http/network/oidc-tokens.ts';
import { limitsOf, type ServeSettings } from '../http/network/serve-flags.ts';
import { openTokens } from '../http/network/tokens/open-tokens.ts';
import { isActive, type TokenStore } from '../http/network/tokens/token-store.ts';
import { openTracing } from '../http/network/tracing.ts';
import { NetworkServer, type NetworkServerOptions } from '../http/network.ts';
import { RemotePage } from '../http/page/remote-page.ts';
import { openMemory } from '../open-memory.ts';
import { IdleFlusher, READING_PAUSE } from './idle-flusher.ts';
import { runEngine } from './run-engine.ts';

export interface ServeOptions {
  readonly settings: ServeSettings;
  /** Settings of the memory that were given as flags. */
  readonly flags?: Partial<Config>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folder that relative paths begin at. */
  readonly folder: string;
  /** Where the audit log goes, if the settings name no file. */
  readonly output: NodeJS.WritableStream;
  readonly logger: Logger;
  /** Stops the server, as `NetworkServer.close` says. */
  readonly signal: AbortSignal;
  readonly mcp?: NetworkServerOptions['mcp'];
  /** Folder of the app's built page, for `settings.app`. */
  readonly page?: string | undefined;
  readonly onListening: (server: { readonly host: string; readonly port: number }) => void;
  readonly onFailure?: (error: unknown) => void;
}

/**
 * Opens the configured memory and serves it to other machines until it is stopped. A memory in a file is served to this
 * machine's own programs, too, as `mnemis server` does: one process can have the file open. One on a database server is
 * not: other programs open it themselves.
 *
 * @throws InvalidSettingError where other machines could reach it and nothing would let them in, and as `runEngine`.
 */
export async function runServe(config: Config, options: ServeOptions): Promise<void> {
  const { settings, environment, folder, logger } = options;
  const page = await pageOf(config, options);
  const tokens = openTokens({ path: config.path, file: settings.tokens, folder, environment });
  const foreign = await foreignTokens(settings);
  await refuseUnprotected(settings, { tokens, foreign });
  const output = await auditOutput(options);
  const tracing = await openTracing(environment);
  const audit = new AuditLog(output.stream, { logger });
  const listen = async (client: MemoryClient, app?: App) => {
    const served = page !== null && app !== undefined ? { page, scopes: app.scopes } : undefined;
    const server = await NetworkServer.listen({
      client,
      audit,
      logger,
      host: settings.host,
      port: settings.port,
      authenticator: new Authenticator({ tokens, foreign, logger }),
      ...withoutUndefined({ mcp: options.mcp, onFailure: options.onFailure }),
      ...(tracing && { tracing }),
      app: served,
      limits: limitsOf(settings),
      measuresProcess: true,
    });
    options.onListening({ host: settings.host, port: server.port });
    return server;
  };
  try {
    if (isDatabaseUrl(config.path)) await serveDatabase(config, options, listen);
    else await serveFile(config, options, listen);
  } finally {
    await tracing?.close().catch(() => undefined);
    await tokens.close();
    await output.close();
  }
}

type Listen = (client: MemoryClient, app?: App) => Promise<NetworkServer>;

async function serveFile(
  config: Config,
  { flags, environment, folder, logger, signal, onFailure }: ServeOptions,
  listen: Listen,
): Promise<void> {
  await runEngine(config, {
    ...withoutUndefined({ flags, onFailure }),
    environment,
    folder,
    logger,
    signal,
    idleMinutes: null,
    serveAlso: listen,
    onListening: () => undefined,
  });
}

async function serveDatabase(
  config: Config,
  { environment, logger, signal }: ServeOptions,
  listen: Listen,
): Promise<void> {
  const { engine, close } = await openMemory(config, { purpose: 'learn', environment, logger, signal });
  try {
    const flusher = new IdleFlusher(localClient(engine), { ...READING_PAUSE, logger });
    let server: NetworkServer | undefined;
    try {
      server = await listen(flusher.client);
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      await server?.close();
      await flusher.close({ last: engine.describeIngestion().tier === 'local' });
    }
  } finally {
    await close();
  }
}

/** @throws InvalidSettingError, PageMissingError */
async function pageOf({ path }: Config, { settings, page }: ServeOptions): Promise<RemotePage | null> {
  if (settings.app === undefined || page === undefined) return null;
  if (isDatabaseUrl(path))
    throw new InvalidSettingError(
      'The app needs a memory in a file, which has its conversations beside it; omit --app',
    );
  return RemotePage.open(page, settings.app);
}

async function foreignTokens(settings: ServeSettings): Promise<ForeignTokens | undefined> {
  const { oidcIssuer: issuer, oidcAudience: audience } = settings;
  if (issuer === undefined || audience === undefined) return undefined;
  const { oidcJwksUrl: jwksUrl, oidcScopesClaim: scopesClaim } = settings;
  const { oidcScopesPrefix: scopesPrefix, oidcAccessClaim: accessClaim } = settings;
  return openOidc({ issuer, audience, jwksUrl, scopesClaim, scopesPrefix, accessClaim });
}

/** Tokens are needed for every request anyway; without any, a server that others can reach is a mistake. */
async function refuseUnprotected(
  { host }: ServeSettings,
  { tokens, foreign }: { readonly tokens: TokenStore; readonly foreign: ForeignTokens | undefined },
): Promise<void> {
  const entries = await tokens.list();
  if (isLoopbackHost(host) || foreign !== undefined) return;
  if (entries.some((entry) => isActive(entry, Date.now()))) return;
  throw new InvalidSettingError(
    `Other machines can reach ${host}, and there is no valid token and no OpenID provider; make a token with "mnemis token issue", or set --oidc-issuer and --oidc-audience`,
  );
}

async function auditOutput({ settings, folder, output }: ServeOptions) {
  if (settings.auditLog === '-') return { stream: output, close: async () => undefined };
  const path = resolve(folder, settings.auditLog);
  const stream = createWriteStream(path, { flags: 'a', mode: 0o600 });
  try {
    await once(stream, 'open');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new InvalidSettingError(`The audit log ${path} cannot be written (${code})`, error);
  }
  const close = () => new Promise<void>((done) => stream.end(done));
  return { stream, close };
}
