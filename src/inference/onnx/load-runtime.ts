import type { OnnxRuntime } from './onnx-runtime.ts';
import { readBackends } from './onnx-session.ts';
import { ThreadSession } from './thread/thread-session.ts';

/**
 * The runtime of the optional package `onnxruntime-node`, each session in a thread of its own.
 *
 * @throws RuntimeMissingError, which says what to install.
 */
export async function loadOnnxRuntime(): Promise<OnnxRuntime> {
  return { ...(await readBackends()), open: ThreadSession.open };
}
