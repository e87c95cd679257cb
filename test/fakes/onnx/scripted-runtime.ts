import { loadOnnxRuntime } from '../../../src/inference/onnx/load-runtime.ts';
import type { Backend, Device, OnnxRuntime, OnnxSession } from '../../../src/inference/onnx/onnx-runtime.ts';

/** What a device does when a session is opened on it. */
export type Behaviour =
  | 'works'
  | 'throws'
  | 'miscalculates'
  | 'is slow'
  | 'fails in the first run'
  | 'kills'
  | 'aborts';

export interface ScriptedRuntime extends OnnxRuntime {
  /** Devices on which a session was opened, in order. */
  readonly opened: readonly Device[];
}

/** The real runtime, its processor in the guise of accelerators that behave as they are told. */
export async function scriptedRuntime(
  devices: Readonly<Partial<Record<Device, Behaviour>>>,
  version = '1.0.0',
): Promise<ScriptedRuntime> {
  const real = await loadOnnxRuntime();
  const opened: Device[] = [];
  const names = [...(Object.keys(devices) as Device[]), 'cpu' as const];
  return {
    version,
    backends: names.map((device): Backend => ({ device, installed: true })),
    opened,
    open: async (graph, device) => {
      opened.push(device);
      const behaviour = devices[device] ?? 'works';
      if (behaviour === 'kills') process.kill(process.pid, 'SIGKILL');
      if (behaviour === 'aborts') process.abort();
      if (behaviour === 'throws') throw new Error(`no adapter for ${device}`);
      const session = await real.open(graph, 'cpu');
      // Of sessions on the processor, those of accelerators are quicker at telling the time.
      return disguise(session, device, device === 'cpu' ? 'is slow' : behaviour);
    },
  };
}

function disguise(session: OnnxSession, device: Device, behaviour: Behaviour): OnnxSession {
  return {
    device,
    inputs: session.inputs,
    outputs: session.outputs,
    close: () => session.close(),
    run: async (feeds, output, options) => {
      if (behaviour === 'fails in the first run') throw new Error('device lost');
      if (behaviour === 'is slow') await new Promise((done) => setTimeout(done, device === 'cpu' ? 60 : 180));
      const result = await session.run(feeds, output, options);
      if (behaviour === 'miscalculates') result.data.fill(Number.NaN);
      return result;
    },
  };
}
