import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { freeMemory } from '../../util/machine.ts';
import { chatModelFile } from './chat-models.ts';
import { ModelHost, type ModelHostOptions, type ModelSpeed } from './model-host.ts';

/** Hosts by file and context: one model in memory serves all that name it. */
const hosts = new Map<string, { readonly file: string; readonly host: ModelHost }>();
/** A model takes its file and the room for its prompts and replies. */
const MEMORY_BY_FILE = 1.3;

/**
 * The host of a model in this process, one for the same file, context and runtime. Where memory is short for it, other
 * models that are idle leave memory when it starts.
 */
export function sharedModelHost(options: ModelHostOptions): ModelHost {
  const { file, contextTokens, runtime, start } = options;
  if (start !== undefined) return new ModelHost(options);
  const key = JSON.stringify([file, contextTokens, runtime]);
  const known = hosts.get(key);
  if (known !== undefined) return known.host;
  const onStart = () => {
    const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (freeMemory() < bytes * MEMORY_BY_FILE)
      for (const other of hosts.values()) if (other.host !== host) other.host.unload();
  };
  const host = new ModelHost({ onStart, ...options });
  hosts.set(key, { file, host });
  return host;
}

/**
 * The host of a model as settings name it, a listed name or a path, and the name that it is shown by.
 *
 * @throws as `chatModelFile`.
 */
export function sharedModel(
  text: string,
  options: { modelsFolder: string; contextTokens: number; runtime?: string | undefined },
): { readonly name: string; readonly host: ModelHost } {
  const { modelsFolder, contextTokens, runtime } = options;
  const name = `local:${basename(text, '.gguf')}`;
  const file = chatModelFile(text, modelsFolder);
  const host = sharedModelHost({ name, file, contextTokens, ...(runtime === undefined ? {} : { runtime }) });
  return { name, host };
}

/** Whether a file's model is in memory now, and how fast it was; null where this process never asked it. */
export function modelInUse(
  file: string,
): { readonly isLoaded: boolean; readonly speed: ModelSpeed | null } | null {
  const known = [...hosts.values()].filter((each) => each.file === file).map(({ host }) => host);
  if (known.length === 0) return null;
  const speed = known.map((host) => host.speed).find((each) => each !== null) ?? null;
  return { isLoaded: known.some(({ isLoaded }) => isLoaded), speed };
}

/** Ends the processes of all models; a later call of one starts it again. */
export async function closeModelHosts(): Promise<void> {
  await Promise.all([...hosts.values()].map(({ host }) => host.close()));
}

/** Ends the processes of a file's model, so that the file can be removed. */
export async function closeModelOf(file: string): Promise<void> {
  const wanted = [...hosts.values()].filter((each) => each.file === file);
  await Promise.all(wanted.map(({ host }) => host.close()));
}
