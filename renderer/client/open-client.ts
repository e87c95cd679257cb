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
  readonly location: { readonly origin: string; readonly pathname: string; readonly hash: string };
  readonly history: { replaceState(data: unknown, unused: string, url: string): void };
  readonly sessionStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  open(url: string, target: string, features: string): unknown;
  /** In the desktop window only. */
  readonly mnemis?: DesktopBridge;
}

interface Storage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** The app's way to its engine. */
export interface Connection {
  readonly client: MemoryClient;
  readonly kind: 'browser' | 'desktop';
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
 * this tab keeps until it is closed. Without a token the status is `signed-out`.
 */
export async function openClient(host: Host): Promise<Connection> {
  const { sessionStorage: storage, mnemis } = host;
  if (mnemis !== undefined) return desktopConnection(mnemis);
  const problem = await launch(host);
  const token = () => storage.getItem(TOKEN);
  const keeper = new ConnectionState(token() === null ? 'signed-out' : 'connected');
  keeper.subscribe((status) => {
    if (status === 'signed-out') storage.removeItem(TOKEN);
  });
  const { origin } = host.location;
  return {
    client: fetchClient({ origin, token, status: keeper }),
    kind: 'browser',
    status: keeper,
    problem,
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

function desktopConnection(bridge: DesktopBridge): Connection {
  const status = new ConnectionState();
  return {
    client: portClient({ wire: bridge, status }),
    kind: 'desktop',
    status,
    problem: null,
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

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(value);
  if (data === undefined) throw problems.reply(error);
  return data;
}
