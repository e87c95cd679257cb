/**
 * Receives messages that need no action by the caller, such as turns that wait because a model does not answer.
 * Messages never contain user text.
 */
export interface Logger {
  warn(message: string): void;
}
