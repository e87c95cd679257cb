import { expect, it } from 'vitest';
import { asWriteError } from '../../src/store/kuzu/failures.ts';

it('names the setting to change when the buffer pool is full', () => {
  const full = new Error(
    'Buffer manager exception: Unable to allocate memory! The buffer pool is full and …',
  );
  expect(asWriteError('x.db', full)).toMatchObject({
    code: 'store-write',
    message: expect.stringContaining('bufferPoolMb'),
  });
});
