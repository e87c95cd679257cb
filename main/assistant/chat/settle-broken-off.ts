import type { AppStore } from '../store/app-store.ts';

/**
 * After a crash: answers that were being written are stopped ones, and no run is kept but those that wait for a
 * decision.
 */
export async function settleBrokenOff({ messages, checkpoints, file }: AppStore): Promise<void> {
  for (const { id } of file.all("SELECT id FROM message WHERE state = 'streaming'"))
    messages.update(String(id), { state: 'stopped' });
  for (const { name } of file.all('SELECT name FROM checkpoint_thread')) {
    const message = messages.find(String(name));
    if (message?.remembered?.decision !== 'pending') await checkpoints.deleteThread(String(name));
  }
}
