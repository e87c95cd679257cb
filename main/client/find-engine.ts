import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { CancelledError, DatabaseLockedError, MnemisError } from '../../src/errors/index.ts';
import { isDatabaseUrl } from '../../src/util/database-url.ts';
import { parseJson } from '../../src/util/parse-json.ts';
import { besideMemory } from '../beside-memory.ts';
import { CONFIG_KEYS, type Config, environmentName, type ResolvedConfig } from '../config.ts';
import { type MemoryClient, PROTOCOL, wireErrorSchema } from '../contract.ts';
import { proofOf } from '../http/hello.ts';
import { STOPPING } from '../http/refusals.ts';
import { ALLOCATOR_LIMITS } from '../processes/allocator-limits.ts';
import { type Discovery, readDiscovery } from '../processes/discovery-file.ts';
import { programOf } from '../program-of.ts';
import { EngineError, EngineReplyError, EngineStartError } from './errors.ts';
import { httpClient, post, textOf } from './http-client.ts';

export interface RunningEngine {
  readonly client: MemoryClient;
  readonly discovery: Discovery;
}

interface FindOptions {
  /** Whether one with another contract counts, for what every version can do. Default false: it is an error. */
  readonly anyProtocol?: boolean;
}

const HELLO_MILLISECONDS = 5_000;
const stoppingReply = z.object({ error: z.object({ code: z.literal(STOPPING) }) });
const helloReply = z.object({ result: z.object({ protocol: z.number(), proof: z.string() }) });

/**
 * The engine that has a memory open and serves it. What a file says is not enough, as an engine that was killed leaves
 * its file behind and its port to others: before anything is told, whoever answers must prove that it knows the token.
 *
 * @param database - as `besideMemory` gives it.
 * @returns null where none answers. @throws EngineReplyError for one with another contract.
 */
export async function findEngine(
  database: string,
  { anyProtocol = false }: FindOptions = {},
): Promise<RunningEngine | null> {
  const found = await lookFor(database, { anyProtocol });
  return found === 'stopping' ? null : found;
}

/** As `findEngine`, but tells an engine that is stopping from none. */
async function lookFor(
  database: string,
  { anyProtocol = false }: FindOptions = {},
): Promise<RunningEngine | 'stopping' | null> {
  const discovery = await readDiscovery(database);
  if (discovery === null) return null;
  const protocol = await greet(discovery);
  if (protocol === null || protocol === 'stopping') return protocol;
  if (protocol !== PROTOCOL && !anyProtocol) throw new EngineReplyError();
  return { client: httpClient(discovery), discovery };
}

/** The contract that the engine speaks; null where it is not the one that wrote the file. */
async function greet({ port, token }: Discovery): Promise<number | 'stopping' | null> {
  const nonce = randomBytes(24).toString('base64url');
  try {
    const signal = AbortSignal.timeout(HELLO_MILLISECONDS);
    const response = await post({ port }, { method: 'hello', input: { nonce }, signal });
    const read = parseJson(await textOf(response, signal));
    const value = read.ok ? read.value : null;
    if (stoppingReply.safeParse(value).success) return 'stopping';
    const reply = helloReply.safeParse(value).data;
    return reply !== undefined && isEqual(reply.result.proof, proofOf(token, nonce))
      ? reply.result.protocol
      : null;
  } catch (error) {
    if (MnemisError.isInstance(error)) return null;
    throw error;
  }
}

function isEqual(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

export interface StartOptions {
  readonly config: Config;
  /**
   * Where each setting comes from. If given, the engine gets only the flags: it reads the environment and the settings
   * file itself, so that it can tell which settings may be changed.
   */
  readonly sources?: ResolvedConfig['sources'] | undefined;
  /** What the engine's process sees, where the language model's key comes from. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** After how many minutes without a request the engine ends. Default 15. */
  readonly idleMinutes?: number | undefined;
  /** Whether it also ends when no client attends it any more, after a few seconds. Default false. */
  readonly isAttended?: boolean | undefined;
  /** Where its settings file is looked for. Default: the folder of this process. */
  readonly folder?: string | undefined;
  /** How long it may take until it answers, in milliseconds. Default 60,000. */
  readonly patience?: number | undefined;
  /** Node's arguments for the command line. Default: that of this package. */
  readonly program?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const DEFAULT_IDLE_MINUTES = 15;
const PAUSE_MILLISECONDS = 50;
/** Another program may hold the file for long. */
const RETRY_MILLISECONDS = 500;

/**
 * The engine of the configured memory: the one that runs, else one that is started in a process of its own and outlives
 * this one. Of several that are started at once the first gets the memory's lock, and all come to use that.
 *
 * @throws EngineError with the code of what kept it from starting, EngineStartError when it takes too long,
 *   DatabaseLockedError's code where another program has the file open, CancelledError.
 */
export async function findOrStart(options: StartOptions): Promise<RunningEngine> {
  const { config, environment, patience = 60_000, signal } = options;
  const place = besideMemory(config.path, environment);
  const end = performance.now() + patience;
  let attempt: Attempt | null = null;
  try {
    for (;;) {
      const running = await lookFor(place);
      if (running !== null && running !== 'stopping') return running;
      if (signal?.aborted) throw new CancelledError('no engine was asked', signal.reason);
      if (attempt?.failure !== undefined && attempt.failure.code !== DatabaseLockedError.code)
        throw attempt.failure;
      if (performance.now() > end) throw attempt?.failure ?? new EngineStartError();
      if (running === 'stopping') {
        await wait(PAUSE_MILLISECONDS); // it has the memory's lock until it has ended
        continue;
      }
      if (attempt === null || attempt.failure !== undefined) attempt = begin(options);
      await Promise.race([attempt.ended, wait(PAUSE_MILLISECONDS)]);
      if (attempt.failure !== undefined) await wait(RETRY_MILLISECONDS);
    }
  } finally {
    attempt?.letGo();
  }
}

interface Attempt {
  /** Why it ended before it could be asked. */
  readonly failure: EngineError | EngineStartError | undefined;
  readonly ended: Promise<void>;
  /** Lets this process end before the engine. */
  letGo(): void;
}

function begin({ environment, folder = process.cwd(), ...options }: StartOptions): Attempt {
  const { config } = options;
  const { idleMinutes = DEFAULT_IDLE_MINUTES, isAttended, program = programOf('main/cli/main') } = options;
  // Every user of the machine can read a command line, but not the environment, and a URL may hold a password.
  const ending = ['--idle', String(idleMinutes), ...(isAttended ? ['--attended'] : [])];
  const isUrl = isDatabaseUrl(config.path);
  const path = isUrl ? [] : ['--path', config.path];
  const url = isUrl ? { [environmentName('path')]: config.path } : {};
  const child = spawn(process.execPath, [...program, 'server', 'start', ...path, ...ending, '--json'], {
    cwd: folder,
    env: { ...ALLOCATOR_LIMITS, ...environment, ...settingsAsEnvironment(options), ...url },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let failure: EngineError | EngineStartError | undefined;
  const ended = untilEnded(child).then((printed) => {
    failure = failureIn(printed);
  });
  return {
    get failure() {
      return failure;
    },
    ended,
    letGo: () => {
      child.unref();
      child.stdout?.destroy();
    },
  };
}

async function untilEnded(child: ChildProcess): Promise<string> {
  let printed = '';
  child.stdout?.on('data', (chunk) => {
    printed += chunk;
  });
  await new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  return printed;
}

const failureSchema = z.object({ error: wireErrorSchema });

function failureIn(printed: string): EngineError | EngineStartError {
  const read = parseJson(printed);
  const parsed = failureSchema.safeParse(read.ok ? read.value : null);
  return parsed.success ? new EngineError(parsed.data.error) : new EngineStartError();
}

/** Settings that are lists or rules come from the settings file alone, which the process reads for itself. */
export function settingsAsEnvironment({
  config,
  sources,
}: Pick<StartOptions, 'config' | 'sources'>): Record<string, string> {
  const settings = CONFIG_KEYS.flatMap((key): [string, string][] => {
    const value = config[key];
    const isSent = sources === undefined || sources[key] === 'flag';
    return value === undefined || typeof value === 'object' || !isSent
      ? []
      : [[environmentName(key), String(value)]];
  });
  return Object.fromEntries(settings);
}
