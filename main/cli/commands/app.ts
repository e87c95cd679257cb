import { Command } from 'commander';
import { besideMemory } from '../../beside-memory.ts';
import { settingsAsEnvironment } from '../../client/find-engine.ts';
import type { Config } from '../../config.ts';
import { findElectron } from '../../desktop/find-electron.ts';
import { DesktopStartError, startDesktop } from '../../desktop/start-desktop.ts';
import { UsageError } from '../../errors.ts';
import { openInBrowser, packageRoot, readyPage } from '../../processes/ready-page.ts';
import { CommandConsole, cancellable, type Terminal } from '../console.ts';
import { learningFlags, memoryFlags, minutes, portNumber } from '../flags.ts';
import { settingsOf } from '../run-command.ts';

interface AppFlags extends Partial<Config> {
  readonly json?: boolean;
  readonly browser?: boolean;
  readonly desktop?: boolean;
  readonly port?: number;
  readonly open: boolean;
  readonly idle: number;
}

export function appCommand(terminal: Terminal): Command {
  return learningFlags(memoryFlags(new Command('app')))
    .description('Open the assistant: in a desktop window where that is possible, else in the browser.')
    .option('--browser', 'open it in the browser')
    .option('--desktop', 'open it in a desktop window, or fail')
    .option(
      '--port <number>',
      'port of the page in the browser (default: 4737, or the next that is free)',
      portNumber,
    )
    .option('--no-open', 'print the link only')
    .option('--idle <minutes>', 'stop after so many minutes without an open page; 0: never', minutes, 0)
    .action((flags: AppFlags) => run(terminal, flags));
}

async function run(terminal: Terminal, { json = false, ...flags }: AppFlags): Promise<void> {
  const console = new CommandConsole(terminal, json);
  const { browser = false, desktop = false } = flags;
  if (browser && desktop) throw new UsageError('Choose one of --browser and --desktop');
  const found = findElectron({ environment: terminal.env });
  if (desktop && 'reason' in found) throw new DesktopStartError(found.reason);
  // A link is printed and a port is used in the browser only.
  const isForBrowser = browser || !flags.open || flags.port !== undefined;
  if ('program' in found && !isForBrowser) await inDesktop(found.program, { console, flags });
  else {
    const reason = 'reason' in found ? found.reason : null;
    await inBrowser(console, { flags, reason: browser ? null : reason });
  }
}

interface Opening {
  readonly console: CommandConsole;
  readonly flags: Omit<AppFlags, 'json'>;
}

async function inDesktop(program: string, { console, flags }: Opening): Promise<void> {
  const { terminal } = console;
  const { browser: _b, desktop: _d, port: _p, open: _o, idle: _i, ...settings } = flags;
  const { values: config, sources } = settingsOf(terminal, settings);
  await readyPage(console);
  console.result({ kind: 'desktop' }, () => 'The app opens in a desktop window.');
  await cancellable(terminal, (signal) =>
    startDesktop({
      program,
      signal,
      root: packageRoot(),
      folder: terminal.cwd(),
      environment: { ...terminal.env, ...settingsAsEnvironment({ config, sources }) },
    }),
  );
}

async function inBrowser(
  console: CommandConsole,
  { flags, reason }: { readonly flags: Opening['flags']; readonly reason: string | null },
): Promise<void> {
  const { terminal } = console;
  const { browser: _b, desktop: _d, port, open, idle, ...settings } = flags;
  const resolve = () => settingsOf(terminal, settings);
  const place = besideMemory(resolve().values.path, terminal.env);
  const say = async ({ link, pid, isNew }: { link: string; pid: number; isNew: boolean }) => {
    const isOpen = open && (await openInBrowser(link, terminal.env));
    const because = reason === null ? '' : ` (no desktop window: ${reason})`;
    console.result({ kind: 'browser', pid, isNew, isOpen, reason, link }, () =>
      isOpen
        ? `The app opens in the browser${because}: ${link}`
        : `Open the app in a browser${because}: ${link}`,
    );
    if (isNew)
      console.note('Ctrl-C ends it. The link is valid once, for a minute; "mnemis app" gives another.');
  };
  const { linkToFront, runFront } = await import('../../processes/run-front.ts'); // loads the engine's parts
  const running = await linkToFront(place);
  if (running !== null) return say({ ...running, isNew: false });
  const page = await readyPage(console);
  await cancellable(terminal, (signal) =>
    runFront({
      engine: { resolve, environment: terminal.env, folder: terminal.cwd(), signal },
      place,
      page,
      port,
      signal,
      idleMinutes: idle === 0 ? null : idle,
      onListening: ({ link }) => void say({ link, pid: process.pid, isNew: true }),
      onFailure: (error) => console.note(`A request failed with an internal error (${nameOf(error)}).`),
    }),
  );
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : 'unknown');
