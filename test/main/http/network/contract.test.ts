import { httpClient } from '../../../../main/client/http-client.ts';
import { contract, type MemoryClient, type MethodName } from '../../../../main/contract.ts';
import { ruleOf } from '../../../../main/http/network/method-rules.ts';
import { memoryClientContract } from '../../../contract/memory-client.ts';
import { ServeLab } from './serve-lab.ts';

/** By the network where it is offered as it is, else in this process. */
const isSame = (name: MethodName) => !['not-served', 'server'].includes(ruleOf(name));

memoryClientContract('a client of the network', async () => {
  const lab = await ServeLab.open({ limits: { requestsPerMinute: 1_000_000, requestsOfToken: 200 } });
  const token = await lab.token({ scopes: ['*'] });
  const remote = httpClient({ port: lab.server.port, token });
  const names = (Object.keys(contract) as MethodName[]).filter(isSame);
  const client: MemoryClient = {
    ...lab.client,
    ...(Object.fromEntries(names.map((name) => [name, remote[name]])) as unknown as Partial<MemoryClient>),
  };
  return { client, end: () => lab[Symbol.asyncDispose]() };
});
