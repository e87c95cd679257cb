import { z } from 'zod';
import { readStateFile, writeStateFile } from '../../src/util/files.ts';

const settingsSchema = z.object({
  /** Whether to keep running in the tray after the last window closes. */
  keepsRunning: z.boolean().default(false),
  /** Whether the app asks the update server by itself. Off, because nothing leaves the machine unless turned on. */
  looksForUpdates: z.boolean().default(false),
});
type Settings = z.output<typeof settingsSchema>;

/** Settings of the desktop app alone, which the engine does not know. */
export class DesktopSettings {
  readonly #path: string;
  #values: Settings;

  constructor(path: string) {
    this.#path = path;
    this.#values = readStateFile(path, settingsSchema) ?? settingsSchema.parse({});
  }

  get values(): Settings {
    return this.#values;
  }

  set(change: Partial<Settings>): void {
    this.#values = { ...this.#values, ...change };
    writeStateFile(this.#path, this.#values);
  }
}
