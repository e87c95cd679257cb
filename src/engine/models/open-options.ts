import { resolve } from 'node:path';
import { z } from 'zod';
import { InvalidInputError } from '../../errors/index.ts';
import { modelsFolderIn } from '../../util/data-folder.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import type { Logger } from '../engine-context.ts';
import { DEVICE_CHOICES } from './settings.ts';

/** A folder that holds a folder per model; the command line’s own where it is left out. Always absolute. */
export const modelsFolderSchema = z
  .string({ error: 'must be a path' })
  .trim()
  .min(1, 'must be a path')
  .max(4096)
  .default(() => modelsFolderIn())
  .transform((folder) => resolve(folder));

export const modelNameSchema = z.string({ error: 'must be a model’s name' }).max(200);

export const signalSchema = z.instanceof(AbortSignal, { error: 'must be an AbortSignal' }).optional();

const openSchema = z.object({
  name: modelNameSchema,
  modelsFolder: modelsFolderSchema,
  device: z.enum(DEVICE_CHOICES, { error: `must be one of ${DEVICE_CHOICES.join(', ')}` }).optional(),
  logger: z.custom<Logger>(isLogger, { error: 'must be an object with a method warn' }).optional(),
  signal: signalSchema,
  dimension: z.int({ error: 'must be a whole number' }).min(1).optional(),
});

export type CheckedOpenOptions = z.output<typeof openSchema>;

/** @throws InvalidInputError */
export function checkOpenOptions(options: unknown): CheckedOpenOptions {
  return checkOptions(openSchema, options);
}

/** @throws InvalidInputError */
export function checkModelsFolder(folder: string | undefined): string {
  return checkOptions(z.object({ modelsFolder: modelsFolderSchema }), { modelsFolder: folder }).modelsFolder;
}

/** @throws InvalidInputError, in words that hold no value. */
export function checkOptions<Output>(schema: z.ZodType<Output>, options: unknown): Output {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  throw new InvalidInputError(`The model’s options are not valid: ${describeIssues(parsed.error)}`);
}

function isLogger(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'warn' in value && typeof value.warn === 'function';
}
