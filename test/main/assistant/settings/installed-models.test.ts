import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { settingsHandlers } from '../../../../main/assistant/settings/settings-handlers.ts';
import { fetchModel } from '../../../../src/inference/models/model-catalogue.ts';
import { hubWithEmbedder } from '../../../fakes/small-models.ts';
import { AppPartLab } from '../app-part-lab.ts';

const NAME = 'all-minilm-l6-v2';

describe('models of the app', () => {
  it('lists, verifies and removes them, but not one in use', async () => {
    await using hub = await hubWithEmbedder();
    await using lab = await AppPartLab.open();
    const { embedders, verifyEmbedder, removeEmbedder } = settingsHandlers(lab.context);
    const { modelsFolder } = lab.config;
    const entry = async (name: string) => (await embedders({}, {})).items.find((each) => each.name === name);
    expect(await entry('static')).toEqual({
      ...{ name: 'static', kind: 'embedder', dimension: 256, megabytes: 10, licence: 'WordNet License' },
      ...{ isBundled: true, isInstalled: true, isUsed: true },
    });
    expect(await entry(NAME)).toMatchObject({ dimension: 384, isInstalled: false, isUsed: false });
    await expect(verifyEmbedder({ name: NAME }, {})).rejects.toMatchObject({ code: 'unknown-name' });
    await fetchModel({ name: NAME, modelsFolder, mirror: hub.url });
    expect(await entry(NAME)).toMatchObject({ isInstalled: true, isBundled: false });
    expect(await verifyEmbedder({ name: NAME }, {})).toEqual({ name: NAME, isWhole: true, damaged: [] });
    appendFileSync(join(modelsFolder, NAME, 'tokenizer.json'), ' ');
    expect(await verifyEmbedder({ name: `${NAME}:fp32` }, {})).toMatchObject({
      ...{ isWhole: false, damaged: ['tokenizer.json'] },
    });
    const using_ = { ...lab.context, config: { ...lab.config, embedder: `${NAME.toUpperCase()}:fp32` } };
    const inUse = settingsHandlers(using_);
    expect((await inUse.embedders({}, {})).items.filter(({ isUsed }) => isUsed)).toMatchObject([
      { name: NAME },
    ]);
    await expect(inUse.removeEmbedder({ name: NAME }, {})).rejects.toMatchObject({ code: 'model-in-use' });
    expect(existsSync(join(modelsFolder, NAME))).toBe(true);
    expect((await removeEmbedder({ name: NAME }, {})).bytes).toBeGreaterThan(1_000);
    expect(await entry(NAME)).toMatchObject({ isInstalled: false });
    await expect(removeEmbedder({ name: NAME }, {})).rejects.toMatchObject({ code: 'unknown-name' });
  });

  it.each([
    ['static', 'model-bundled'],
    ['../../etc', 'unknown-name'],
    ['bge-m3:x', 'unknown-name'],
  ])('refuses to remove %s', async (name, code) => {
    await using lab = await AppPartLab.open();
    const { removeEmbedder, verifyEmbedder } = settingsHandlers(lab.context);
    await expect(removeEmbedder({ name }, {})).rejects.toMatchObject({ code });
    await expect(verifyEmbedder({ name }, {})).rejects.toMatchObject({ code });
  });
});
