import type { ContextMenuParams, MenuItemConstructorOptions } from 'electron';
import { webLink } from './link-check.ts';

interface ContextActions {
  readonly copyText: (text: string) => void;
  readonly replaceWord: (word: string) => void;
  readonly learnWord: (word: string) => void;
}

type Clicked = Pick<
  ContextMenuParams,
  'isEditable' | 'selectionText' | 'linkURL' | 'misspelledWord' | 'dictionarySuggestions' | 'editFlags'
>;

/** Electron shows none by itself. Empty where nothing can be done at the place of the click. */
export function contextMenu(clicked: Clicked, actions: ContextActions): MenuItemConstructorOptions[] {
  const { isEditable, selectionText, editFlags } = clicked;
  const hasSelection = selectionText.trim() !== '';
  const link = webLink(clicked.linkURL);
  const groups: MenuItemConstructorOptions[][] = [
    spellingItems(clicked, actions),
    link === null ? [] : [{ label: 'Copy link', click: () => actions.copyText(link) }],
    isEditable
      ? [
          { role: 'undo', enabled: editFlags.canUndo },
          { role: 'redo', enabled: editFlags.canRedo },
        ]
      : [],
    [
      ...(isEditable ? [{ role: 'cut', enabled: editFlags.canCut } as const] : []),
      ...(isEditable || hasSelection ? [{ role: 'copy', enabled: editFlags.canCopy } as const] : []),
      ...(isEditable ? [{ role: 'paste', enabled: editFlags.canPaste } as const] : []),
      ...(isEditable || hasSelection ? [{ role: 'selectAll' } as const] : []),
    ],
  ];
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group, at) => (at === 0 ? group : [{ type: 'separator' } as const, ...group]));
}

function spellingItems(
  { misspelledWord, dictionarySuggestions }: Clicked,
  { replaceWord, learnWord }: ContextActions,
): MenuItemConstructorOptions[] {
  if (misspelledWord === '') return [];
  return [
    ...dictionarySuggestions.map((word) => ({ label: word, click: () => replaceWord(word) })),
    { label: 'Add to dictionary', click: () => learnWord(misspelledWord) },
  ];
}
