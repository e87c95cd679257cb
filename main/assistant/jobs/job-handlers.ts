import { InvalidInputError } from '../../../src/errors/index.ts';
import { readSettings } from '../../../src/importers/importer.ts';
import { IMPORTERS, importerNamed } from '../../../src/importers/registry.ts';
import { withoutUndefined } from '../../../src/util/collections.ts';
import type { jobMethods } from '../../contract/jobs.ts';
import type { AppContext } from '../app-context.ts';
import type { AppHandlers } from '../app-handlers.ts';
import { readPreferences, writePreferences } from '../store/read-preferences.ts';
import type { AppJobs } from './app-jobs.ts';
import { calledAs, previewUpload } from './preview-upload.ts';

type JobHandlers = AppHandlers<keyof typeof jobMethods>;

export function jobHandlers(context: AppContext, jobs: AppJobs): JobHandlers {
  return { ...uploadHandlers(context, jobs), ...startHandlers(context, jobs), ...runningJobHandlers(jobs) };
}

function uploadHandlers(context: AppContext, { runningJobs, uploads, clean, isInUse, estimates }: AppJobs) {
  return {
    beginUpload: async (input) => {
      await clean();
      await uploads.begin(input);
      return { upload: input.upload };
    },
    uploadPart: (input) => uploads.append(input),
    deleteUpload: async ({ upload }) => {
      if (isInUse(upload)) throw new InvalidInputError('A job reads this upload; cancel the job first');
      await uploads.delete(upload);
      return { upload };
    },
    previewUpload: async ({ settings, ...input }, { signal }) => {
      const preview = await previewUpload(
        context,
        { ...input, settings: withoutUndefined(settings ?? {}) },
        { uploads, jobs: runningJobs.stored(), signal },
      );
      estimates.note(input.upload, preview.cost);
      return preview;
    },
    importFormats: async () => ({
      items: IMPORTERS.map(({ name, description }) => ({ name, description })),
    }),
  } satisfies Partial<JobHandlers>;
}

function startHandlers(
  context: AppContext,
  { runningJobs, uploads, isInUse, estimates, sample, startMove, startPull }: AppJobs,
) {
  const { config, engine, usage, store, events } = context;
  return {
    startImport: async ({ job: id, upload: uploadId, scope, settings = {}, enrich = true, tokenBudget }) => {
      const { format, speaker, ...reading } = settings;
      if (format !== undefined) importerNamed(format); // before the job begins, so that the client can correct it
      readSettings(reading);
      engine.scope(scope);
      const task = {
        kind: 'import' as const,
        upload: uploadId,
        scope,
        settings: { ...withoutUndefined(settings), ...calledAs(context, speaker) },
        enrich,
        ...withoutUndefined({ tokenBudget }),
        model: engine.describeIngestion().tier === 'llm' ? (config.llmModel ?? null) : null,
      };
      const known = runningJobs.find(id);
      if (known !== null) return runningJobs.start(known, task);
      const upload = await uploads.whole(uploadId);
      if (isInUse(uploadId)) throw new InvalidInputError('Another job imports this upload already');
      const estimate = estimates.take(uploadId, task);
      if (estimate !== null) usage.expect(id, task.model, estimate);
      if (speaker !== undefined && readPreferences(store).name === '') {
        writePreferences(store, { name: speaker });
        events.emit({ type: 'settings' });
      }
      return runningJobs.start({ id, name: upload.name, scope }, task);
    },
    startPull: async ({ job, name }) => startPull(job, name),
    startMove: async ({ job, embedder }) => startMove(job, embedder),
    sample: () => sample(),
  } satisfies Partial<JobHandlers>;
}

function runningJobHandlers({ runningJobs }: AppJobs) {
  return {
    jobs: async () => ({ items: [...runningJobs.list()] }),
    followJob: ({ job }, { signal }) => runningJobs.follow(job, signal),
    controlJob: ({ job, action }) => runningJobs.control(job, action),
  } satisfies Partial<JobHandlers>;
}
