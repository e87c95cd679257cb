import { join } from 'node:path';

/** File in the models’ folder that remembers which devices failed on this machine. */
export function deviceLogIn(modelsFolder: string): string {
  return join(modelsFolder, '.devices.json');
}
