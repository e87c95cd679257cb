import { setTimeout as wait } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { defineError } from '../../../src/errors/mnemis-error.ts';
import { isRunning } from '../../../src/store/database-lock.ts';
import { withoutPassword } from '../../../src/util/database-url.ts';
import { besideMemory } from '../../beside-memory.ts';
import {
  DEFAULT_IDLE_MINUTES,
  findEngine,
  findOrStart,
  type RunningEngine,
} from '../../client/find-engine.ts';
import type { Config, ResolvedConfig } from '../../config.ts';
import type { OutputOf } from '../../contract.ts';
import { CommandConsole, cancellable, duration, type Terminal } from '../console.ts';
import { fileFlags, learningFlags, memoryFlags, minutes } from '../flags.ts';
import { settingsOf } from '../run-command.ts';
import { EngineRunningError } from '../when-free.ts';

interface StartFlags extends Partial<Config> {
  readonly json?: boolean;
  readonly idle: number;
  readonly attended?: boolean;
  readonly detach?: boolean;
}

type FileFlags = Pick<StartFlags, 'path' | 'json'>;

/** 30 s grace for running requests, plus time to save. */
const STOP_MILLISECONDS = 60_000;
const PAUSE_MILLISECONDS = 50;

export function serverCommand(terminal: Terminal): Command {
  return new Command('server')
    .description('Serve a memory to several programs on this machine at once.')
    .addHelpText(
      'after',
      `
Only one process can open a memory's file. The server is that process: commands, apps and "mnemis mcp" find it by a
file next to the memory and send it their requests. Only programs of the same user on this machine can connect.`,
    )
    .addCommand(startCommand(terminal))
    .addCommand(stopCommand(terminal))
    .addCommand(statusCommand(terminal));
}

function startCommand(terminal: Terminal): Command {
  return learningFlags(memoryFlags(new Command('start')))
    .description('Open the memory and serve it until "mnemis server stop" or the idle timeout.')
    .option('--idle <minutes>', 'stop after this many minutes without a request; 0: never', minutes, 0)
    .option('--detach', `run in the background (then the default is --idle ${DEFAULT_IDLE_MINUTES})`)
    .addOption(new Option('--attended', 'also stop soon after the last program has left').hideHelp())
    .action(
      async (
        { json = false, idle, attended = false, detach = false, ...flags }: StartFlags,
        command: Command,
      ) => {
        const console = new CommandConsole(terminal, json);
        const { values: config, sources } = settingsOf(terminal, flags);
        const isSet = command.getOptionValueSource('idle') === 'cli';
        const start = { config, sources, console };
        if (detach) await startDetached({ ...start, idle: isSet ? idle : DEFAULT_IDLE_MINUTES });
        else await serveHere({ ...start, flags, idle, isAttended: attended });
      },
    );
}

interface Start extends Pick<ResolvedConfig, 'sources'> {
  readonly config: Config;
  readonly console: CommandConsole;
  readonly idle: number;
}

async function startDetached({ config, sources, console, idle }: Start): Promise<void> {
  const { terminal } = console;
  await cancellable(terminal, async (signal) => {
    const running = await findOrStart({
      config,
      sources,
      idleMinutes: idle,
      environment: terminal.env,
      folder: terminal.cwd(),
      signal,
    });
    await printStatus(running, console);
  });
}

async function serveHere({
  config,
  flags,
  console,
  idle,
  isAttended,
}: Start & { readonly flags: Partial<Config>; readonly isAttended: boolean }): Promise<void> {
  const { terminal } = console;
  const { runEngine } = await import('../../processes/run-engine.ts');
  const path = withoutPassword(config.path);
  const running = await findEngine(besideMemory(config.path, terminal.env), { anyProtocol: true });
  if (running !== null) throw new EngineRunningError(path, running.discovery.pid);
  await cancellable(terminal, (signal) =>
    runEngine(config, {
      flags,
      environment: terminal.env,
      folder: terminal.cwd(),
      logger: { warn: (message) => console.note(message) },
      idleMinutes: idle === 0 ? null : idle,
      isAttended,
      signal,
      onListening: ({ pid, port }) =>
        console.result({ path, pid, port }, () => [
          `Serving ${path} on 127.0.0.1:${port}, pid ${pid}. To stop it: "mnemis server stop" or Ctrl-C.`,
        ]),
      onFailure: (error) => {
        const kind = error instanceof Error ? error.name : 'unknown';
        console.note(`A request failed with an internal error (${kind}).`);
        if (terminal.env.MNEMIS_DEBUG && error instanceof Error) console.note(error.stack ?? '');
      },
    }),
  );
}

function stopCommand(terminal: Terminal): Command {
  return fileFlags(new Command('stop'))
    .description('Stop the server once its running requests are complete.')
    .action(async ({ json = false, ...flags }: FileFlags) => {
      const console = new CommandConsole(terminal, json);
      const { path, running } = await servingOf(terminal, flags);
      if (running === null) return console.result({ path, stopped: false }, () => `Nothing serves ${path}.`);
      await cancellable(terminal, async (signal) => {
        const { pid } = await running.client.shutdown({}, { signal });
        await untilGone(pid, signal);
        console.result({ path, stopped: true, pid }, () => `The engine with pid ${pid} has stopped.`);
      });
    });
}

function statusCommand(terminal: Terminal): Command {
  return fileFlags(new Command('status'))
    .description('Show whether a server runs, and its details.')
    .action(async ({ json = false, ...flags }: FileFlags) => {
      const console = new CommandConsole(terminal, json);
      const { path, running } = await servingOf(terminal, flags);
      if (running === null) console.result({ path, running: false }, () => `Nothing serves ${path}.`);
      else await printStatus(running, console);
    });
}

/** The memory's path as it may be shown, and the engine that serves it. */
async function servingOf(terminal: Terminal, flags: Omit<FileFlags, 'json'>) {
  const { path } = settingsOf(terminal, flags).values;
  const running = await findEngine(besideMemory(path, terminal.env), { anyProtocol: true });
  return { path: withoutPassword(path), running };
}

async function printStatus(
  { client, discovery: { port } }: RunningEngine,
  console: CommandConsole,
): Promise<void> {
  const health = await client.health({});
  const { path, pid, version, started, ingestion } = health;
  console.result({ running: true, port, ...health }, () => [
    `${console.style('bold', path)} is served by pid ${pid} on 127.0.0.1:${port}`,
    `  version   ${version}`,
    `    running   ${duration((Date.now() - started) / 1000)}`,
    `    stops     ${endOf(health)}`,
    `    ingests   with profile ${ingestion.profile}, tier ${ingestion.tier}`,
  ]);
}

const endOf = ({ idleMinutes, isAttended }: OutputOf<'health'>): string => {
  if (idleMinutes === null) return 'with "mnemis server stop"';
  const idle = `after ${idleMinutes} min without a request`;
  return isAttended ? `seconds after the last program has left, or ${idle}` : idle;
};

/** Until the process has ended: it holds memory of its own until then, also after the file is free. */
async function untilGone(pid: number, signal: AbortSignal): Promise<void> {
  const end = performance.now() + STOP_MILLISECONDS;
  while (await isRunning(pid)) {
    if (performance.now() > end) throw new EngineStillRunningError(pid);
    await wait(PAUSE_MILLISECONDS, undefined, { signal });
  }
}

/** The engine did not stop within `STOP_MILLISECONDS`. */
class EngineStillRunningError extends defineError('engine-still-running', (pid: number) => ({
  message: `The engine with pid ${pid} was asked to stop and is still busy; everything it acknowledged is stored. Wait, or end the process.`,
})) {}
