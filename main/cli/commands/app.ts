import { Command, InvalidArgumentError } from 'commander';
import type { Config } from '../../config.ts';
import { CommandConsole, type Terminal } from '../console.ts';
import { learningFlags, memoryFlags } from '../flags.ts';
import { cancellable, settingsOf } from '../run-command.ts';

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

async function run(
  terminal: Terminal,
  { json = false, browser, desktop, port, open, idle, ...flags }: AppFlags,
) {
  const console = new CommandConsole(terminal, json);
  const resolve = () => settingsOf(terminal, flags);
  const { path } = resolve().values;
  const { runFront, linkToFront } = await import('../../web/run-front.ts');
  const { readyPage } = await import('../../web/ready-page.ts');
  const { openInBrowser } = await import('../../web/open-in-browser.ts');
  const say = async (link: string, more: object) => {
    const isOpen = open && (await openInBrowser(link, terminal.env));
    console.result({ ...more, link, isOpen }, () => [
      isOpen ? `The app is open in the browser: ${link}` : `Open this link in a browser: ${link}`,
    ]);
  };
  const running = await linkToFront(path);
  if (running !== null) return say(running.link, { pid: running.pid, isNew: false });
  const page = await readyPage(console);
  await cancellable(terminal, (signal) =>
    runFront({
      engine: { resolve, environment: terminal.env, folder: terminal.cwd(), signal },
      ...{ path, page, port, signal },
      idleMinutes: idle === 0 ? null : idle,
      onListening: ({ link }) => void say(link, { pid: process.pid, isNew: true }),
    }),
  );
}

function portNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 65_535)
    throw new InvalidArgumentError('It must be a port from 1 to 65535.');
  return value;
}

function minutes(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 10_000))
    throw new InvalidArgumentError('It must be a number of minutes from 0 to 10000.');
  return value;
}
