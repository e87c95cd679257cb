import { describe, expect, it } from 'vitest';
import { Staging } from '../../../../main/assistant/backup/staging.ts';
import { gate } from '../../../fixtures/gate.ts';

const code = (wanted: string) => expect.objectContaining({ code: wanted });

describe('Staging', () => {
  it('refuses previews while a restore waits for the end of the engine, also those in the queue', async () => {
    const staging = new Staging();
    const { opened: ended, open: end } = gate();
    let wait = () => {};
    const restored = staging.restore(async (waits) => {
      wait = waits;
      await ended;
    });
    let looked = 0;
    const look = async () => {
      looked += 1;
    };
    const stop = new AbortController();
    const left = staging.preview(look, stop.signal);
    const queued = staging.preview(look);
    stop.abort();
    await expect(left).rejects.toEqual(code('cancelled'));
    wait();
    await expect(queued).rejects.toEqual(code('invalid-input'));
    await expect(staging.preview(look)).rejects.toEqual(code('invalid-input'));
    end();
    await restored;
    expect(looked).toBe(0);
    await staging.preview(look);
    expect(looked).toBe(1);
  });
});
