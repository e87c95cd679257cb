import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { Arch, build, type Configuration, Platform } from 'electron-builder';
import { build as buildPage } from 'vite';
import { z } from 'zod';
import { publicPartOf } from '../main/desktop/update-signature.ts';
import { modelReference } from '../src/inference/models/model-reference.ts';
import { SHIPPED_EMBEDDER } from '../src/inference/models/shipped-model.ts';
import { filesOf } from '../src/inference/onnx/profile.ts';
import { type PackedArch, type PackedPlatform, resourcesOf, sizeOf } from './packed-app.ts';
import { placeRuntime } from './place-runtime.ts';
import { signedNotice } from './signed-notice.ts';
import { makeStandInElectron } from './stand-in-electron.ts';

/**
 * `npm run dist`: the desktop app's installers, by electron-builder.yml, in build/release. `npm run dist -- --help` lists
 * the flags; docs/shipping.md explains signing and updates.
 */
const ROOT = join(import.meta.dirname, '..');
const BUILD = join(ROOT, 'build');
const MEGABYTE = 1_000_000;
const MOST_MODEL_BYTES = 40 * MEGABYTE;

/** Architectures that the native modules have binaries for. */
const KNOWN: Readonly<Record<PackedPlatform, readonly PackedArch[]>> = {
  linux: ['x64', 'arm64'],
  darwin: ['x64', 'arm64'],
  win32: ['x64'],
};
const TARGETS: Readonly<Record<PackedPlatform, { platform: Platform; formats: readonly string[] }>> = {
  linux: { platform: Platform.LINUX, formats: ['AppImage', 'deb'] },
  darwin: { platform: Platform.MAC, formats: ['dmg', 'zip'] },
  win32: { platform: Platform.WINDOWS, formats: ['nsis'] },
};

type Asked = true | PackedArch | 'all';

interface Flags {
  /** The architecture; true for this machine's. */
  readonly linux?: Asked;
  readonly mac?: Asked;
  readonly win?: Asked;
  readonly dir?: true;
  readonly standIn?: true;
  readonly electron?: string;
  readonly compare?: true;
  readonly release?: true;
  readonly out: string;
}

/** What is packed in one go: of the architectures of a platform, electron-builder writes one notice for updates. */
interface App {
  readonly platform: PackedPlatform;
  readonly archs: readonly PackedArch[];
}

async function dist(flags: Flags): Promise<void> {
  const updates = updatesOf(process.env);
  const usesStandIn = standInIsUsed(flags);
  if (flags.release && updates === null)
    console.warn(
      'No update server is set (MNEMIS_UPDATE_URL, MNEMIS_UPDATE_KEY): the app will have no updates.',
    );
  await buildPage({
    configFile: join(ROOT, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: join(BUILD, 'page') },
  });
  execFileSync(process.execPath, ['--import', 'tsx', join(ROOT, 'scripts/build.ts'), '--packed'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  placeModel(process.env.MNEMIS_APP_MODEL || null);
  for (const app of appsOf(flags)) {
    placeRuntime(process.env.MNEMIS_APP_LLAMA || null, join(BUILD, 'llama'), app);
    const overrides = merged(configOf(app, { flags, usesStandIn }), updates?.config ?? {});
    const before = flags.compare ? await packedWithoutRules(app, overrides) : null;
    await pack(app, { flags, overrides });
    report(app, { release: flags.out, before });
  }
  if (updates !== null && !flags.dir) signNotices(flags.out, updates.key);
}

/** Copies the embedder that the app carries to where electron-builder.yml takes it from; null: none. */
function placeModel(folder: string | null): void {
  const models = join(BUILD, 'models');
  rmSync(models, { recursive: true, force: true });
  if (folder === null) {
    console.warn('MNEMIS_APP_MODEL is not set: the app searches with the table alone.');
    return;
  }
  const { profile, precision } = modelReference(SHIPPED_EMBEDDER);
  const home = join(models, profile.name);
  for (const file of filesOf(profile, precision)) cpSync(join(folder, file), join(home, file));
  if (sizeOf(home) > MOST_MODEL_BYTES)
    throw new TypeError(`${folder} is no ${SHIPPED_EMBEDDER}: it has ${megabytes(sizeOf(home))}.`);
  cpSync(join(ROOT, `desktop/LICENSE-${profile.name}.txt`), join(home, 'LICENSE'));
}

/** What is asked for; without a platform, this machine's. */
function appsOf({ linux, mac, win }: Flags): readonly App[] {
  const asked: Readonly<Record<PackedPlatform, Asked | undefined>> = { linux, darwin: mac, win32: win };
  const isAnyAsked = Object.values(asked).some((value) => value !== undefined);
  return (Object.keys(KNOWN) as PackedPlatform[]).flatMap((platform) => {
    const value = isAnyAsked ? asked[platform] : platform === process.platform || undefined;
    if (value === undefined) return [];
    const known = KNOWN[platform];
    const own = known.find((arch) => arch === process.arch) ?? known[0]!;
    const archs = value === 'all' ? known : [value === true ? own : value];
    const unknown = archs.find((arch) => !known.includes(arch));
    if (unknown !== undefined) throw new TypeError(`The database has no binary for ${platform} ${unknown}.`);
    return [{ platform, archs }];
  });
}

/** Said aloud, because what is packed with it does not start. */
function standInIsUsed({ standIn, dir, electron }: Flags): boolean {
  if (electron !== undefined) return false;
  const isThere = existsSync(join(ROOT, 'node_modules/electron/path.txt'));
  if (!standIn && (isThere || !dir)) return false;
  console.warn(
    `${standIn ? '' : 'Electron’s program was not downloaded. '}A stand-in for Electron is used: the app has all its files and does not start.`,
  );
  return true;
}

interface Circumstances {
  readonly flags: Flags;
  readonly usesStandIn: boolean;
}

/** What depends on the run, over electron-builder.yml. */
function configOf({ platform }: App, { flags, usesStandIn }: Circumstances): Configuration {
  const isSigned = process.env.CSC_LINK !== undefined || process.env.CSC_NAME !== undefined;
  const standIn = () => makeStandInElectron(join(BUILD, 'stand-in-electron', platform), platform);
  return {
    extraMetadata: { main: 'dist/desktop/main.js' },
    directories: { output: flags.out },
    ...(flags.electron !== undefined && { electronDist: flags.electron }),
    ...(usesStandIn && { electronDist: standIn() }),
    forceCodeSigning: flags.release === true && platform !== 'linux',
    // Without a certificate, a Mac’s own signature; the hardened runtime would refuse the modules that carry it.
    mac: isSigned || flags.release ? {} : { identity: '-', hardenedRuntime: false },
    // A stand-in has no resources to edit, where the icon and the hash of the archive go.
    win: usesStandIn ? { signAndEditExecutable: false } : {},
    ...(usesStandIn && platform === 'win32' && { disableAsarIntegrity: true }),
  };
}

interface Packing {
  readonly flags: Flags;
  readonly overrides: Configuration;
}

async function pack({ platform, archs }: App, { flags, overrides }: Packing): Promise<void> {
  const target = TARGETS[platform];
  const formats = flags.dir ? ['dir'] : [...target.formats];
  await build({
    projectDir: ROOT,
    targets: target.platform.createTarget(formats, ...archs.map((arch) => Arch[arch])),
    config: overrides,
    publish: 'never',
  });
}

/** What electron-builder would pack of this project without the rules of electron-builder.yml. */
async function packedWithoutRules(
  { platform, archs: [arch = 'x64'] }: App,
  overrides: Configuration,
): Promise<number> {
  const output = join(BUILD, 'without-rules');
  rmSync(output, { recursive: true, force: true });
  const config: Configuration = {
    ...overrides,
    appId: 'app.mnemis.comparison',
    productName: 'Mnemis',
    directories: { output, buildResources: 'desktop' },
    files: ['**/*', '!build/{release,stand-in-electron,without-rules}'],
    extraMetadata: { main: 'build/programs/desktop/main.js' },
    asar: false,
    npmRebuild: false,
  };
  // A file, because settings that are passed are merged with those of electron-builder.yml.
  const file = join(BUILD, 'without-rules.json');
  writeFileSync(file, JSON.stringify(config));
  await build({
    projectDir: ROOT,
    targets: TARGETS[platform].platform.createTarget(['dir'], Arch[arch]),
    config: file,
    publish: 'never',
  });
  const bytes = sizeOf(resourcesOf(output, platform, arch));
  rmSync(output, { recursive: true, force: true });
  return bytes;
}

interface Report {
  readonly release: string;
  /** Bytes without our rules, which are those of each architecture; null if they were not measured. */
  readonly before: number | null;
}

function report({ platform, archs }: App, { release, before }: Report): void {
  const compared = before === null ? '' : `; without our rules ${megabytes(before)}`;
  for (const arch of archs) {
    const bytes = sizeOf(resourcesOf(release, platform, arch));
    console.log(`${platform} ${arch}: ${megabytes(bytes)} beside Electron${compared}`);
  }
}

const megabytes = (bytes: number) => `${(bytes / MEGABYTE).toFixed(1)} MB`;

function merged(config: Configuration, more: Configuration): Configuration {
  return { ...config, ...more, extraMetadata: { ...config.extraMetadata, ...more.extraMetadata } };
}

const updateServer = z.union([
  z
    .string()
    .regex(/^github:[\w.-]+\/[\w.-]+$/)
    .transform((text) => {
      const [owner = '', repo = ''] = text.slice('github:'.length).split('/');
      return { provider: 'github' as const, owner, repo };
    }),
  z.url({ protocol: /^https$/ }).transform((url) => ({ provider: 'generic' as const, url })),
]);

/** Where the app looks for updates, and the key that signs them; null if the environment has no server. */
function updatesOf({ MNEMIS_UPDATE_URL, MNEMIS_UPDATE_KEY }: NodeJS.ProcessEnv) {
  if (!MNEMIS_UPDATE_URL) return null;
  if (!MNEMIS_UPDATE_KEY)
    throw new TypeError('MNEMIS_UPDATE_KEY must name the file of the key that signs updates.');
  const key = readFileSync(MNEMIS_UPDATE_KEY, 'utf8');
  const config: Configuration = {
    publish: updateServer.parse(MNEMIS_UPDATE_URL),
    extraMetadata: { updateKey: publicPartOf(key) },
  };
  return { key, config };
}

/** Signs what electron-builder wrote for the update server. */
function signNotices(folder: string, key: string): void {
  for (const name of readdirSync(folder).filter((each) => /^latest.*\.yml$/.test(each))) {
    const path = join(folder, name);
    writeFileSync(path, signedNotice(readFileSync(path, 'utf8'), key));
    console.log(`Signed ${name}.`);
  }
}

const platformOption = (flag: string, formats: string) =>
  new Option(`--${flag} [arch]`, `${formats} (default: this machine’s architecture)`).choices([
    'x64',
    'arm64',
    'all',
  ]);
const flags = new Command('dist')
  .addOption(platformOption('linux', 'AppImage and deb'))
  .addOption(platformOption('mac', 'dmg and zip'))
  .addOption(platformOption('win', 'an installer'))
  .option('--dir', 'leaves the app unpacked, without an installer')
  .option('--electron <path>', 'a folder or zip file with Electron, in place of the one that is downloaded')
  .option(
    '--stand-in',
    'packs with a stand-in for Electron; automatic with --dir where Electron was not downloaded',
  )
  .option('--compare', 'also packs without the rules of electron-builder.yml, and prints that size')
  .option('--out <folder>', 'where the apps go', join(BUILD, 'release'))
  .option('--release', 'fails where the app would not be signed')
  .parse()
  .opts<Flags>();
await dist({ ...flags, out: resolve(flags.out) });
