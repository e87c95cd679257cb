import { MnemisError } from './mnemis-error.ts';

/** The optional ONNX runtime is not installed, or its native library does not load here. */
export class RuntimeMissingError extends MnemisError {
  static readonly code = 'runtime-missing';

  constructor(reason: string, cause?: unknown) {
    super({
      code: RuntimeMissingError.code,
      message: `ONNX models need the package onnxruntime-node, which is not usable here (${reason}). Everything else works without it. Install it (288 MB) with: npm install onnxruntime-node --ignore-scripts (and -g where mnemis itself was installed so); its install script would only fetch CUDA's libraries, which docs/models.md tells how to add`,
      cause,
    });
  }

  static override isInstance(value: unknown): value is RuntimeMissingError {
    return MnemisError.isInstance(value) && value.code === RuntimeMissingError.code;
  }
}
