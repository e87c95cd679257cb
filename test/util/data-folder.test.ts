import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataFolder, modelsFolderIn } from '../../src/util/files.ts';

describe('the data folder', () => {
  it('lies in the user’s home without variables, also where they are empty', () => {
    expect(dataFolder().startsWith(homedir())).toBe(true);
    expect(dataFolder({ XDG_DATA_HOME: '', LOCALAPPDATA: '' })).toBe(dataFolder());
    expect(modelsFolderIn()).toBe(join(dataFolder(), 'models'));
  });

  it('follows the system’s variable, where the system has one', () => {
    const moved = join(homedir(), 'elsewhere');
    const folder = dataFolder({ XDG_DATA_HOME: moved, LOCALAPPDATA: moved });
    expect(folder).toBe(process.platform === 'darwin' ? dataFolder() : join(moved, 'mnemis'));
  });
});
