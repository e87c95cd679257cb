import { beforeEach, describe, expect, it } from 'vitest';
import type { MemoryClient } from '../../../main/contract.ts';
import { useUploads } from '../../../renderer/imports/upload-store.ts';

/** A connection that never finishes sending. */
const client = { deleteUpload: async () => ({}) } as unknown as MemoryClient;
const names = () => useUploads.getState().files.map(({ name, isWanted }) => [name, isWanted]);

describe('files that wait to be imported', () => {
  beforeEach(() => useUploads.setState({ files: [] }));

  it('are all wanted at once, each until its import has begun; a file that comes later is not', () => {
    const { add, wantAll, unwant } = useUploads.getState();
    add(client, [new File(['a'], 'a.txt'), new File(['b'], 'b.txt')]);
    expect(names()).toEqual([
      ['a.txt', false],
      ['b.txt', false],
    ]);
    wantAll();
    expect(names()).toEqual([
      ['a.txt', true],
      ['b.txt', true],
    ]);
    unwant(useUploads.getState().files[0]!.id);
    add(client, [new File(['c'], 'c.txt')]);
    expect(names()).toEqual([
      ['a.txt', false],
      ['b.txt', true],
      ['c.txt', false],
    ]);
  });
});
