import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { programArguments } from '../child-program.ts';
import { CommandLab, LOCOMO, ROOT } from './cli/fake-terminal.ts';

const FOLDER = join(ROOT, 'test/fixtures/main');
const PRELOAD = pathToFileURL(join(FOLDER, 'no-network.mjs')).href;

function runBlocked(lab: CommandLab, argv: readonly string[]) {
  const log = join(lab.folder, 'network.log');
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', PRELOAD, ...argv], {
    cwd: ROOT,
    env: { ...process.env, MNEMIS_TEST_NETWORK_LOG: log },
    encoding: 'utf8',
  });
  return { status, stdout, stderr, recorded: existsSync(log) ? readFileSync(log, 'utf8') : '' };
}

describe('offline', () => {
  it('runs the whole local tier without opening a socket', () => {
    using lab = new CommandLab();
    const run = runBlocked(lab, [
      ...programArguments(join(FOLDER, 'local-tier.ts')),
      LOCOMO,
      join(lab.folder, 'memory.db'),
    ]);
    expect(run.status, run.stderr).toBe(0);
    expect(run.stdout).toContain('exit codes: 0 0 0 0 0 0 0 0');
    expect(run.recorded).toBe('');
  });

  it.each([
    ['net.connect(9)', "import net from 'node:net'"],
    ['new Socket().connect(9)', "import { Socket } from 'node:net'"],
    ['connect(9)', "import { connect } from 'node:tls'"],
    ["get('http://localhost:9')", "import { get } from 'node:http'"],
    ["request('https://localhost:9')", "import { request } from 'node:https'"],
    ["lookup('localhost', () => {})", "import { lookup } from 'node:dns'"],
    ["resolve4('localhost')", "import { resolve4 } from 'node:dns/promises'"],
    ["createSocket('udp4')", "import { createSocket } from 'node:dgram'"],
    ["fetch('http://localhost:9')", ''],
  ])('would notice %s', (call, load) => {
    using lab = new CommandLab();
    const run = runBlocked(lab, [lab.file('call.mjs', `${load};\n${call};\n`)]);
    expect(run.status).toBe(1);
    expect(run.recorded).toMatch(/^[\w.]+\n/);
  });
});
