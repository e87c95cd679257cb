import {
  type OpenedReranker,
  type OpenRerankerOptions,
  openReranker,
} from '../src/inference/models/open-models.ts';
import type { Config } from './config.ts';
import { llamaRuntime } from './llama-runtime.ts';

/**
 * Opens the reranker of the settings; undefined if there is none: results then keep the order of the fusion.
 *
 * @param environment - May name another package that runs chat models.
 * @throws as `openReranker`.
 */
export async function configuredReranker(
  { reranker: name, modelsFolder, device, llmProvider, llmContextTokens }: Config,
  environment: Readonly<Record<string, string | undefined>>,
  options: Pick<OpenRerankerOptions, 'logger' | 'signal'> = {},
): Promise<OpenedReranker | undefined> {
  if (name === 'none') return undefined;
  return openReranker({
    name,
    modelsFolder,
    device,
    // The same as of the language model, so that both share a process if they are one model.
    contextTokens: llmProvider === 'local' ? llmContextTokens : undefined,
    runtime: llamaRuntime(environment),
    ...options,
  });
}
