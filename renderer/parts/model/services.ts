import type { Settings } from '../../../main/contract.ts';
import type { Provider } from '../../state/use-model.ts';
import { text } from '../../strings/text.ts';

interface Service {
  readonly provider: Provider | 'none';
  /** Of the server, as the form begins with it; empty where a person types it, or where there is no server. */
  readonly address: string;
  /** `needed`: nothing is asked without a key. `possible`: some servers want one. */
  readonly key: 'needed' | 'possible' | 'none';
}

const cloud = (address: string): Service => ({ provider: 'openai-compatible', address, key: 'needed' });

/** Who can write answers, in the order in which they are offered. */
export const SERVICES = {
  none: { provider: 'none', address: '', key: 'none' },
  local: { provider: 'local', address: '', key: 'none' },
  ollama: { provider: 'ollama', address: 'http://localhost:11434', key: 'none' },
  lmStudio: { provider: 'openai-compatible', address: 'http://localhost:1234/v1', key: 'none' },
  llamaCpp: { provider: 'openai-compatible', address: 'http://localhost:8080/v1', key: 'none' },
  openai: { provider: 'openai', address: 'https://api.openai.com/v1', key: 'needed' },
  anthropic: cloud('https://api.anthropic.com/v1'),
  gemini: cloud('https://generativelanguage.googleapis.com/v1beta/openai'),
  openRouter: cloud('https://openrouter.ai/api/v1'),
  mistral: cloud('https://api.mistral.ai/v1'),
  groq: cloud('https://api.groq.com/openai/v1'),
  deepSeek: cloud('https://api.deepseek.com/v1'),
  compatible: { provider: 'openai-compatible', address: '', key: 'possible' },
} as const satisfies Record<string, Service>;

export type ServiceName = keyof typeof SERVICES;
export const SERVICE_NAMES = Object.keys(SERVICES) as ServiceName[];

/** The service of an endpoint. */
export function serviceOf(provider: Provider | 'none', baseUrl: string): ServiceName {
  const named = SERVICE_NAMES.filter((name) => SERVICES[name].provider === provider);
  if (provider !== 'openai-compatible') return named[0] ?? 'none';
  return named.find((name) => originOf(SERVICES[name].address) === originOf(baseUrl)) ?? 'compatible';
}

/** What a sentence calls it. */
export function nameOf(service: ServiceName, address: string): string {
  if (service === 'compatible') return text.settings.model.serverAt(address);
  return text.settings.model.services[service].label;
}

/** Null where the text is no address. `localhost` and 127.0.0.1 are one. */
export function originOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  return new URL(address).origin.replace('//127.0.0.1', '//localhost');
}

/** The end of the key that is stored for an address; empty of a short one, undefined without one. */
export const storedKeyOf = ({ stored }: Settings['key'], address: string): string | undefined =>
  URL.canParse(address) ? stored[new URL(address).origin] : undefined;
