import type { MethodName } from '../../contract.ts';

/**
 * How a method is offered over the network. `in-scope`: it works on the scope that its input names, and only for a
 * token that covers it. `scopes`: it lists scopes, and the list is cut to what the token covers. `server`: it says what
 * runs, without its place. `open`: it has nothing of a memory. `not-served`: it works on the whole memory, on files of
 * this machine, or on the assistant of one person.
 */
export type MethodRule = 'in-scope' | 'scopes' | 'server' | 'open' | 'not-served';

/** The rule of each method. A method without one does not compile, and a test walks them all. */
const METHOD_RULES: Readonly<Record<MethodName, MethodRule>> = {
  health: 'server',
  scopes: 'scopes',
  recipes: 'open',

  stats: 'in-scope',
  add: 'in-scope',
  addFacts: 'in-scope',
  preview: 'in-scope',
  flush: 'in-scope',
  search: 'in-scope',
  ask: 'in-scope',
  tree: 'in-scope',
  hierarchy: 'in-scope',
  updateHierarchy: 'in-scope',
  rebuildHierarchy: 'in-scope',
  refreshSummaries: 'in-scope',
  entity: 'in-scope',
  episodes: 'in-scope',
  fact: 'in-scope',
  import: 'in-scope',
  export: 'in-scope',
  resume: 'in-scope',
  changes: 'in-scope',
  previewForget: 'in-scope',
  forget: 'in-scope',
  deleteScope: 'in-scope',
  maintain: 'in-scope',
  correct: 'in-scope',
  corrections: 'in-scope',
  uncertain: 'in-scope',
  facts: 'in-scope',
  turns: 'in-scope',
  names: 'in-scope',
  entities: 'in-scope',
  graph: 'in-scope',
  entityPage: 'in-scope',
  categoryPage: 'in-scope',
  timeline: 'in-scope',
  supersessions: 'in-scope',
  learned: 'in-scope',
  portrait: 'in-scope',
  session: 'in-scope',
  recentChanges: 'in-scope',
  review: 'in-scope',
  reviewItems: 'in-scope',

  // The whole memory, or its process.
  compact: 'not-served',
  verify: 'not-served',
  backup: 'not-served',
  shutdown: 'not-served',
  backups: 'not-served',
  startBackup: 'not-served',
  verifyBackup: 'not-served',
  deleteBackup: 'not-served',
  previewRestore: 'not-served',
  startRestore: 'not-served',
  startArchive: 'not-served',

  // The assistant, which keeps its conversations, uploads, jobs and settings in a file of one machine.
  conversations: 'not-served',
  conversation: 'not-served',
  searchConversations: 'not-served',
  saveConversation: 'not-served',
  deleteConversation: 'not-served',
  folders: 'not-served',
  saveFolder: 'not-served',
  deleteFolder: 'not-served',
  chat: 'not-served',
  regenerate: 'not-served',
  decide: 'not-served',
  why: 'not-served',
  dismissReview: 'not-served',
  beginUpload: 'not-served',
  uploadPart: 'not-served',
  deleteUpload: 'not-served',
  previewUpload: 'not-served',
  sample: 'not-served',
  importFormats: 'not-served',
  startImport: 'not-served',
  startPull: 'not-served',
  startMove: 'not-served',
  jobs: 'not-served',
  followJob: 'not-served',
  controlJob: 'not-served',
  settings: 'not-served',
  saveSettings: 'not-served',
  saveKey: 'not-served',
  endpointModels: 'not-served',
  testModel: 'not-served',
  embedders: 'not-served',
  verifyEmbedder: 'not-served',
  removeEmbedder: 'not-served',
  usage: 'not-served',
  usageItems: 'not-served',
  appEvents: 'not-served',
};

/** What has no rule is not served. */
export function ruleOf(name: string): MethodRule {
  return Object.hasOwn(METHOD_RULES, name) ? METHOD_RULES[name as MethodName] : 'not-served';
}
