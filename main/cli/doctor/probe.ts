/** The process that `run-probe.ts` starts: executes one request and prints the answer as JSON. */

import { MnemisError } from '../../../src/errors/index.ts';
import { verifyMemory } from '../../../src/files/backup/verify.ts';
import { measureDevices } from '../../../src/inference/models/measure-devices.ts';
import { deviceLogIn, openEmbedder } from '../../../src/inference/models/open-models.ts';
import { configSchema } from '../../config.ts';
import { type ProbeAnswer, type ProbeRequest, probeRequest } from './run-probe.ts';

const TEXTS = 32;
/** About the length of a typical turn. */
const TEXT =
  'I moved to Ghent last week, near the canal, and my sister adopted a grey whippet from the shelter.';

async function answerTo(request: ProbeRequest): Promise<ProbeAnswer> {
  if (request.ask === 'embedder') return probeEmbedder(request);
  if (request.ask === 'memory') {
    await verifyMemory(request.path); // reads all of it, whatever it finds
    return { answer: 'memory' };
  }
  const measurements = await measureDevices({ deviceLog: deviceLogIn(request.modelsFolder) });
  return { answer: 'devices', measurements: [...measurements] };
}

async function probeEmbedder(request: ProbeRequest & { ask: 'embedder' }): Promise<ProbeAnswer> {
  const warnings: string[] = [];
  const device = configSchema.shape.device.parse(request.device);
  const logger = { warn: (message: string) => void warnings.push(message) };
  await using embedder = await openEmbedder({ ...request, device, logger });
  const texts = Array.from({ length: TEXTS }, (_, index) => `${index}: ${TEXT}`);
  await embedder.embed(texts.slice(0, 2), { as: 'passage' });
  const started = performance.now();
  await embedder.embed(texts, { as: 'passage' });
  const textsPerSecond = (1000 * TEXTS) / (performance.now() - started);
  return { answer: 'embedder', device: embedder.device, ...embedder.fingerprint, textsPerSecond, warnings };
}

try {
  const answer = await answerTo(probeRequest.parse(JSON.parse(process.argv[2] ?? '')));
  process.stdout.write(JSON.stringify(answer));
} catch (error) {
  const known = MnemisError.isInstance(error);
  const { code, message } = known ? error : { code: 'internal', message: 'it failed for an unknown reason' };
  process.stdout.write(JSON.stringify({ answer: 'error', code, message } satisfies ProbeAnswer));
}
