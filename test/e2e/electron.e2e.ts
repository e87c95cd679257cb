import { expect, it } from 'vitest';
import { AppLab } from './app-lab.ts';
import { ChatPage, expectQuiet } from './chat-page.ts';
import { foundElectron, isElectron } from './electron-shell.ts';

const reason =
  'reason' in foundElectron ? foundElectron.reason : isElectron ? null : 'it has a project of its own';
if (reason !== null) console.info(`The desktop window is not tried here: ${reason}`);

it.skipIf(reason !== null)(
  `the desktop window answers${reason === null ? '' : ` (skipped: ${reason})`}`,
  async () => {
    await using lab = await AppLab.start();
    const chat = await ChatPage.open(lab);
    const answer = await chat.ask('My bicycle is yellow.');
    await chat.reads(answer, /Remembered \d/);
    expect(chat.page.url()).toMatch(/^app:/);
    expectQuiet(lab);
  },
);
