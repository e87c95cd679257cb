import { isDeepStrictEqual } from 'node:util';
import { InvalidInputError } from '../errors/index.ts';
import type { OpenOptions } from './open-options.ts';

/** One use of an open memory: closing the last one closes the memory. */
interface Use<Engine> {
  readonly engine: Engine;
  close(): Promise<void>;
}

interface Opened<Engine> {
  readonly settings: object;
  readonly opening: Promise<Use<Engine>>;
  uses: number;
  closing: Promise<void> | null;
}

/** Common to all copies of the package in a process: a server that reloads its code loads a new one. */
const KEY = Symbol.for('mnemis.open-files');

function openFiles<Engine>(): Map<string, Opened<Engine>> {
  const shared = globalThis as { [KEY]?: Map<string, Opened<Engine>> };
  shared[KEY] ??= new Map();
  return shared[KEY];
}

/**
 * The memory in a file, opened once in this process however often it is asked for.
 *
 * @param path The one name of the file.
 * @throws InvalidInputError where it is open with other settings, and what `open` throws.
 */
export async function useFile<Engine>(
  path: string,
  options: OpenOptions,
  open: () => Promise<Use<Engine>>,
): Promise<Use<Engine>> {
  const files = openFiles<Engine>();
  for (let closing = files.get(path)?.closing; closing; closing = files.get(path)?.closing)
    await closing.catch(() => undefined);
  const settings = settingsOf(options);
  const known = files.get(path);
  if (known !== undefined) refuseOthers(path, known.settings, settings);
  const opened = known ?? { settings, opening: open(), uses: 0, closing: null };
  files.set(path, opened);
  opened.uses += 1;
  try {
    const { engine, close } = await opened.opening;
    return {
      engine,
      close: async () => {
        opened.uses -= 1;
        if (opened.uses > 0) return;
        opened.closing = close().finally(() => files.delete(path));
        await opened.closing;
      },
    };
  } catch (error) {
    if (files.get(path) === opened) files.delete(path);
    throw error;
  }
}

/** What has to be the same. Models and functions, which reloaded code creates again, stay those of the first use. */
function settingsOf({
  embedder,
  languageModel,
  reranker,
  profile,
  categorizer,
  extractor,
  textHolders = [],
  automatic = true,
  redactSecrets = true,
  whenEmbedderDiffers = 'refuse',
  neverRemember = [],
  retention,
  bufferPoolMb,
  scopeMemoryMb,
}: OpenOptions) {
  return {
    embedder: embedder && { ...embedder.fingerprint },
    languageModel: languageModel?.name,
    reranker: reranker?.model,
    profile: typeof profile === 'object' ? profile.name : profile,
    categorizer: categorizer?.name,
    extractor: extractor !== undefined,
    textHolders: textHolders.length,
    ...{ automatic, redactSecrets, whenEmbedderDiffers, retention, bufferPoolMb, scopeMemoryMb },
    neverRemember: neverRemember.map(String),
  };
}

function refuseOthers(path: string, known: object, settings: object): void {
  const others = Object.entries(settings).filter(([name, value]) => {
    const former: unknown = Reflect.get(known, name);
    return !isDeepStrictEqual(value, former);
  });
  if (others.length === 0) return;
  const names = others.map(([name]) => name).join(', ');
  throw new InvalidInputError(
    `${path} is open in this program already, with other options (${names}). Open it with the same ones, or close it first`,
  );
}
