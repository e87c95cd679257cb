import { fileHolder } from '../../../src/edit/proof/file-holder.ts';
import type { TextHolder } from '../../../src/edit/proof/text-holder.ts';
import type { AppStore } from '../store/app-store.ts';

/** Files that clients sent hold text of users until their job has ended or a day has passed. */
export function uploadsTextHolder({ uploads }: Pick<AppStore, 'uploads'>): TextHolder {
  return { ...fileHolder(() => [uploads]), name: 'uploads' };
}
