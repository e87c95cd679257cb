import { ModelHost, type ModelHostOptions } from './model-host.ts';

/** Hosts by file and context: one model in memory serves all that name it. */
const hosts = new Map<string, ModelHost>();

/** The host of a model in this process, one for the same file, context and runtime. */
export function sharedModelHost(options: ModelHostOptions): ModelHost {
  const { file, contextTokens, runtime, start } = options;
  if (start !== undefined) return new ModelHost(options);
  const key = JSON.stringify([file, contextTokens, runtime]);
  const known = hosts.get(key);
  if (known !== undefined) return known;
  const host = new ModelHost(options);
  hosts.set(key, host);
  return host;
}

/** Ends the processes of all models; a later call of one starts it again. */
export async function closeModelHosts(): Promise<void> {
  await Promise.all([...hosts.values()].map((host) => host.close()));
}
