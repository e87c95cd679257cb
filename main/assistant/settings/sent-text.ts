import { type Config, configuredProfileName } from '../../config.ts';
import type { Settings } from '../../contract.ts';
import { endpointAddress } from '../../language-model.ts';
import { findProfile } from '../../papers.ts';
import type { ToolServers } from '../tools/tool-servers.ts';

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

const ASKED = 'What its tools are asked with, when you permit it';

/** What servers of tools get. Whether a program sends it on, nobody knows but itself. */
export function sentToTools(tools: ToolServers): Settings['sends'] {
  return tools.used().map(({ name, server }) => {
    if (!('url' in server))
      return { to: name, what: `${ASKED}; the program may send it on`, isThisMachine: false };
    const { host, hostname } = new URL(server.url);
    return { to: host, what: `${ASKED} (${name})`, isThisMachine: LOOPBACK.test(hostname) };
  });
}
