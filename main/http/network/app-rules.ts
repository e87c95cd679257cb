import type { ScopesOfApp } from '../../assistant/app-handlers.ts';
import { preferencesSchema } from '../../contract/settings.ts';
import { contract, type InputOf, type MethodName, type OutputOf, type Settings } from '../../contract.ts';
import { refusals } from '../refusals.ts';
import { covers, type Grant } from './grant.ts';
import { ruleOf } from './method-rules.ts';

/** Who asks for a thing of the app, and the scopes of these. */
export interface Asking {
  readonly grant: Grant;
  readonly scopes: ScopesOfApp;
}

/** How a method of the assistant is offered to the app on other devices. */
interface AppRule {
  /** The input with which it is carried out. @throws RefusalError */
  readonly admit?: (input: never, asking: Asking) => object;
  /** What the device sees of a reply, or of an event; null: nothing. */
  readonly show?: (given: never, asking: Asking) => object | null;
}

const ofConversation: AppRule = {
  admit: (input: { conversation: string }, asking) => inConversation(input, asking),
};
const ofMessage: AppRule = {
  admit: (input: InputOf<'why'>, asking) => within(input, asking.scopes.ofMessage(input.message), asking),
};
const inScope: AppRule = { admit: (input: { scope: string }, asking) => within(input, input.scope, asking) };

/**
 * What the app needs to chat, to search and to show sources; all else of the assistant is not served: settings, keys,
 * tools, uploads, jobs and backups are those of the whole memory. A method without a rule is not served.
 */
const APP_RULES: { readonly [Name in MethodName]?: AppRule } = {
  conversations: {
    admit: (input: InputOf<'conversations'>, { grant }) => ({ ...input, scopes: [...grant.scopes] }),
  },
  conversation: {
    admit: (input: InputOf<'conversation'>, asking) =>
      'session' in input ? within(input, input.scope, asking) : inConversation(input, asking),
  },
  imported: inScope,
  image: inScope,
  find: {
    admit: (input: InputOf<'find'>, asking) => inUsual(input, asking),
  },
  folders: {
    show: ({ items }: OutputOf<'folders'>, { grant }) => ({
      items: items.filter(({ scope }) => covers(grant, scope)),
    }),
  },
  saveConversation: { admit: savedConversation },
  deleteConversation: ofConversation,
  exportConversation: ofConversation,
  stopAnswer: ofConversation,
  decide: ofMessage,
  why: ofMessage,
  chat: {
    admit: ({ attachments, captions, ...input }: InputOf<'chat'>, asking) => {
      if (attachments !== undefined || captions !== undefined) throw refusals.access();
      const isNew = asking.scopes.ofConversation(input.conversation) === undefined;
      return answered(isNew ? inUsual(input, asking) : inConversation(input, asking), asking);
    },
  },
  regenerate: {
    admit: (input: InputOf<'regenerate'>, asking) => answered(inConversation(input, asking), asking),
  },
  settings: { show: settingsFor },
  appEvents: {
    show: (event: OutputOf<'appEvents'>, { grant, scopes }) => {
      if (event.type === 'engine') return { ...event, pid: 0 };
      if (event.type === 'folders' || event.type === 'settings') return event;
      const scope = 'conversation' in event ? scopes.ofConversation(event.conversation) : undefined;
      const known = event.type === 'reading' ? event.scope : scope;
      return known !== undefined && covers(grant, known) ? event : null;
    },
  },
};

export const isOfApp = (name: MethodName): boolean => Object.hasOwn(APP_RULES, name);

/** The input of a method of the app as it is carried out; it was checked against the contract. @throws RefusalError */
export function admitted(name: MethodName, input: unknown, asking: Asking): unknown {
  return isOfApp(name) ? (APP_RULES[name]?.admit?.(input as never, asking) ?? input) : input;
}

/** A reply or an event of a method of the app, as the device sees it; null: not at all. */
export function shownToApp(name: MethodName, given: unknown, asking: Asking): unknown {
  const show = isOfApp(name) ? APP_RULES[name]?.show : undefined;
  return show === undefined ? given : show(given as never, asking);
}

/** What does not exist is refused in the same words as what the token does not cover. */
function within<Input>(input: Input, scope: string | undefined, { grant }: Asking): Input {
  if (scope === undefined || !covers(grant, scope)) throw refusals.scope();
  return input;
}

const inConversation = <Input extends { readonly conversation: string }>(
  input: Input,
  asking: Asking,
): Input => within(input, asking.scopes.ofConversation(input.conversation), asking);

/** In the scope that the input names, else in that of new chats. */
function inUsual<Input extends { readonly scope?: string | undefined }>(input: Input, asking: Asking) {
  const scope = input.scope ?? usualScope(asking);
  return { ...within(input, scope, asking), scope };
}

function savedConversation(input: InputOf<'saveConversation'>, asking: Asking) {
  const { scopes } = asking;
  const known = scopes.ofConversation(input.conversation);
  if (known !== undefined) within(input, known, asking);
  if (input.scope !== undefined) within(input, input.scope, asking);
  if (input.folder != null) within(input, scopes.ofFolder(input.folder), asking);
  return known === undefined && input.folder == null ? inUsual(input, asking) : input;
}

/** Another model may cost more, tools of servers act for whoever set them up, and only their name is in the settings. */
function answered(input: Pick<InputOf<'regenerate'>, 'model'>, { grant, scopes }: Asking) {
  if (input.model !== undefined) throw refusals.access();
  return { ...input, tools: 'memory', ...(!covers(grant, scopes.usual) && { speaker: '' }) };
}

/** That of new chats where the token covers it, else the first that it names; undefined if it names none. */
function usualScope({ grant, scopes }: Asking): string | undefined {
  return covers(grant, scopes.usual)
    ? scopes.usual
    : grant.scopes.find((pattern) => !pattern.endsWith('*') && covers(grant, pattern));
}

/** Those that a token may call where the app is served. */
function methodsOf({ access }: Grant): MethodName[] {
  return (Object.keys(contract) as MethodName[])
    .filter((name) => ruleOf(name) !== 'not-served' || isOfApp(name))
    .filter((name) => contract[name].effect === 'reads' || access === 'write');
}

/** Nothing of the machine, of models and of keys; of preferences what the page looks like and greets with. */
function settingsFor({ preferences }: Settings, asking: Asking): Settings {
  const { grant, scopes } = asking;
  const value = usualScope(asking);
  if (value === undefined) throw refusals.scope();
  const { theme, send, reminds, confirm, isPrivate, name } = preferences;
  return {
    settings: { scope: { value, source: 'default', description: '' } },
    preferences: preferencesSchema.parse({
      ...{ theme, send, reminds, confirm, isPrivate, isWelcomed: true },
      name: covers(grant, scopes.usual) ? name : '',
    }),
    fields: {},
    file: '',
    key: { storage: 'file', file: '', variable: '', isInEnvironment: false, isSet: false, stored: {} },
    folders: { memory: '', models: '', data: '' },
    bytes: 0,
    sends: [],
    remote: { methods: methodsOf(grant) },
  };
}
