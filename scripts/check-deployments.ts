import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { inFolder, inProject, pack } from './consumer.ts';

/**
 * `npm run deployments`: the recipes of `docs/deploy.md` that need packages from the registry, with the package as it is
 * published. Next.js builds an app, whose server and whose standalone server answer; pnpm installs without scripts; Bun and
 * Deno run the same program. Ends with 1 if something fails.
 */
const PROGRAM = `
  import { Mnemis } from 'mnemis';
  const engine = await Mnemis.open({ path: 'memory.sqlite' });
  const memory = engine.scope('ana');
  await memory.add({ speaker: 'Ana', content: 'I moved to Ghent.', session: 'a', index: 0 });
  await memory.flush();
  console.log((await memory.ask('Where does Ana live?')).text);
  await engine.close();
`;
const ANSWER = 'moved to Ghent';
const NEXT = ['next', 'react', 'react-dom', `typescript@${manifest.devDependencies.typescript}`];
const TYPES = ['@types/react', '@types/node'];
const ROUTE = `
  import { Mnemis } from 'mnemis';
  const opening = Mnemis.open({ path: process.env.MEMORY ?? ':memory:', wait: 10_000 });
  export const dynamic = 'force-dynamic';
  export async function GET() {
    const memory = (await opening).scope('ana');
    await memory.add({ speaker: 'Ana', content: 'I moved to Ghent.', session: 'a', index: 0 });
    await memory.flush();
    return Response.json(await memory.ask('Where does Ana live?'));
  }
`;
const CONFIG = `
  export default {
    output: 'standalone',
    outputFileTracingIncludes: {
      '/**': ['./node_modules/mnemis/models/**', './node_modules/node-sqlite3-wasm/**'],
    },
  };
`;
/** Packages of binaries, the binary in each, and its arguments. */
const RUNTIMES = [
  ['@oven/bun-linux-x64', 'bin/bun'],
  ['@deno/linux-x64-glibc', 'deno', 'run', '--allow-all', '--node-modules-dir=manual'],
] as const;
const PORT = 4_790;
const PAUSE_MILLISECONDS = 250;
const LOOKS = 240;

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

function report(name: string, isWell: boolean): void {
  process.stdout.write(`${isWell ? 'ok' : 'FAILED'}: ${name}\n`);
  if (!isWell) process.exitCode = 1;
}

/** What a program of a project's `node_modules/.bin` prints. */
function printed(folder: string, name: string, argv: readonly string[]): string {
  const { stdout, stderr } = spawnSync(join(folder, 'node_modules/.bin', name), argv, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
  });
  return stdout + stderr;
}

/** Whether a server, started with these arguments of Node.js, answers from its memory. */
async function answers(folder: string, argv: readonly string[]): Promise<boolean> {
  const env = { ...process.env, PORT: String(PORT), MEMORY: join(folder, 'memory.sqlite') };
  const server = spawn(process.execPath, argv, { cwd: folder, env, stdio: 'inherit' });
  try {
    for (let look = 0; look < LOOKS && server.exitCode === null; look += 1) {
      const reply = await fetch(`http://127.0.0.1:${PORT}/api/ask`).catch(() => null);
      if (reply !== null) return (await reply.text()).includes(ANSWER);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
    }
    return false;
  } finally {
    server.kill();
    if (server.exitCode === null) await new Promise((resolve) => server.once('close', resolve));
  }
}

async function checkNext(folder: string): Promise<void> {
  write(folder, {
    'app/layout.tsx':
      'export default ({ children }: { children: React.ReactNode }) => <html><body>{children}</body></html>;',
    'app/api/ask/route.ts': ROUTE,
  });
  const next = 'node_modules/next/dist/bin/next';
  process.stdout.write(printed(folder, 'next', ['build']));
  report('Next.js', await answers(folder, [next, 'start']));
  write(folder, { 'next.config.mjs': CONFIG });
  process.stdout.write(printed(folder, 'next', ['build']));
  await inFolder(async (alone) => {
    cpSync(join(folder, '.next/standalone'), alone, { recursive: true, verbatimSymlinks: true });
    report('Next.js, standalone', await answers(alone, ['server.js']));
  });
}

function checkRuntimes(folder: string): void {
  write(folder, { 'program.mjs': PROGRAM });
  for (const [name, file, ...argv] of RUNTIMES) {
    for (const left of ['memory.sqlite', 'memory.sqlite.indexes'])
      rmSync(join(folder, left), { recursive: true, force: true });
    const program = join(folder, 'node_modules', name, file);
    const { stdout } = spawnSync(program, [...argv, 'program.mjs'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    report(name, stdout.includes(ANSWER));
  }
}

await inFolder(async (folder) => {
  const tarball = pack(folder);
  await inProject([tarball, ...NEXT, ...TYPES], [], checkNext);
  await inProject(['pnpm'], [], (project) => {
    const own = join(project, 'own');
    write(own, { 'package.json': '{"type": "module"}', 'program.mjs': PROGRAM });
    const argv = ['add', '--ignore-scripts', '--no-optional', '--store-dir', join(project, 'store'), tarball];
    spawnSync(join(project, 'node_modules/.bin/pnpm'), argv, { cwd: own, stdio: 'inherit' });
    const { stdout } = spawnSync(process.execPath, ['program.mjs'], { cwd: own, encoding: 'utf8' });
    report('pnpm without scripts', stdout.includes(ANSWER));
  });
  if (process.platform === 'linux' && process.arch === 'x64')
    await inProject([tarball, ...RUNTIMES.map(([name]) => name)], ['--omit=optional'], checkRuntimes);
  else process.stdout.write('left out: Bun and Deno, whose binaries are named here for Linux on x64\n');
});
