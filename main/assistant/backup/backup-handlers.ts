import { basename } from 'node:path';
import { InvalidInputError } from '../../../src/errors/index.ts';
import { verifyBackup } from '../../../src/files/backup/verify.ts';
import { isDatabaseUrl } from '../../../src/util/database-url.ts';
import type { backupMethods } from '../../contract/backup.ts';
import type { AppContext } from '../app-context.ts';
import type { AppHandlers } from '../app-handlers.ts';
import type { AppJobs } from '../jobs/app-jobs.ts';
import { conversationProblem } from '../store/conversation-archive.ts';
import { BackupFolder } from './backup-folder.ts';
import { previewRestore } from './restore-job.ts';

const ON_SERVER =
  'The app makes backups of files. For a memory on a database server use "mnemis backup FOLDER", or the server’s means (pg_dump)';

const OTHER_BACKUP =
  'Restore another backup, or remove conversations.jsonl from this one: its memory is then restored without conversations';

export function backupHandlers(
  context: AppContext,
  { runningJobs, uploads, staging, isInUse }: AppJobs,
): AppHandlers<keyof typeof backupMethods> {
  const folder = new BackupFolder(context);
  const isOfFile = () => {
    const { path } = context.config;
    if (isDatabaseUrl(path)) throw new InvalidInputError(ON_SERVER);
    if (path === ':memory:') throw new InvalidInputError('This memory has no file, so it has no backups');
  };
  return {
    backups: async () => ({ folder: folder.path, items: await folder.list() }),
    startBackup: async ({ job }) => {
      isOfFile();
      const known = runningJobs.stored().find((each) => each.job.id === job);
      if (known !== undefined) return runningJobs.start(known.job, known.task);
      const path = folder.next({ isAutomatic: false });
      const about = { id: job, name: basename(path), scope: null };
      return runningJobs.start(about, { kind: 'backup', folder: path, isAutomatic: false });
    },
    verifyBackup: async ({ name }, { signal }) => {
      const path = await folder.find(name);
      const { sound, files, bytes, findings } = await verifyBackup(path, { ...(signal && { signal }) });
      const told = findings.map(({ scope, what, advice }) => ({ scope, what, advice }));
      const what = await conversationProblem(context.store, path);
      if (what !== null) told.push({ scope: null, what, advice: OTHER_BACKUP });
      return { name, isWhole: sound && what === null, files, bytes, findings: told };
    },
    deleteBackup: async ({ name }) => ({ name, bytes: await folder.delete(name) }),
    previewRestore: async ({ name }, { signal }) => {
      isOfFile();
      return previewRestore(context, await folder.find(name), { staging, signal });
    },
    startRestore: async ({ job, name, forgetAgain = true }) => {
      isOfFile();
      if (context.restart === undefined)
        throw new InvalidInputError(
          'Nobody would start this engine again, so it cannot restore its own memory; close it and run “mnemis restore --replace”',
        );
      const task = { kind: 'restore' as const, folder: await folder.find(name), forgetAgain };
      return runningJobs.start({ id: job, name, scope: null }, task);
    },
    startArchive: async ({ job, upload: id, scope, newIds = false }) => {
      context.engine.scope(scope);
      const task = { kind: 'archive' as const, upload: id, scope, newIds };
      const known = runningJobs.find(job);
      if (known !== null) return runningJobs.start(known, task);
      const { name } = await uploads.whole(id);
      if (isInUse(id)) throw new InvalidInputError('Another job reads this upload already');
      return runningJobs.start({ id: job, name, scope }, task);
    },
  };
}
