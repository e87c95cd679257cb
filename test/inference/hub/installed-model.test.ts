import { existsSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  missingFiles,
  modelHome,
  pulledModels,
  removeModel,
  verifyModel,
} from '../../../src/inference/hub/installed-model.ts';
import { readManifest } from '../../../src/inference/hub/model-folder.ts';
import { HubLab, SOURCE, TOKENIZER, WEIGHTS } from './hub-lab.ts';

const MODEL = 'onnx/model.onnx';

async function pulledLab(): Promise<HubLab> {
  const lab = await HubLab.start();
  await lab.pull();
  return lab;
}

describe('models on this machine', () => {
  it('are those with a manifest', async () => {
    await using lab = await pulledLab();
    mkdirSync(join(lab.folder, 'photos'));
    expect(await pulledModels(lab.folder)).toEqual(['tiny']);
    expect(await pulledModels(join(lab.folder, 'nowhere'))).toEqual([]);
  });

  it('are complete if every file has its size', async () => {
    await using lab = await pulledLab();
    expect(await missingFiles(lab.home, SOURCE.files)).toEqual([]);
    truncateSync(join(lab.home, MODEL), 10);
    rmSync(join(lab.home, 'tokenizer.json'));
    expect(await missingFiles(lab.home, [...SOURCE.files, 'other'])).toEqual([
      'tokenizer.json',
      MODEL,
      'other',
    ]);
    rmSync(join(lab.home, 'mnemis-model.json'));
    expect(await missingFiles(lab.home, [MODEL])).toEqual([]); // a folder of the user’s own
  });

  it('are verified byte by byte, offline', async () => {
    await using lab = await pulledLab();
    const before = lab.hub.requests.length;
    expect(await verifyModel(lab.home)).toEqual(SOURCE.files.map((path) => ({ path, state: 'whole' })));
    writeFileSync(join(lab.home, MODEL), Buffer.from(WEIGHTS).fill(0, 7, 9));
    rmSync(join(lab.home, 'tokenizer.json'));
    expect(await verifyModel(lab.home)).toEqual([
      { path: 'tokenizer.json', state: 'missing' },
      { path: MODEL, state: 'changed' },
    ]);
    expect(lab.hub.requests).toHaveLength(before);
    rmSync(join(lab.home, 'mnemis-model.json'));
    expect(await verifyModel(lab.home)).toBeNull(); // placed by hand: nothing to compare
    mkdirSync(join(lab.home, '.parts'));
    await expect(verifyModel(lab.home)).rejects.toThrow(
      /not fetched to its end\. .* fetch the rest with: mnemis models pull tiny\.$/,
    );
  });

  it.each([
    ['no JSON', '{'],
    ['of another format', '{"format":"x"}'],
    [
      'naming files outside',
      JSON.stringify({
        format: 'mnemis-model',
        version: 1,
        name: 'tiny',
        repository: 'a/b',
        revision: 'main',
        commit: null,
        files: [{ path: '../../x', bytes: 1, sha256: '0'.repeat(64) }],
      }),
    ],
  ])('reject a manifest that is %s', async (_what, text) => {
    await using lab = await pulledLab();
    writeFileSync(join(lab.home, 'mnemis-model.json'), text);
    await expect(readManifest(lab.home)).rejects.toMatchObject({ code: 'model-files' });
    await expect(removeModel(lab.home)).rejects.toMatchObject({ code: 'model-files' });
    expect(lab.has(MODEL)).toBe(true);
  });
});

describe('removing a model', () => {
  it('deletes the files of pulls', async () => {
    await using lab = await pulledLab();
    const manifest = lab.read('mnemis-model.json').length;
    expect(await removeModel(lab.home)).toEqual({
      bytes: WEIGHTS.length + TOKENIZER.length + manifest,
      whole: true,
      left: [],
    });
    expect(existsSync(lab.home)).toBe(false);
  });

  it('deletes the files of an interrupted pull', async () => {
    await using lab = await HubLab.start();
    lab.hub.fail(MODEL, ...Array(9).fill({ kind: 'cut', after: 500_000 }));
    await expect(lab.pull()).rejects.toMatchObject({ code: 'hub-unavailable' });
    expect((await removeModel(lab.home)).bytes).toBeGreaterThan(500_000);
    expect(lab.files()).toEqual(['tokenizer.json']); // nobody can tell any more whose it is
  });

  it('keeps files from elsewhere', async () => {
    await using lab = await pulledLab();
    writeFileSync(join(lab.home, 'onnx/notes.txt'), 'mine');
    expect((await removeModel(lab.home)).left).toEqual(['onnx/notes.txt']);
    expect(lab.files()).toEqual(['onnx/notes.txt']);
  });

  it("rejects a folder that is not a model's", async () => {
    await using lab = await pulledLab();
    mkdirSync(join(lab.folder, 'photos'));
    writeFileSync(join(lab.folder, 'photos/one.jpg'), 'x');
    symlinkSync(lab.home, join(lab.folder, 'link'));
    for (const name of ['photos', 'link', 'nothing'])
      await expect(removeModel(join(lab.folder, name))).rejects.toMatchObject({ code: 'model-files' });
    expect(() => modelHome(lab.folder, '../tiny')).toThrow('plain name');
    expect(existsSync(join(lab.folder, 'photos/one.jpg')) && lab.has(MODEL)).toBe(true);
  });

  it('is rejected while the model is being pulled', async () => {
    await using lab = await HubLab.start();
    lab.hub.fail(MODEL, { kind: 'hang', after: 10 });
    const controller = new AbortController();
    const running = lab.pull({ signal: controller.signal });
    // The lock comes first; what makes the folder a model's is there a moment later.
    while (!lab.has('.pulling') || !lab.has('.parts')) await new Promise((resolve) => setTimeout(resolve, 5));
    await expect(removeModel(lab.home)).rejects.toThrow('being fetched');
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
  });
});
