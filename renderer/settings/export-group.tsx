import { FileUp } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import type { MemoryClient } from '../../main/contract.ts';
import { Progress } from '../kit/feedback.tsx';
import { Options, Switch } from '../kit/field.tsx';
import { Block, Group, inputClass, Row } from '../kit/group.tsx';
import { saveFile } from '../parts/conversation/save-file.ts';
import { useClient, useReply, useSend } from '../state/connection.tsx';
import { uploadFile } from '../state/uploads.ts';
import { formatBytes, text } from '../strings/text.ts';
import { RunButton, useStoppable } from './memory-check.tsx';
import styles from './settings.module.css';

const words = text.backup;

const ALL = '';

/** Scopes as a file each, and back. */
export function ExportGroup() {
  return (
    <Group title={words.exporting} lead={words.exportLead}>
      <Export />
      <ReadExport />
    </Group>
  );
}

/** The scopes with content, by the names that a person knows. */
function useScopes() {
  const scopes = useReply('scopes', {}).data ?? [];
  const own = String(useReply('settings', {}).data?.settings.scope?.value ?? 'default');
  const folders = useReply('folders', {}).data?.items ?? [];
  const nameOf = (scope: string) =>
    scope === own
      ? words.ownMemory(scope)
      : (folders.find((folder) => folder.scope === scope)?.name ?? scope);
  return { own, scopes: scopes.map((scope) => ({ value: scope, label: nameOf(scope) })) };
}

function Export() {
  const client = useClient();
  const { scopes } = useScopes();
  const [chosen, setChosen] = useState(ALL);
  const [bytes, setBytes] = useState(0);
  const run = useStoppable(async (signal) => {
    setBytes(0);
    let total = 0;
    const wanted = chosen === ALL ? scopes.map(({ value }) => value) : [chosen];
    for (const scope of wanted) {
      const blob = await exported(client, scope, {
        signal,
        onBytes: (count) => setBytes(total + count),
      });
      total += blob.size;
      saveFile(
        blob,
        `mnemis-${scope.replace(/[^\p{L}\p{N}._-]+/gu, '-')}-${new Date().toISOString().slice(0, 10)}.jsonl`,
      );
    }
    return total;
  });
  const hint = run.isRunning
    ? words.exportedSoFar(formatBytes(bytes))
    : run.reply === undefined
      ? words.exportHint
      : words.exported(formatBytes(run.reply));
  return (
    <Row label={words.exportRow} hint={<span role="status">{hint}</span>} problem={run.problem}>
      {(props) => (
        <span className={styles.inline}>
          <select
            {...props}
            className={inputClass}
            value={chosen}
            disabled={run.isRunning}
            onChange={({ target }) => setChosen(target.value)}
          >
            <Options of={[{ value: ALL, label: words.allScopes }, ...scopes]} />
          </select>
          <RunButton run={run} disabled={scopes.length === 0}>
            {words.exportStart}
          </RunButton>
        </span>
      )}
    </Row>
  );
}

async function exported(
  client: MemoryClient,
  scope: string,
  { signal, onBytes }: { readonly signal: AbortSignal; readonly onBytes: (bytes: number) => void },
): Promise<Blob> {
  const parts: Blob[] = [];
  let [bytes, isWhole] = [0, false];
  const add = (text: string) => {
    const part = new Blob([text]); // outside of the page's own memory
    parts.push(part);
    bytes += part.size;
    onBytes(bytes);
  };
  for await (const event of client.export({ scope }, { signal }))
    if (event.type === 'text') add(event.text);
    else isWhole = true;
  for await (const event of client.exportConversations({ scope }, { signal }))
    if (event.type === 'text') add(event.text);
  if (!isWhole) throw new TypeError(text.app.problem);
  return new Blob(parts, { type: 'application/jsonl' });
}

function ReadExport() {
  const client = useClient();
  const { own, scopes } = useScopes();
  const [typed, setTyped] = useState<string | null>(null);
  const [isCopy, setCopy] = useState(false);
  const [share, setShare] = useState(0);
  const picker = useRef<HTMLInputElement>(null);
  const chosen = useRef<File>(undefined);
  const list = useId();
  const start = useSend('startArchive', ['jobs']);
  const scope = (typed ?? own).trim();
  const run = useStoppable(async (signal) => {
    setShare(0);
    const upload = await uploadFile(client, chosen.current!, { signal, onProgress: setShare });
    await start.mutateAsync({ job: crypto.randomUUID(), upload, scope, newIds: isCopy });
  });
  return (
    <>
      <Row label={words.read} hint={words.readHint} problem={run.problem}>
        {() => (
          <span className={styles.inline}>
            <input
              className={inputClass}
              aria-label={words.readScope}
              list={list}
              value={typed ?? own}
              maxLength={200}
              autoComplete="off"
              onChange={({ target }) => setTyped(target.value)}
            />
            <datalist id={list}>
              <Options of={scopes} />
            </datalist>
            <RunButton
              run={run}
              icon={FileUp}
              disabled={scope === ''}
              onClick={() => picker.current?.click()}
            >
              {words.readChoose}
            </RunButton>
            <input
              ref={picker}
              type="file"
              hidden
              aria-label={words.readChoose}
              accept=".jsonl,application/jsonl,application/x-ndjson,text/plain"
              onChange={({ target }) => {
                const [file] = target.files ?? [];
                target.value = '';
                if (file === undefined) return;
                chosen.current = file;
                run.start();
              }}
            />
          </span>
        )}
      </Row>
      <Row label={words.readCopy} hint={words.readCopyHint}>
        {(props) => <Switch {...props} isOn={isCopy} onChange={setCopy} />}
      </Row>
      {run.isRunning && (
        <Block>
          <Progress share={share} label={words.sending(share)} />
        </Block>
      )}
    </>
  );
}
