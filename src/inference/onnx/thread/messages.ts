import type { Device, Feeds, OnnxSession, SessionOutput } from '../onnx-runtime.ts';

/** What a session's thread starts with. */
export interface SessionSettings {
  readonly graph: string | Uint8Array;
  readonly device: Device;
}

export interface RunRequest {
  readonly number: number;
  readonly feeds: Feeds;
  readonly output: string;
  readonly isUrgent: boolean;
}

/** `close` ends the thread after the runs that wait. */
export type SessionRequest = RunRequest | 'close';

export type SessionReply =
  | { readonly opened: Pick<OnnxSession, 'inputs' | 'outputs'> }
  /** The session did not open; the thread ends. */
  | { readonly refusal: unknown }
  | { readonly number: number; readonly output: SessionOutput }
  | { readonly number: number; readonly failure: unknown };
