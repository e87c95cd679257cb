import { join } from 'node:path';
import { z } from 'zod';
import { readStateFile, writeStateFile } from '../../util/files.ts';

/** Beside the model that was measured. */
export const SPEED_FILE = 'speed.json';

const speedSchema = z.object({
  device: z.string(),
  memoryBytes: z.number(),
  promptTokensPerSecond: z.number(),
  replyTokensPerSecond: z.number(),
  /** Milliseconds since 1970. */
  at: z.number(),
});
/** What the last measurement of a model found on this computer. */
export type KeptSpeed = z.infer<typeof speedSchema>;

/** Null for a model that was not measured here. */
export function keptSpeed(folder: string): KeptSpeed | null {
  return readStateFile(join(folder, SPEED_FILE), speedSchema) ?? null;
}

/** Writes nothing where the folder cannot be written. */
export function keepSpeed(folder: string, speed: KeptSpeed): void {
  writeStateFile(join(folder, SPEED_FILE), speedSchema.parse(speed));
}
