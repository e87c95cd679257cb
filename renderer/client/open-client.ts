import { z } from 'zod';
import type { MemoryClient } from '../../main/contract.ts';
import { type ConnectionStatus, StatusKeeper } from './connection-status.ts';
import { EngineProblem, problems } from './engine-problem.ts';
import { fetchClient, postOnce } from './fetch-client.ts';
import { portClient, type Wire } from './port-client.ts';

/** What the preload script of the desktop window offers to the page. */
export interface DesktopBridge extends Wire {
  openWindow(place: string): void;
}

/** What the client needs of the window that it runs in. */
export interface Host {
  readonly location: { readonly origin: string; readonly pathname: string; readonly hash: string };
  readonly history: { replaceState(data: unknown, unused: string, url: string): void };
  readonly sessionStorage: TokenStorage;
  open(url: string, target: string, features: string): unknown;
  /** In the desktop window only. */
  readonly mnemis?: DesktopBridge;
}

interface TokenStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export interface Opened {
  readonly client: MemoryClient;
  readonly status: ConnectionStatus;
  /** Why the page's link gave no access: it was used before, or is too old. */
  readonly problem: EngineProblem | null;
}

const TOKEN = 'mnemis.token';
const tokenReply = z.object({ token: z.string().min(1) });
const codeReply = z.object({ code: z.string().min(1) });
/** A place within the app, such as `#/c/ID`. */
const PLACE = /^#\/[\w\-/%.~]{0,300}$/;

/** Of this window, for a page that opens its client twice: a link's code is valid once. */
let launching: Promise<EngineProblem | null> | null = null;

/**
 * Connects the page to its engine. In a browser, a page that was opened with a link exchanges the link's code for the
 * token, which this tab keeps until it is closed; without a token the status is `locked`.
 */
export async function openClient(
  onStatus: (status: ConnectionStatus) => void,
  host: Host = thisWindow(),
): Promise<Opened> {
  const { mnemis, sessionStorage, location } = host;
  if (mnemis !== undefined) {
    const status = new StatusKeeper('connected', onStatus);
    return { client: portClient({ wire: mnemis, status }), status: status.get(), problem: null };
  }
  launching ??= launch(host).finally(() => {
    launching = null;
  });
  const problem = await launching;
  const token = () => sessionStorage.getItem(TOKEN);
  const status = new StatusKeeper(token() === null ? 'locked' : 'connected', (now) => {
    if (now === 'locked') sessionStorage.removeItem(TOKEN);
    onStatus(now);
  });
  const client = fetchClient({ origin: location.origin, token, status });
  return { client, status: status.get(), problem };
}

/** Opens another window of the app at a place such as `#/c/ID`. Call it on a click, else browsers block the window. */
export async function openWindow(place: string, host: Host = thisWindow()): Promise<void> {
  const { mnemis, location, sessionStorage } = host;
  if (mnemis !== undefined) return mnemis.openWindow(place);
  const token = sessionStorage.getItem(TOKEN);
  if (token === null) throw problems.locked();
  const reply = await postOnce(location.origin, { method: 'launchCode', input: {}, token });
  const { code } = parsed(codeReply, reply);
  const words = new URLSearchParams({ launch: code, to: place });
  // Without `noopener` the browser would copy this tab's storage, and with it the token, in any case.
  host.open(`${location.pathname}#${words}`, '_blank', 'noopener,noreferrer');
}

/** Takes the code out of the address, so that neither the history nor a copied address has it. */
async function launch({ location, history, sessionStorage }: Host): Promise<EngineProblem | null> {
  const words = new URLSearchParams(location.hash.slice(1));
  const code = words.get('launch');
  if (code === null) return null;
  const place = words.get('to') ?? '';
  history.replaceState(null, '', `${location.pathname}${PLACE.test(place) ? place : ''}`);
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

function thisWindow(): Host {
  return globalThis as unknown as Host;
}
