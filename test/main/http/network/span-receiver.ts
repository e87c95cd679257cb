import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Received {
  readonly path: string;
  readonly text: string;
}

/** Takes what an exporter of OpenTelemetry sends. */
export async function spanReceiver() {
  const received: Received[] = [];
  const http = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    received.push({ path: request.url ?? '', text });
    response.setHeader('content-type', 'application/json').end('{}');
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return { received, url, [Symbol.dispose]: () => void http.close() };
}
