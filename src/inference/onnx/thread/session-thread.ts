import { parentPort, type Transferable, workerData } from 'node:worker_threads';
import { breathe } from '../../../util/breathe.ts';
import type { OnnxSession } from '../onnx-runtime.ts';
import { openSession } from '../onnx-session.ts';
import type { RunRequest, SessionReply, SessionRequest, SessionSettings } from './messages.ts';

/** Holds one session and runs requests one after another, the urgent ones first. */
const { graph, device } = workerData as SessionSettings;
const waiting: RunRequest[] = [];
let [isRunning, isClosing] = [false, false];

const session = await openSession(graph, device).catch((refusal: unknown) => post({ refusal }));
if (session) {
  post({ opened: { inputs: session.inputs, outputs: session.outputs } });
  parentPort!.on('message', (request: SessionRequest) => {
    if (request === 'close') isClosing = true;
    else enqueue(request);
    if (!isRunning) void runAll(session);
  });
}

function enqueue(request: RunRequest): void {
  const at = request.isUrgent ? waiting.findIndex(({ isUrgent }) => !isUrgent) : -1;
  waiting.splice(at === -1 ? waiting.length : at, 0, request);
}

async function runAll(session: OnnxSession): Promise<void> {
  isRunning = true;
  while (waiting.length > 0) {
    await run(session, waiting.shift()!);
    await breathe(); // receives what was posted during the run, which may be urgent
  }
  isRunning = false;
  if (!isClosing) return;
  await session.close();
  parentPort!.close();
}

async function run(session: OnnxSession, { number, feeds, output: name }: RunRequest): Promise<void> {
  try {
    const { data, dimensions } = await session.run(feeds, name);
    // The runtime's memory cannot be transferred, a copy can.
    const copy = data.slice();
    post({ number, output: { data: copy, dimensions } }, [copy.buffer]);
  } catch (failure) {
    post({ number, failure });
  }
}

function post(reply: SessionReply, transferred: readonly Transferable[] = []): undefined {
  parentPort!.postMessage(reply, transferred);
}
