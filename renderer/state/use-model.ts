import type { InputOf } from '../../main/contract.ts';
import { useReply } from './connection.tsx';

export type Provider = InputOf<'endpointModels'>['provider'];
const PROVIDERS: readonly unknown[] = ['openai', 'openai-compatible', 'ollama', 'local'] satisfies Provider[];

/** The configured language model; null if there is none. */
export function useModel(): {
  readonly provider: Provider;
  readonly name: string;
  readonly baseUrl?: string;
} | null {
  const { data } = useReply('settings', {});
  const provider = data?.settings.llmProvider?.value;
  if (!PROVIDERS.includes(provider)) return null;
  const name = data?.settings.llmModel?.value;
  const baseUrl = data?.settings.llmBaseUrl?.value;
  return {
    provider: provider as Provider,
    name: typeof name === 'string' && name !== '' ? name : String(provider),
    ...(typeof baseUrl === 'string' && baseUrl !== '' && { baseUrl }),
  };
}
