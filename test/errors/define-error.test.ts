import { describe, expect, it } from 'vitest';
import * as errors from '../../src/errors/index.ts';
import { defineError } from '../../src/errors/mnemis-error.ts';

class FullError extends defineError('full', (path: string, cause?: unknown) => ({
  message: `${path} is full; nothing was stored. Free some space.`,
  cause,
  path,
})) {}

describe('defineError', () => {
  it('gives a class its code, message, cause and fields', () => {
    const cause = new TypeError('no');
    const error = new FullError('/disk', cause);
    expect(error).toBeInstanceOf(errors.MnemisError);
    expect(error).toMatchObject({ name: 'FullError', code: 'full', path: '/disk', cause });
    expect(error.message).toBe('/disk is full; nothing was stored. Free some space.');
    expect(FullError.code).toBe('full');
    expect('cause' in new FullError('/disk')).toBe(false);
    expect(error.stack).toContain('define-error.test.ts');
  });

  it('recognizes errors by their code, also those of another copy of the package', () => {
    const { isInstance } = FullError;
    expect(isInstance(new FullError('/disk'))).toBe(true);
    expect(isInstance(new errors.StoreClosedError())).toBe(false);
    expect(isInstance({ code: 'full' })).toBe(false);
    class OtherCopy extends defineError('full', () => ({ message: '' })) {}
    expect(isInstance(new OtherCopy())).toBe(true);
  });

  it('gives each class of the library a code of its own', () => {
    const codes = Object.values(errors).flatMap((each) => ('code' in each ? [each.code] : []));
    expect(codes.length).toBeGreaterThan(40);
    expect(new Set(codes).size).toBe(codes.length);
  });
});
