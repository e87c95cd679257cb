import { existsSync, realpathSync } from 'node:fs';
import Module from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import { PackageMissingError } from '../../errors/index.ts';
import { requireHere as require } from '../../util/at-run-time.ts';

export type { Connection, Database, PreparedStatement, QueryResult } from 'kuzu';
export type Kuzu = typeof import('kuzu');

const NOT_INSTALLED = 'is not installed (541 MB); name the file memory.sqlite and nothing more is needed';
const PURPOSE = 'A memory in a file whose name does not end in .sqlite';

/**
 * Whether this program can load Kùzu's module. On Windows the module imports from `node.exe` by name: in a program of
 * another name, such as the desktop app, the system finds none, or loads a second Node.js that crashes.
 */
export function isKuzuLoadable(platform = process.platform, program = process.execPath): boolean {
  return platform !== 'win32' || /(?:^|[\\/])node\.exe$/i.test(program);
}

/**
 * Loads the optional package `kuzu` when a file is opened.
 *
 * Its install script copies its JavaScript and the binary of this platform to the package's folder. npm may not run
 * scripts that nobody approved, so where these copies are missing, the originals are loaded.
 *
 * @param folders - Where the package may be installed, the nearest first.
 * @throws PackageMissingError
 */
export function loadKuzu(folders = require.resolve.paths('kuzu') ?? []): Kuzu {
  const folder = folders.map((parent) => join(parent, 'kuzu')).find((each) => existsSync(each));
  if (folder === undefined) throw new PackageMissingError(PURPOSE, 'kuzu', { state: NOT_INSTALLED });
  try {
    return existsSync(join(folder, 'kuzujs.node')) ? require(folder) : loadOriginals(realpathSync(folder));
  } catch (cause) {
    throw new PackageMissingError(PURPOSE, 'kuzu', {
      state: `cannot be loaded on ${process.platform} ${process.arch}`,
      command: 'npm rebuild kuzu --ignore-scripts=false --foreground-scripts',
      cause,
    });
  }
}

function loadOriginals(folder: string): Kuzu {
  const scripts = join(folder, 'kuzu-source/tools/nodejs_api/src_js');
  const native = join(scripts, 'kuzu_native.js'); // looks for the binary beside itself, so it is not run
  require.cache[native] ??= loadBinary(
    native,
    join(folder, 'prebuilt', `kuzujs-${process.platform}-${process.arch}.node`),
  );
  return require(scripts);
}

/** A loaded module, with the flag of `kuzu_native.js`: extensions of the database find its symbols. */
function loadBinary(name: string, file: string): NodeJS.Module {
  const loaded = Object.assign(new Module(name), { filename: name, loaded: true });
  const { RTLD_LAZY, RTLD_GLOBAL } = constants.dlopen;
  process.dlopen(loaded, file, process.platform === 'linux' ? RTLD_LAZY | RTLD_GLOBAL : RTLD_LAZY);
  return loaded;
}
