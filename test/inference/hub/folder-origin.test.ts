import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FolderOrigin } from '../../../src/inference/hub/folder-origin.ts';
import type { PullProgress } from '../../../src/inference/hub/pull-model.ts';
import { COMMIT } from '../../fakes/hub-server.ts';
import { HubLab, SOURCE, TOKENIZER, WEIGHTS } from './hub-lab.ts';

const MODEL = 'onnx/model.onnx';

/** A lab whose model was pulled and then moved to `carried`. */
async function carriedLab(): Promise<{ lab: HubLab; carried: string; home: string }> {
  const lab = await HubLab.start();
  await lab.pull();
  const carried = join(lab.folder, 'carried');
  mkdirSync(carried);
  renameSync(lab.home, join(carried, SOURCE.name));
  lab.hub.requests.length = 0;
  return { lab, carried, home: join(carried, SOURCE.name) };
}

describe('a folder as the source of models', () => {
  it('provides a model pulled on another machine, verified, offline', async () => {
    const { lab, carried } = await carriedLab();
    await using _ = lab;
    const manifest = await lab.pull({ origin: new FolderOrigin(SOURCE, carried) });
    expect(manifest.commit).toBe(COMMIT);
    expect(lab.read(MODEL).equals(WEIGHTS)).toBe(true);
    expect(lab.files()).toEqual(['mnemis-model.json', MODEL, 'tokenizer.json']);
    expect(lab.hub.requests).toEqual([]);
  });

  it('provides a plain clone, under its own name', async () => {
    const { lab, carried, home } = await carriedLab();
    await using _ = lab;
    rmSync(join(home, 'mnemis-model.json'));
    mkdirSync(join(carried, 'owner'));
    renameSync(home, join(carried, 'owner/model'));
    const manifest = await lab.pull({ origin: new FolderOrigin(SOURCE, carried) });
    expect(manifest).toMatchObject({ commit: null, files: [{ bytes: TOKENIZER.length }, {}] });
    expect(lab.read(MODEL).equals(WEIGHTS)).toBe(true);
  });

  it('may be the models folder itself', async () => {
    const { lab, home } = await carriedLab();
    await using _ = lab;
    mkdirSync(join(lab.folder, 'owner'));
    renameSync(home, join(lab.folder, 'owner/model'));
    await lab.pull({ origin: new FolderOrigin(SOURCE, lab.folder) });
    expect(lab.read(MODEL).equals(WEIGHTS)).toBe(true);
  });

  it('is rejected if a file does not match its manifest', async () => {
    const { lab, carried, home } = await carriedLab();
    await using _ = lab;
    writeFileSync(join(home, 'tokenizer.json'), TOKENIZER.replace('a', 'b'));
    await expect(lab.pull({ origin: new FolderOrigin(SOURCE, carried) })).rejects.toMatchObject({
      code: 'model-corrupt',
    });
    writeFileSync(join(home, 'tokenizer.json'), TOKENIZER.slice(1));
    const origin = new FolderOrigin(SOURCE, carried);
    await expect(lab.pull({ origin })).rejects.toMatchObject({ code: 'hub-unavailable' });
  });

  it('reports which file is missing', async () => {
    const { lab, carried, home } = await carriedLab();
    await using _ = lab;
    rmSync(join(home, MODEL));
    const origin = new FolderOrigin(SOURCE, carried);
    const reading = lab.pull({ origin });
    await expect(reading).rejects.toMatchObject({
      code: 'hub-refusal',
      message: expect.stringContaining('onnx/model.onnx is not there'),
    });
  });

  it('never appends one copy to the partial file of another without a checksum', async () => {
    const { lab, carried, home } = await carriedLab();
    await using _ = lab;
    rmSync(join(home, 'mnemis-model.json'));
    const controller = new AbortController();
    const onProgress = ({ file, fileDone }: PullProgress) => {
      if (file === MODEL && fileDone > 0) controller.abort();
    };
    const broken = { signal: controller.signal, onProgress };
    await expect(lab.pull({ origin: new FolderOrigin(SOURCE, carried), ...broken })).rejects.toMatchObject({
      code: 'cancelled',
    });
    const other = Buffer.from(WEIGHTS).reverse();
    writeFileSync(join(home, MODEL), other);
    await lab.pull({ origin: new FolderOrigin(SOURCE, carried) });
    expect(lab.read(MODEL).equals(other)).toBe(true);
    expect(lab.files()).toEqual(['mnemis-model.json', MODEL, 'tokenizer.json']);
  });

  it('follows links, as in a cache of the hub', async () => {
    const { lab, carried, home } = await carriedLab();
    await using _ = lab;
    renameSync(join(home, MODEL), join(carried, 'blob'));
    symlinkSync(join(carried, 'blob'), join(home, MODEL));
    await lab.pull({ origin: new FolderOrigin(SOURCE, carried) });
    expect(lab.read(MODEL).equals(WEIGHTS)).toBe(true);
  });
});
