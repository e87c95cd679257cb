import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AnswerModels } from '../../../../main/assistant/chat/answer-models.ts';
import { AppJobs } from '../../../../main/assistant/jobs/app-jobs.ts';
import { settingsHandlers } from '../../../../main/assistant/settings/settings-handlers.ts';
import { contract } from '../../../../main/contract.ts';
import { configuredReranker } from '../../../../main/reranker.ts';
import { chatModelNamed } from '../../../../src/inference/llama/chat-models.ts';
import { keepSpeed } from '../../../../src/inference/llama/kept-speed.ts';
import { closeModelHosts } from '../../../../src/inference/llama/model-hosts.ts';
import { fetchModel } from '../../../../src/inference/models/model-catalogue.ts';
import { HubServer } from '../../../fakes/hub-server.ts';
import { AppPartLab } from '../app-part-lab.ts';

const MODEL = chatModelNamed('gemma-3-1b-it')!;
const RUNTIME = join(import.meta.dirname, '../../../inference/llama/scripted-runtime.ts');
const environment = { MNEMIS_LLAMA_RUNTIME: RUNTIME };

async function labWithModel() {
  const lab = await AppPartLab.open({ environment });
  const folder = join(lab.config.modelsFolder, MODEL.name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, MODEL.file), 'weights');
  return { lab, folder };
}

describe('models of this computer', () => {
  it('says what each needs, whether it is here, and what it did when it was measured', async () => {
    const { lab, folder } = await labWithModel();
    await using _ = lab;
    const handlers = settingsHandlers(lab.context);
    const speed = { memoryBytes: 9e8, promptTokensPerSecond: 120, replyTokensPerSecond: 12.5 };
    keepSpeed(folder, { ...speed, device: 'cpu', at: 1 });
    const reply = contract.localModels.output.parse(await handlers.localModels({}, {}));
    expect(reply.runtime.isInstalled).toBe(true);
    expect(reply.machine.memory).toBeGreaterThanOrEqual(reply.machine.freeMemory);
    expect(reply.items[0]).toMatchObject({
      ...{ name: MODEL.name, licence: 'Gemma terms', isTried: false, bytes: 806e6, memoryBytes: 1_200e6 },
      ...{ isInstalled: true, isUsed: false, isLoaded: false, speed },
    });
    expect(reply.items.filter(({ isInstalled }) => isInstalled)).toHaveLength(1);
    expect((await handlers.endpointModels({ provider: 'local' }, {})).models).toEqual([MODEL.name]);
  });

  it('answers with a model of this computer beside the endpoint of the settings', async () => {
    const { lab } = await labWithModel();
    await using _ = lab;
    const { model, name } = (await new AnswerModels(lab.config, lab.context.environment).find(
      `local:${MODEL.name}`,
    ))!;
    expect(name).toBe(`local:${MODEL.name}`);
    const prompt = { name: 'say', version: 1, render: () => ({ system: 'Be short.', user: 'say Heron' }) };
    expect((await model.text(prompt, null)).text).toBe('Heron');
    const { items } = await settingsHandlers(lab.context).localModels({}, {});
    expect(items[0]).toMatchObject({ isLoaded: true, speed: { promptTokensPerSecond: null } });
    await closeModelHosts();
  });

  it('tests one, and removes it unless it is in use', async () => {
    await using hub = await HubServer.start();
    hub.repository = MODEL.repository;
    hub.put(MODEL.file, 'weights', { large: true });
    await using lab = await AppPartLab.open({ environment });
    const { modelsFolder } = lab.config;
    await fetchModel({ name: MODEL.name, modelsFolder, mirror: hub.url });
    const handlers = settingsHandlers(lab.context);
    expect(await handlers.testModel({ provider: 'local', model: MODEL.name }, {})).toMatchObject({
      isCorrect: true,
    });
    keepSpeed(join(modelsFolder, MODEL.name), {
      ...{ device: 'cpu', at: 1, memoryBytes: 1, promptTokensPerSecond: 1, replyTokensPerSecond: 1 },
    });
    const used = { ...lab.config, llmProvider: 'local' as const, llmModel: MODEL.name };
    const inUse = settingsHandlers({ ...lab.context, config: used });
    await expect(inUse.removeEmbedder({ name: MODEL.name }, {})).rejects.toMatchObject({
      code: 'model-in-use',
    });
    expect(await handlers.verifyEmbedder({ name: MODEL.name }, {})).toMatchObject({ isWhole: true });
    await handlers.removeEmbedder({ name: MODEL.name }, {});
    expect((await handlers.localModels({}, {})).items[0]).toMatchObject({ isInstalled: false, speed: null });
  });

  it('lists one that is here as a reranker, judges with it, and does not remove it then', async () => {
    const { lab, folder } = await labWithModel();
    await using _ = lab;
    const name = `local:${MODEL.name}`;
    const rerankers = async (reranker: string) => {
      const { embedders } = settingsHandlers({ ...lab.context, config: { ...lab.config, reranker } });
      const { items } = contract.embedders.output.parse(await embedders({}, {}));
      return items.filter((each) => each.kind === 'reranker' && each.name.startsWith('local:'));
    };
    const entry = { name, dimension: null, megabytes: 806, isBundled: false, isInstalled: true };
    expect(await rerankers('none')).toMatchObject([{ ...entry, isUsed: false }]);
    expect(await rerankers(name.toUpperCase().replace('LOCAL', 'local'))).toMatchObject([
      { ...entry, isUsed: true },
    ]);
    const file = `local:${join(folder, MODEL.file)}`;
    expect(await rerankers(file)).toMatchObject([entry, { name: file, isInstalled: false, isUsed: true }]);
    expect(await rerankers('local:qwen3-8b')).toMatchObject([entry, { isInstalled: false, isUsed: true }]);

    const handlers = (reranker: string) =>
      settingsHandlers({ ...lab.context, config: { ...lab.config, reranker } });
    await expect(handlers(name).removeEmbedder({ name }, {})).rejects.toMatchObject({ code: 'model-in-use' });
    await expect(handlers(file).removeEmbedder({ name: 'bge-m3' }, {})).rejects.toMatchObject({
      code: 'unknown-name',
    });
    await using reranker = await configuredReranker({ ...lab.config, reranker: name }, environment);
    expect(await reranker!.rerank('who', ['who is it'])).toHaveLength(1);
    await closeModelHosts();
  });

  it('begins the download of one as a job', async () => {
    await using lab = await AppPartLab.open({ environment: { ...environment, MNEMIS_OFFLINE: 'true' } });
    const jobs = await AppJobs.open(lab.context, { continues: false });
    expect(jobs.startPull('a-job-of-mine', MODEL.name)).toMatchObject({ kind: 'pull', name: MODEL.name });
    await jobs.close();
  });
});
