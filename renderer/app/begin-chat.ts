import { navigate } from 'wouter/use-hash-location';

/** Begins a new chat, and asks the question there if there is one. */
export function beginChat(_question: string, _isPrivate = false): void {
  navigate('/');
}
