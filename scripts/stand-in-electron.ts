import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PackedPlatform } from './packed-app.ts';

/** Marks the place of the fuses in Electron's program: version 1, then the number of fuses, then their states. */
const FUSE_MARK = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const FUSES = Buffer.concat([Buffer.from(FUSE_MARK), Buffer.from([1, 8]), Buffer.from('10111000')]);
const HELPERS = ['', ' (GPU)', ' (Plugin)', ' (Renderer)'];

/**
 * A folder with what electron-builder touches of an unpacked Electron, for a machine that cannot fetch the real one. What
 * is packed with it has every file of the app, and does not start.
 *
 * @returns the folder, for electron-builder's `electronDist`.
 */
export function makeStandInElectron(folder: string, platform: PackedPlatform): string {
  rmSync(folder, { recursive: true, force: true });
  const write = (name: string, content: string | Buffer, mode = 0o644) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { mode });
  };
  write('LICENSE', 'Stand-in for the licence of Electron.\n');
  if (platform === 'darwin') {
    const contents = 'Electron.app/Contents';
    write(`${contents}/Info.plist`, plistOf('Electron'));
    write(`${contents}/MacOS/Electron`, '', 0o755);
    write(`${contents}/Resources/en.lproj/locale.pak`, '');
    const framework = `${contents}/Frameworks/Electron Framework.framework`;
    write(`${framework}/Electron Framework`, FUSES, 0o755);
    write(`${framework}/Versions/A/Resources/en.lproj/locale.pak`, '');
    for (const kind of HELPERS) {
      const name = `Electron Helper${kind}`;
      write(`${contents}/Frameworks/${name}.app/Contents/Info.plist`, plistOf(name));
      write(`${contents}/Frameworks/${name}.app/Contents/MacOS/${name}`, '', 0o755);
    }
    return folder;
  }
  write(platform === 'win32' ? 'electron.exe' : 'electron', FUSES, 0o755);
  write('locales/en-US.pak', '');
  write('locales/de.pak', '');
  mkdirSync(join(folder, 'resources'));
  return folder;
}

const plistOf = (name: string) => `<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict>
  <key>CFBundleExecutable</key><string>${name}</string>
  <key>CFBundleIdentifier</key><string>com.github.Electron</string>
  <key>CFBundleName</key><string>${name}</string>
</dict></plist>
`;
