import { deviceLogIn } from '../../../src/engine/models/open-models.ts';
import { RuntimeMissingError } from '../../../src/errors/index.ts';
import type { Config } from '../../config.ts';
import type { Terminal } from '../console.ts';
import type { Finding } from './finding.ts';
import type { Measurement, ProbeRequest } from './probe-protocol.ts';
import { type ProbeResult, runProbe } from './run-probe.ts';

/** Each probe that dies names one more device in the log, which the next leaves out. */
const MOST_PROBES = 6;

type Probe = (request: ProbeRequest) => Promise<ProbeResult>;

/**
 * What each accelerator of this machine is worth. One that fails is no defect, because models then run on the
 * processor, unless it is the one that was asked for.
 */
export async function deviceFindings(
  { modelsFolder, device }: Config,
  { terminal, probe = (request) => runProbe(request, { terminal }) }: { terminal: Terminal; probe?: Probe },
): Promise<Finding[]> {
  const result = await measure(modelsFolder, probe);
  if (result.answer === 'devices')
    return result.measurements.map((measurement) => describe(measurement, device, modelsFolder));
  const asked = device !== 'auto' && device !== 'cpu';
  if (result.answer === 'error' && result.code === RuntimeMissingError.code)
    return [{ name: 'devices', ok: !asked, detail: result.message }];
  const how = result.answer === 'none' ? result.how : 'the probe failed';
  return [{ name: 'devices', ok: false, detail: `could not be measured: ${how}` }];
}

async function measure(modelsFolder: string, probe: Probe): Promise<ProbeResult> {
  let result: ProbeResult = { answer: 'none', how: 'it was not tried' };
  for (let attempt = 0; result.answer === 'none' && attempt < MOST_PROBES; attempt += 1)
    result = await probe({ ask: 'devices', modelsFolder });
  return result;
}

function describe(measurement: Measurement, asked: string, modelsFolder: string): Finding {
  const { device, state } = measurement;
  const ok = state === 'works' || device !== asked;
  return { name: `device ${device}`, ok, detail: detailOf(measurement, modelsFolder) };
}

function detailOf(measurement: Measurement, modelsFolder: string): string {
  switch (measurement.state) {
    case 'works':
      return `starts in ${measurement.startMs.toFixed(0)} ms, ${measurement.gigaflops.toFixed(1)} gigaflops in float32`;
    case 'failed':
      return `does not start: ${measurement.reason}`;
    case 'not-installed':
      return 'its libraries are not installed';
    case 'crashed-before':
      return `left out, for it ended its process when it was tried; to try again, delete ${deviceLogIn(modelsFolder)}`;
  }
}
