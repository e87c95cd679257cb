import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openInBrowser, readyPage } from '../../../main/processes/ready-page.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';
import { CommandLab } from '../cli/fake-terminal.ts';

const root = freshFolder();

it('builds the page where it is missing or older than its sources', async () => {
  const notes: string[] = [];
  const speaker = { note: (line: string) => void notes.push(line) };
  await expect(readyPage(speaker, root)).rejects.toMatchObject({ code: 'page-missing' });
  const source = join(root, 'renderer/index.html');
  const built = join(root, 'dist/renderer/index.html');
  mkdirSync(join(root, 'renderer'));
  writeFileSync(source, '<!doctype html><title>one</title>');
  const config = { root: join(root, 'renderer'), build: { outDir: '../dist/renderer', emptyOutDir: true } };
  writeFileSync(join(root, 'vite.config.ts'), `export default ${JSON.stringify(config)};`);
  expect(await readyPage(speaker, root)).toBe(join(root, 'dist/renderer'));
  expect([notes.length, existsSync(built)]).toEqual([1, true]);
  await readyPage(speaker, root);
  expect(notes).toHaveLength(1);
  writeFileSync(source, '<!doctype html><title>two</title>');
  const later = Date.now() / 1_000 + 60;
  utimesSync(source, later, later);
  await readyPage(speaker, root);
  expect([notes.length, readFileSync(built, 'utf8')]).toEqual([2, expect.stringContaining('two')]);
});

it('says that no browser can open where there is no display', async () => {
  if (process.platform === 'linux') expect(await openInBrowser('http://127.0.0.1:1/', {})).toBe(false);
});

it('says why no desktop window opens, and takes one choice only', async () => {
  using lab = new CommandLab();
  const desktop = await lab.run('app', '--desktop', '--json');
  expect(desktop.json()).toMatchObject({ error: { code: 'desktop-start' } });
  expect(await lab.run('app', '--desktop', '--browser')).toMatchObject({ exitCode: 2 });
  expect(await lab.run('app', '--port', '70000')).toMatchObject({ exitCode: 2 });
});
