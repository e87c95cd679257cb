import { homedir } from 'node:os';
import { join } from 'node:path';

/** The variables that move it; without them it lies in the user’s home. */
export interface DataFolderVariables {
  readonly LOCALAPPDATA?: string | undefined;
  readonly XDG_DATA_HOME?: string | undefined;
}

/** Where a user’s data belongs on this system. */
export function dataFolder({ LOCALAPPDATA, XDG_DATA_HOME }: DataFolderVariables = {}): string {
  if (process.platform === 'win32')
    return join(LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'mnemis');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'mnemis');
  return join(XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'mnemis');
}

/** Where models are kept unless another folder is named. */
export function modelsFolderIn(variables: DataFolderVariables = {}): string {
  return join(dataFolder(variables), 'models');
}
