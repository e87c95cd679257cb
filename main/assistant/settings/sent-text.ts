import { OLLAMA_BASE_URL } from '../../../src/inference/language-model/backends/ollama.ts';
import { OPENAI_BASE_URL } from '../../../src/inference/language-model/backends/openai.ts';
import { type Config, configuredProfileName } from '../../config.ts';
import type { Settings } from '../../contract.ts';
import { findProfile } from '../../papers.ts';

const ADDRESSES: Partial<Record<Config['llmProvider'], string>> = {
  openai: OPENAI_BASE_URL,
  ollama: OLLAMA_BASE_URL,
};

/** The address that requests to a provider go to; undefined if it has no default and none is set. */
export const endpointAddress = (provider: Config['llmProvider'], baseUrl: string | undefined) =>
  baseUrl ?? ADDRESSES[provider];

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

export async function sentText(config: Config): Promise<Settings['sends']> {
  if (config.llmProvider === 'none') return [];
  const address = endpointAddress(config.llmProvider, config.llmBaseUrl);
  if (address === undefined || !URL.canParse(address)) return [];
  const { tier } = await findProfile(configuredProfileName(config));
  const asked =
    'Your questions, the earlier messages of their conversation, and the turns and facts found for them';
  const what =
    tier === 'llm' ? `${asked}; all turns and names of entities as they are read for facts` : asked;
  const { host, hostname } = new URL(address);
  return [{ to: host, what, isThisMachine: LOOPBACK.test(hostname) }];
}
