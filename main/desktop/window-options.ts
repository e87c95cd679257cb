/** The page is untrusted: it has no Node.js, its own JavaScript world, and the system's sandbox. */
export const PAGE_PREFERENCES = Object.freeze({
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  webviewTag: false,
  navigateOnDragDrop: false,
  safeDialogs: true,
  spellcheck: true, // the session says whether it is on: see `spelling.ts`
});

/** The privileges of `app://`: as a secure web page; not more. */
export const APP_SCHEME = Object.freeze({
  scheme: 'app',
  privileges: Object.freeze({ standard: true, secure: true, supportFetchAPI: true, codeCache: true }),
});

/** Names of the messages between the page's preload script and the main process. */
export const CHANNELS = Object.freeze({
  toEngine: 'mnemis:to-engine',
  fromEngine: 'mnemis:from-engine',
  openWindow: 'mnemis:open-window',
});
