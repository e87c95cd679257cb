import { createRequire } from 'node:module';

/** The file that this code is in. In a bundle of CommonJS there is no `import.meta.url`. */
export const HERE: string = import.meta.url ?? __filename;

/** Loads packages from where this code is. */
export const requireHere = createRequire(HERE);

/**
 * Imports a package that bundlers must leave alone: one that may not be installed, or that has files of its own. In the
 * library, `scripts/build.ts` puts this in place of `import('package')`.
 */
// biome-ignore lint/suspicious/noExplicitAny: the import that it stands for has the type.
export function importHere(name: string): Promise<any> {
  return import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ name);
}
