import { z } from 'zod';
import type { MemoryClient } from '../../main/contract.ts';
import { ConnectionState, type ConnectionStatus } from './connection-status.ts';
import { EngineProblem, problems } from './engine-problem.ts';
import { fetchClient, postOnce } from './fetch-client.ts';
import { portClient, type Wire } from './port-client.ts';

/** What the preload script of the desktop window offers to the page. */
export interface DesktopBridge extends Wire {
  openWindow(place: string): void;
}

/** What the app needs of the window that it runs in. */
export interface Host {
  readonly location: {
    readonly origin: string;
    readonly host?: string;
    readonly pathname: string;
    readonly hash: string;
    reload?(): void;
  };
  readonly history: { replaceState(data: unknown, unused: string, url: string): void };
  readonly sessionStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** Where the installed app keeps its token. */
  readonly localStorage?: Storage;
  matchMedia?(query: string): InstalledState;
  open(url: string, target: string, features: string): unknown;
  /** In the desktop window only. */
  readonly mnemis?: DesktopBridge;
}

interface InstalledState {
  readonly matches: boolean;
  addEventListener(type: 'change', listener: () => void): void;
}

interface Storage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** Of a page on another device, which asks for a token: no link of that device opens it. */
export interface Remote {
  /** Name of the server. */
  readonly host: string;
  /** The token of the link that opened the page, which nobody has confirmed yet; empty: none. */
  readonly offered: string;
  /** @param isKept - also after the tab is closed. @throws EngineProblem for a token that is refused, which is not stored. */
  signIn(token: string, isKept: boolean): Promise<void>;
  /** Forgets the token on this device, and all that the page has in memory. */
  signOut(): void;
}

/** The app's way to its engine. */
export interface Connection {
  readonly client: MemoryClient;
  readonly kind: 'browser' | 'desktop';
  /** Null on the computer with the memory. */
  readonly remote: Remote | null;
  /** The state of the connection, as `useSyncExternalStore` takes it. */
  readonly status: {
    get(): ConnectionStatus;
    /** @returns a function that ends the subscription. */
    subscribe(listener: (status: ConnectionStatus) => void): () => void;
  };
  /** Why the page has no access: a used or old link; null if nothing was tried. */
  readonly problem: EngineProblem | null;
  /** Opens a second window of the app at a place such as `/c/ID`. Call it on a click, else browsers block it. */
  openWindow(place?: string): Promise<void>;
}

const TOKEN = 'mnemis.token';
const tokenReply = z.object({ token: z.string().min(1) });
/** A place within the app, such as `/c/ID`. */
const PLACE = /^\/[\w\-/%.~]{0,300}$/;
const codeReply = z.object({ code: z.string().min(1) });

/**
 * Connects the page to its engine. A page that was opened with a link exchanges the link's code for the token, which
 * this tab keeps until it is closed; the installed app, which no link opens, keeps it until it is refused. Without a
 * token the status is `signed-out`.
 *
 * @param isRemote - the page came from a server for other devices: a person enters the token.
 */
export async function openClient(host: Host, isRemote = false): Promise<Connection> {
  const { sessionStorage: storage, mnemis } = host;
  if (mnemis !== undefined) return desktopConnection(mnemis);
  const problem = isRemote ? null : await launch(host);
  const offered = isRemote ? offeredToken(host) : '';
  keepInstalled(host, isRemote);
  const token = () => storage.getItem(TOKEN);
  const keeper = new ConnectionState(token() === null ? 'signed-out' : 'connected');
  const forget = () => {
    storage.removeItem(TOKEN);
    host.localStorage?.removeItem(TOKEN);
  };
  keeper.subscribe((status) => {
    if (status === 'signed-out') forget();
  });
  const { origin } = host.location;
  return {
    client: fetchClient({ origin, token, status: keeper }),
    kind: 'browser',
    status: keeper,
    problem,
    remote: isRemote
      ? {
          host: host.location.host ?? '',
          offered,
          signIn: async (given, isKept) => {
            await postOnce(origin, { method: 'settings', input: {}, token: given });
            storage.setItem(TOKEN, given);
            if (isKept) host.localStorage?.setItem(TOKEN, given);
            keeper.set('connected');
          },
          signOut: () => {
            forget();
            host.location.reload?.();
          },
        }
      : null,
    openWindow: async (place = '/') => {
      const known = token();
      if (known === null) throw problems.signedOut();
      const { code } = parsed(
        codeReply,
        await postOnce(origin, { method: 'launchCode', input: {}, token: known }),
      );
      host.open(
        `${host.location.pathname}#${new URLSearchParams({ launch: code, to: place })}`,
        '_blank',
        'noopener,noreferrer',
      );
    },
  };
}

/**
 * Carries the token between the windows of the installed app, from the moment that it is one. A page on another device
 * takes the one that its user wanted to keep.
 */
function keepInstalled({ sessionStorage, localStorage, matchMedia }: Host, isRemote: boolean): void {
  const kept = localStorage?.getItem(TOKEN) ?? null;
  if (isRemote && kept !== null && sessionStorage.getItem(TOKEN) === null)
    sessionStorage.setItem(TOKEN, kept);
  if (isRemote) return;
  const installed = matchMedia?.('(display-mode: standalone)');
  if (installed === undefined || localStorage === undefined) return;
  const carry = () => {
    if (!installed.matches) return;
    const own = sessionStorage.getItem(TOKEN);
    const kept = localStorage.getItem(TOKEN);
    if (own !== null) localStorage.setItem(TOKEN, own);
    else if (kept !== null) sessionStorage.setItem(TOKEN, kept);
  };
  installed.addEventListener('change', carry);
  carry();
}

function desktopConnection(bridge: DesktopBridge): Connection {
  const status = new ConnectionState();
  return {
    client: portClient({ wire: bridge, status }),
    kind: 'desktop',
    status,
    problem: null,
    remote: null,
    openWindow: async (place = '/') => bridge.openWindow(place),
  };
}

/** Takes the code out of the address, so that neither the history nor a copied address has it. */
async function launch({ location, history, sessionStorage }: Host): Promise<EngineProblem | null> {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const code = parameters.get('launch');
  if (code === null) return null;
  const place = parameters.get('to') ?? '/';
  history.replaceState(null, '', `${location.pathname}#${PLACE.test(place) ? place : '/'}`);
  try {
    const reply = await postOnce(location.origin, { method: 'launch', input: { code } });
    sessionStorage.setItem(TOKEN, parsed(tokenReply, reply).token);
    return null;
  } catch (error) {
    if (EngineProblem.isInstance(error)) return error;
    throw error;
  }
}

/** Takes the token out of the address. Nobody is signed in by a link alone: it may be that of a stranger's memory. */
function offeredToken({ location, history }: Host): string {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) history.replaceState(null, '', `${location.pathname}#/`);
  return token ?? '';
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(value);
  if (data === undefined) throw problems.reply(error);
  return data;
}
