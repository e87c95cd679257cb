import { imports } from './english-imports.ts';
import { settings } from './english-settings.ts';
import { welcome } from './english-welcome.ts';

/** Every text that the app shows, in one place. A text with parts is a function of them. */
export const english = {
  app: {
    name: 'Mnemis',
    reconnecting: 'The memory engine stopped. Starting it again…',
    reconnected: 'The memory engine was started again. Nothing that was acknowledged is lost.',
    locked: {
      title: 'This page has no access yet',
      text: 'Open it with the link that “mnemis app” prints in the terminal. The link works once, for a minute; run the command again for a new one.',
    },
    skipToContent: 'Skip to the conversation',
    problem: 'That did not work',
    retry: 'Try again',
    close: 'Close',
    cancel: 'Cancel',
    save: 'Save',
    saved: 'Saved',
    undo: 'Undo',
    delete: 'Delete',
    loading: 'Loading',
    more: 'More',
  },
  side: {
    label: 'Conversations',
    open: 'Show the sidebar',
    close: 'Hide the sidebar',
    newChat: 'New chat',
    search: 'Search',
    memory: 'Memory',
    import: 'Import',
    settings: 'Settings',
    pinned: 'Pinned',
    today: 'Today',
    yesterday: 'Yesterday',
    week: 'Last 7 days',
    month: 'Last 30 days',
    older: 'Older',
    empty: 'Your conversations appear here.',
    project: 'Project',
    projects: 'Projects',
    newProject: 'New project',
    noProject: 'No project',
    actions: (title: string) => `Actions for ${title}`,
    pin: 'Pin',
    unpin: 'Unpin',
    rename: 'Rename',
    move: 'Move to project',
    openWindow: 'Open in a new window',
    jobs: (running: number) => (running === 1 ? '1 job running' : `${running} jobs running`),
    reading: (pending: number) => (pending === 1 ? 'Reading 1 turn' : `Reading ${pending} turns`),
  },
  deleting: {
    title: 'Delete this conversation?',
    text: 'Memory can keep what it learned from it, or forget that too. Neither can be undone.',
    keep: 'Delete, keep the memory',
    forget: 'Delete and forget',
    forgetting: 'Forgetting…',
    done: (forgotten: number) =>
      forgotten === 0
        ? 'Deleted. Memory keeps what it learned.'
        : `Deleted. Memory forgot ${forgotten === 1 ? '1 turn' : `${forgotten} turns`} and what rested on them.`,
  },
  projectDialog: {
    title: 'New project',
    text: 'The conversations of a project share a memory of their own. Nothing in it is seen outside the project.',
    name: 'Name',
    create: 'Create project',
    rename: 'Rename project',
    remove: 'Remove project',
    removeText: 'Its conversations stay, with the memory that they have.',
  },
  imports,
  settings,
  welcome,
  inspector: {
    why: 'Why this answer',
    source: 'Source',
    learned: 'Remembered',
  },
} as const;
