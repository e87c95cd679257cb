export * from './input-errors.ts';
export * from './language-model-errors.ts';
export { MnemisError, type MnemisErrorOptions } from './mnemis-error.ts';
export * from './model-file-errors.ts';
export * from './store-errors.ts';
