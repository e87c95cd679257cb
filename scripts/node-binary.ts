import { join } from 'node:path';

/** The package of npm that has the binary of this system. */
const system = process.platform === 'win32' ? 'win' : process.platform;
const BINARY = `${system === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'}-${system}-${process.arch}`;

/** The package to install for a version of Node.js. */
export const nodePackage = (version: number): string => `${BINARY}@${version}`;

/** The program of that package in a project. */
export const nodeIn = (folder: string): string =>
  join(folder, 'node_modules', BINARY, 'bin', system === 'win' ? 'node.exe' : 'node');
