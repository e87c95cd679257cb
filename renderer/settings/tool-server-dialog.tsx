import { useState } from 'react';
import type { ToolServer, ToolServerInput } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Segments } from '../kit/choice.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Notice } from '../kit/feedback.tsx';
import { Field, LinesField } from '../kit/field.tsx';
import { useSend } from '../state/connection.tsx';
import { text } from '../strings/text.ts';

const words = text.tools.form;

interface Draft {
  readonly name: string;
  readonly kind: 'program' | 'address';
  readonly command: string;
  readonly args: string;
  readonly env: string;
  readonly url: string;
  readonly headers: string;
}

const EMPTY: Draft = { name: '', kind: 'program', command: '', args: '', env: '', url: '', headers: '' };

interface ToolServerDialogProps {
  /** The one that is changed; none: a new one. */
  readonly server?: ToolServer;
  readonly onClose: () => void;
}

/** How a server of tools is reached. Secrets that were entered before stand as they are hidden, and stay. */
export function ToolServerDialog({ server, onClose }: ToolServerDialogProps) {
  const [draft, setDraft] = useState<Draft>(() => (server === undefined ? EMPTY : draftOf(server)));
  const [unread, setUnread] = useState<string | null>(null);
  const save = useSend('saveToolServer', ['toolServers']);
  const start = useSend('startToolServer', ['toolServers']);
  const change = (part: Partial<Draft>) => setDraft((earlier) => ({ ...earlier, ...part }));
  const { name, kind } = draft;
  const isComplete = name.trim() !== '' && (kind === 'program' ? draft.command : draft.url).trim() !== '';
  const submit = () => {
    const read = serverIn(draft);
    setUnread(typeof read === 'string' ? read : null);
    if (typeof read === 'string') return;
    const input = { name, server: read, ...(server !== undefined && { replaces: server.name }) };
    save.mutate(input, {
      onSuccess: () => {
        if (server?.isOn !== false) start.mutate({ name: name.trim() });
        onClose();
      },
    });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={server === undefined ? words.add : words.edit(server.name)}
      actions={
        <>
          <Button onClick={onClose}>{text.app.cancel}</Button>
          <Button kind="primary" disabled={!isComplete || save.isPending} onClick={submit}>
            {words.save}
          </Button>
        </>
      }
    >
      <Field
        label={words.name}
        value={name}
        maxLength={60}
        onChange={({ target }) => change({ name: target.value })}
      />
      <Segments
        aria-label={words.kind}
        value={kind}
        options={(['program', 'address'] as const).map((value) => ({ value, label: words.kinds[value] }))}
        onChange={(kind) => change({ kind })}
      />
      {kind === 'program' ? (
        <>
          <Field
            label={words.command}
            hint={words.commandHint}
            value={draft.command}
            maxLength={4_000}
            onChange={({ target }) => change({ command: target.value })}
          />
          <LinesField label={words.args} value={draft.args} onChange={(args) => change({ args })} />
          <LinesField
            label={words.env}
            hint={words.envHint}
            value={draft.env}
            onChange={(env) => change({ env })}
          />
        </>
      ) : (
        <>
          <Field
            label={words.url}
            hint={words.urlHint}
            type="url"
            value={draft.url}
            maxLength={4_000}
            onChange={({ target }) => change({ url: target.value })}
          />
          <LinesField
            label={words.headers}
            hint={words.headersHint}
            value={draft.headers}
            onChange={(headers) => change({ headers })}
          />
        </>
      )}
      {unread !== null && <Notice kind="problem">{words.unread(unread)}</Notice>}
      {save.error && <Notice kind="problem">{save.error.message}</Notice>}
    </Dialog>
  );
}

/** Takes the JSON by which programs share servers. */
export function ToolJsonDialog({ onClose }: { readonly onClose: () => void }) {
  const [json, setJson] = useState('');
  const add = useSend('importToolServers', ['toolServers']);
  const start = useSend('startToolServer', ['toolServers']);
  const labels = text.tools.json;
  const submit = () =>
    add.mutate(
      { json },
      {
        onSuccess: ({ added, servers }) => {
          for (const { name, isOn } of servers) if (isOn && added.includes(name)) start.mutate({ name });
          onClose();
        },
      },
    );
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={labels.title}
      description={labels.description}
      actions={
        <>
          <Button onClick={onClose}>{text.app.cancel}</Button>
          <Button kind="primary" disabled={json.trim() === '' || add.isPending} onClick={submit}>
            {labels.add}
          </Button>
        </>
      }
    >
      <LinesField label={labels.label} value={json} rows={10} onChange={setJson} />
      {add.error && <Notice kind="problem">{add.error.message}</Notice>}
    </Dialog>
  );
}

function draftOf({ name, server }: ToolServer): Draft {
  if ('url' in server) {
    const headers = Object.entries(server.headers).map(([key, value]) => `${key}: ${value}`);
    return { ...EMPTY, name, kind: 'address', url: server.url, headers: headers.join('\n') };
  }
  const env = Object.entries(server.env).map(([key, value]) => `${key}=${value}`);
  return { ...EMPTY, name, command: server.command, args: server.args.join('\n'), env: env.join('\n') };
}

/** The server of a form, or the line that is not understood. */
function serverIn({ kind, command, args, env, url, headers }: Draft): ToolServerInput | string {
  const linesOf = (given: string) => given.split('\n').filter((line) => line.trim() !== '');
  const pairs = (given: string, mark: string) =>
    linesOf(given).map((line) => {
      const at = line.indexOf(mark);
      return at <= 0 ? line : ([line.slice(0, at).trim(), line.slice(at + 1).trim()] as const);
    });
  const read = pairs(kind === 'program' ? env : headers, kind === 'program' ? '=' : ':');
  const unread = read.find((each) => typeof each === 'string');
  if (unread !== undefined) return unread;
  const secrets = Object.fromEntries(read.filter((each) => typeof each !== 'string'));
  return kind === 'program'
    ? { command: command.trim(), args: linesOf(args), env: secrets }
    : { url: url.trim(), headers: secrets };
}
