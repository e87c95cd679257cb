import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** As `process.platform` names it. */
export type PackedPlatform = 'linux' | 'darwin' | 'win32';
export type PackedArch = 'x64' | 'arm64';

/** electron-builder's name of the folder with an unpacked app, and in it the folder of what is not Electron's. */
export function resourcesOf(release: string, platform: PackedPlatform, arch: PackedArch): string {
  const suffix = arch === 'x64' ? '' : `-${arch}`;
  if (platform === 'darwin') return join(release, `mac${suffix}`, 'Mnemis.app/Contents/Resources');
  return join(release, `${platform === 'win32' ? 'win' : 'linux'}${suffix}-unpacked`, 'resources');
}

/** Bytes of all files below a folder. */
export function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const sizes = files.map((entry) => statSync(join(entry.parentPath ?? entry.path, entry.name)).size);
  return sizes.reduce((sum, size) => sum + size, 0);
}
