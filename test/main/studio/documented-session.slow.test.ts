import { spawn } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshFolder } from '../../fixtures/fresh-folder.ts';
import { sessionOf } from './documented-session.ts';
import { reason, StudioLab } from './studio-lab.ts';
import { SERVE } from './studio-server.ts';

const ROOT = join(import.meta.dirname, '../../..');
const DOCUMENT = readFileSync(join(ROOT, 'docs/studio.md'), 'utf8');
const SESSION = sessionOf(DOCUMENT);
const ADDRESS = 'http://localhost:2024';
const END = '--- end of a block';

describe('the documented session', () => {
  it('consists of blocks that print something, but for the first', () => {
    expect(SESSION.length).toBeGreaterThan(10);
    expect(SESSION.slice(1).filter(({ output }) => output === '')).toEqual([]);
    expect(DOCUMENT.match(/^```/gm)).toHaveLength(2 * (1 + SESSION.length + SESSION.length - 1));
  });

  it('starts the server as the tests do', () => {
    const [, command] = /```bash\n(.*)\n```/.exec(DOCUMENT)!;
    const { variables, command: words } = SERVE;
    const settings = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    expect(command).toBe(
      `MNEMIS_PATH=scratch.db ${settings.join(' ')} npx langgraphjs ${words.join(' ')} --port 2024`,
    );
  });
});

describe.skipIf(reason !== null)('the documented session on a dev server', () => {
  let lab: StudioLab;
  const folder = freshFolder();
  beforeAll(async () => {
    lab = await StudioLab.start();
  });
  afterAll(async () => {
    await lab?.stop();
  });

  it('prints what the document says', async () => {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const program = SESSION.map(({ code }) => `${code}\nconsole.log('${END}');\n`).join('');
    writeFileSync(join(folder, 'session.mjs'), program.replace(ADDRESS, lab.server.url));
    const child = spawn(process.execPath, ['session.mjs'], { cwd: folder });
    const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(errors).toBe('');
    const outputs = printed.split(`${END}\n`);
    expect(outputs.slice(0, -1)).toEqual(SESSION.map(({ output }) => output));
  });
});
