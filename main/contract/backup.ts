import { z } from 'zod';
import { appId, scope } from './common.ts';
import { jobSchema } from './jobs.ts';
import { call } from './method.ts';

/** Name of a backup: a folder within the folder of backups. */
const backupName = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^/\\]+$/)
  .refine((name) => name !== '.' && name !== '..');

const backupSchema = z.object({
  name: z.string(),
  /** ISO time. */
  createdAt: z.string(),
  bytes: z.number(),
  scopes: z.array(z.string()),
  isAutomatic: z.boolean(),
  /** Why it cannot be read; null otherwise. */
  problem: z.string().nullable(),
});
export type BackupEntry = z.output<typeof backupSchema>;

const restorePreviewSchema = z.object({
  createdAt: z.string(),
  /** Why it cannot be restored here; null if it can. */
  problem: z.string().nullable(),
  /** Whether it was made of another memory, as far as the app knows. */
  isOther: z.boolean(),
  scopes: z.array(
    z.object({
      scope: z.string(),
      /** Turns of the backup, former versions included. */
      turns: z.number(),
      /** Turns of the memory now. */
      now: z.number(),
      /** Turns of the backup that the memory does not have. */
      back: z.number(),
      /** Those of them that were forgotten since: the memory has their tombstones. */
      forgotten: z.number(),
      /** Turns of the memory that the backup does not have. */
      lost: z.number(),
    }),
  ),
});
export type RestorePreview = z.output<typeof restorePreviewSchema>;

export const backupMethods = {
  /** Backups of this memory in the folder of backups, the newest first. */
  backups: call(
    'reads',
    z.strictObject({}),
    z.object({
      /** The folder, which may not exist yet. */
      folder: z.string(),
      items: z.array(backupSchema),
    }),
  ),
  /** Copies the memory into a new folder of the folder of backups, as a job. */
  startBackup: call('writes', z.strictObject({ job: appId }), jobSchema),
  /** Compares the files of a backup with their checksums, and opens and checks a copy; changes nothing. */
  verifyBackup: call(
    'reads',
    z.strictObject({ name: backupName }),
    z.object({
      name: z.string(),
      isWhole: z.boolean(),
      files: z.number(),
      bytes: z.number(),
      findings: z.array(z.object({ scope: z.string().nullable(), what: z.string(), advice: z.string() })),
    }),
  ),
  deleteBackup: call(
    'removes',
    z.strictObject({ name: backupName }),
    z.object({ name: z.string(), bytes: z.number() }),
  ),
  /** What a restore would bring back and take away; opens a copy of the backup and changes nothing. */
  previewRestore: call('reads', z.strictObject({ name: backupName }), restorePreviewSchema),
  /**
   * Replaces the memory by a backup, as a job. Other jobs are paused, and the engine restarts with the restored memory;
   * the old one is kept until that is open. Conversations and settings stay as they are.
   */
  startRestore: call(
    'removes',
    z.strictObject({
      job: appId,
      name: backupName,
      /** Whether turns that were forgotten since the backup are forgotten again afterwards; no others are. Default true. */
      forgetAgain: z.boolean().optional(),
    }),
    jobSchema,
  ),
  /** Reads an upload that `export` wrote into a scope, as a job. Rows that are there are skipped. */
  startArchive: call(
    'writes',
    z.strictObject({
      job: appId,
      upload: appId,
      scope,
      /** Gives all rows new ids: for a copy of a scope of the same memory. */
      newIds: z.boolean().optional(),
    }),
    jobSchema,
  ),
} as const;
