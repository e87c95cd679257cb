import { QueryClient, QueryClientProvider, useMutation, useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect } from 'react';
import type { InputOf, MemoryClient, MethodName, OutputOf } from '../../main/contract.ts';
import type { ConnectionStatus } from '../client/connection-status.ts';
import type { Remote } from '../client/open-client.ts';
import { refreshReplies, SHOWS_MEMORY } from './refresh.ts';

/** The engine, as the app reaches it. */
export interface Connection {
  readonly client: MemoryClient;
  readonly status: ConnectionStatus;
  /** Whether the app is a window of its own, or a page of a browser. */
  readonly kind: 'browser' | 'desktop';
  /** Null on the computer with the memory. */
  readonly remote: Remote | null;
  /** Opens a second window at a place such as `/c/ID`; on a click only. */
  openWindow(place?: string): Promise<void>;
}

const ConnectionContext = createContext<Connection | null>(null);

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      gcTime: 300_000,
      retry: 1,
      refetchOnWindowFocus: false,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

export function ConnectionProvider({
  connection,
  children,
}: {
  readonly connection: Connection;
  readonly children: ReactNode;
}) {
  return (
    <QueryClientProvider client={queries}>
      <ConnectionContext value={connection}>{children}</ConnectionContext>
    </QueryClientProvider>
  );
}

export function useConnection(): Connection {
  const connection = useContext(ConnectionContext);
  if (connection === null) throw new TypeError('The component is outside of its ConnectionProvider');
  return connection;
}

/** Whether this page may call a method: on another device those that its token allows, once they are known. */
export function useMay(name: MethodName): boolean {
  const { remote } = useConnection();
  const { data } = useReply('settings', {}, { isOff: remote === null });
  return remote === null || (data?.remote?.methods.includes(name) ?? false);
}

export const useClient = (): MemoryClient => useConnection().client;

type CallName = {
  [Name in MethodName]: MemoryClient[Name] extends (...input: never[]) => Promise<unknown> ? Name : never;
}[MethodName];

interface ReplyOptions {
  readonly isOff?: boolean;
  /** Milliseconds after which it is asked again. */
  readonly every?: number;
  /** Keep the earlier reply while another input is asked for. */
  readonly keep?: boolean;
  /** Asks again whenever it is shown, since another program may have changed the memory a moment ago. */
  readonly isFresh?: boolean;
}

/** The reply of a call, asked again when an app event says that it changed. */
export function useReply<Name extends CallName>(
  name: Name,
  input: InputOf<Name>,
  { isOff = false, every, keep = false, isFresh = false }: ReplyOptions = {},
) {
  const client = useClient();
  return useQuery<OutputOf<Name>>({
    queryKey: [name, input],
    queryFn: ({ signal }) => callOf(client, name)(input, { signal }),
    enabled: !isOff,
    ...(isFresh && { staleTime: 0 }),
    ...(every !== undefined && { refetchInterval: every }),
    ...(keep && { placeholderData: (earlier: unknown) => earlier as never }),
  });
}

/** A call that changes something; afterwards, replies of the named methods are asked again. */
export function useSend<Name extends CallName>(name: Name, changed: readonly MethodName[] = []) {
  const client = useClient();
  return useMutation({
    mutationFn: (input: InputOf<Name>) => callOf(client, name)(input),
    onSettled: () => refresh(...changed),
  });
}

function callOf<Name extends CallName>(client: MemoryClient, name: Name) {
  return client[name] as unknown as (
    input: InputOf<Name>,
    options?: { signal?: AbortSignal },
  ) => Promise<OutputOf<Name>>;
}

/** Asks the replies of these methods again. */
export function refresh(...names: readonly MethodName[]): void {
  refreshReplies(queries, names);
}

/** Changes a known reply, or adds one, without asking for it; undefined leaves it. */
export function changeReply<Name extends CallName>(
  name: Name,
  input: InputOf<Name>,
  change: (earlier: OutputOf<Name> | undefined) => OutputOf<Name> | undefined,
): void {
  queries.setQueryData<OutputOf<Name>>([name, input], change as never);
}

// A graph that somebody looks at is not drawn again with each turn.
const SHOWS_WHAT_IS_READ = SHOWS_MEMORY.filter((name) => name !== 'graph');

const CHANGED_BY: Readonly<Record<OutputOf<'appEvents'>['type'], readonly MethodName[]>> = {
  engine: [
    ...(['health', 'settings', 'jobs', 'folders', 'embedders', 'localModels', 'toolServers'] as const),
    ...(['conversations', 'conversation', 'seesImages', 'image'] as const),
    // It may have opened a backup.
    ...(['scopes', 'backups'] as const),
    ...SHOWS_MEMORY,
  ],
  conversation: [
    ...(['conversations', 'conversation', 'find', 'imported', 'folders'] as const),
    ...(['usage', 'usageItems'] as const),
  ],
  folders: ['folders', 'conversations'],
  settings: [
    'settings',
    'embedders',
    'localModels',
    'endpointModels',
    'seesImages',
    'usage',
    'usageItems',
    'backups',
  ],
  tools: ['toolServers', 'settings'],
  job: ['jobs', 'backups', 'usageItems'],
  memory: ['scopes', ...SHOWS_WHAT_IS_READ],
  reading: SHOWS_WHAT_IS_READ,
};

/** Follows what happens in the engine and in other windows. */
export function useAppEvents(onEvent: (event: OutputOf<'appEvents'>) => void): void {
  const { client, status } = useConnection();
  const isOut = status === 'signed-out';
  useEffect(() => {
    if (isOut) return;
    const stop = new AbortController();
    void follow(client, stop.signal, (event) => {
      refresh(...CHANGED_BY[event.type]);
      onEvent(event);
    });
    return () => stop.abort();
  }, [client, isOut, onEvent]);
}

/** Follows again after the stream broke off, as after a restart of the engine. */
async function follow(
  client: MemoryClient,
  signal: AbortSignal,
  onEvent: (event: OutputOf<'appEvents'>) => void,
) {
  for (let pause = 250; !signal.aborted; pause = Math.min(4_000, pause * 2)) {
    try {
      for await (const event of client.appEvents({}, { signal })) {
        onEvent(event);
        pause = 250;
      }
    } catch {
      // The status of the connection says what is wrong.
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
