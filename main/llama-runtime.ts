/** The environment's variable with another package in place of `node-llama-cpp`: an import name, or a module's path. */
export const LLAMA_RUNTIME_VARIABLE = 'MNEMIS_LLAMA_RUNTIME';

/** Undefined for the usual one. From the environment alone, because it names a program. */
export function llamaRuntime(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  return environment[LLAMA_RUNTIME_VARIABLE]?.trim() || undefined;
}
