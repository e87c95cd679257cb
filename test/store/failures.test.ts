import { expect, it } from 'vitest';
import { asWriteError } from '../../src/store/kuzu/failures.ts';

it('names the setting that a full buffer pool asks for', () => {
  const full = new Error(
    'Buffer manager exception: Unable to allocate memory! The buffer pool is full and …',
  );
  expect(asWriteError('x.db', full)).toMatchObject({
    code: 'store-write',
    message: expect.stringContaining('bufferPoolMb'),
  });
});
