import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import type { PackedArch, PackedPlatform } from './packed-app.ts';

const NAMES = { linux: 'linux', darwin: 'mac', win32: 'win' } as const;
/** What compiles the runtime, and what people read: four fifths of the package. */
const LEFT_OUT =
  /\.(?:d\.ts|map|md|bundle)$|node-llama-cpp[\\/](?:templates|llama[\\/](?:addon|cmake|toolchains|patches))$/;

/**
 * Copies the runtime of models of this computer with the packages that it needs to where electron-builder.yml takes
 * it from: the binaries of these platforms for processors, and for Metal.
 *
 * @param source - A folder in which `node-llama-cpp` was installed; null: the app has no runtime.
 * @throws TypeError where it was not.
 */
export function placeRuntime(
  source: string | null,
  target: string,
  { platform, archs }: { readonly platform: PackedPlatform; readonly archs: readonly PackedArch[] },
): void {
  rmSync(target, { recursive: true, force: true });
  if (source === null) return;
  const packages = join(source, 'node_modules');
  const wanted = new Set(
    archs.flatMap((arch) => ['', '-metal'].map((more) => `${NAMES[platform]}-${arch}${more}`)),
  );
  const binaries = join(packages, '@node-llama-cpp');
  const isThere = existsSync(binaries) && readdirSync(binaries).some((name) => wanted.has(name));
  if (!isThere || !existsSync(join(packages, 'node-llama-cpp')))
    throw new TypeError(`${source} has no node-llama-cpp for ${platform} ${archs.join(', ')}.`);
  cpSync(packages, target, {
    recursive: true,
    dereference: false,
    filter: (path) =>
      !LEFT_OUT.test(path) &&
      !path.includes(`${sep}.bin`) &&
      (!path.startsWith(`${binaries}${sep}`) || wanted.has(path.slice(binaries.length + 1).split(sep)[0]!)) &&
      basename(path) !== '.package-lock.json',
  });
}
