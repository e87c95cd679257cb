import { ClipboardPaste, Pencil, Play, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { InputOf, ToolEntry, ToolServer } from '../../main/contract.ts';
import { Button, IconButton } from '../kit/button.tsx';
import { Pill, Segments } from '../kit/choice.tsx';
import { ConfirmDialog } from '../kit/dialog.tsx';
import { Notice, Skeleton } from '../kit/feedback.tsx';
import { Switch } from '../kit/field.tsx';
import { Block, Group, Row } from '../kit/group.tsx';
import { useReply, useSend } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import { SectionHead } from './section-head.tsx';
import { ToolJsonDialog, ToolServerDialog } from './tool-server-dialog.tsx';

const words = text.tools;

type Permission = InputOf<'setToolPermission'>['permission'];
const PERMISSIONS: readonly Permission[] = ['ask', 'always', 'never'];

/** The servers of tools, what each can do, and when it may. */
export function ToolsSection() {
  const [adds, setAdds] = useState<'form' | 'json' | null>(null);
  const { data, error } = useReply('toolServers', {});
  return (
    <>
      <SectionHead title={text.settings.sections.tools} lead={words.lead} />
      <Group title={words.servers} lead={words.serversLead} isBare>
        {error && <Notice kind="problem">{error.message}</Notice>}
        {data?.servers.length === 0 && <p className="note">{words.none}</p>}
        <div className="flow gap-2">
          <Button kind="primary" icon={Plus} disabled={error !== null} onClick={() => setAdds('form')}>
            {words.add}
          </Button>
          <Button icon={ClipboardPaste} disabled={error !== null} onClick={() => setAdds('json')}>
            {words.paste}
          </Button>
        </div>
      </Group>
      {data === undefined && !error && <Skeleton height={62} />}
      {data?.servers.map((server) => (
        <Server key={server.name} server={server} />
      ))}
      {data && (
        <Group title={words.memory} lead={words.memoryLead}>
          {data.memory.map((tool) => (
            <Tool key={tool.name} server={null} tool={tool} />
          ))}
        </Group>
      )}
      {data?.file && <p className="note may-break">{words.file(data.file)}</p>}
      {adds === 'form' && <ToolServerDialog onClose={() => setAdds(null)} />}
      {adds === 'json' && <ToolJsonDialog onClose={() => setAdds(null)} />}
    </>
  );
}

const PILLS = { off: 'plain', idle: 'plain', starting: 'plain', running: 'good', failed: 'bad' } as const;

function Server({ server }: { readonly server: ToolServer }) {
  const { name, isOn, state, problem, tools } = server;
  const [asks, setAsks] = useState<'edit' | 'remove' | null>(null);
  const start = useSend('startToolServer', ['toolServers']);
  const turn = useSend('switchToolServer', ['toolServers']);
  const remove = useSend('removeToolServer', ['toolServers']);
  return (
    <Group title={name}>
      <Row
        label={<Pill kind={PILLS[state]}>{words.states[state]}</Pill>}
        hint={placeOf(server)}
        problem={problem ?? undefined}
      >
        {({ id }) => (
          <>
            <IconButton
              icon={Play}
              label={words.of(words.start, name)}
              disabled={!isOn || start.isPending}
              onClick={() => start.mutate({ name })}
            />
            <IconButton icon={Pencil} label={words.of(words.edit, name)} onClick={() => setAsks('edit')} />
            <IconButton
              icon={Trash2}
              label={words.of(words.remove, name)}
              onClick={() => setAsks('remove')}
            />
            <Switch
              id={id}
              aria-label={words.use(name)}
              isOn={isOn}
              isDisabled={turn.isPending}
              onChange={(isOn) => turn.mutate({ name, isOn })}
            />
          </>
        )}
      </Row>
      {tools?.map((tool) => (
        <Tool key={tool.name} server={name} tool={tool} />
      ))}
      {isOn && problem === null && (tools === null || tools.length === 0) && (
        <Block>
          <p className="note">{tools === null ? words.unknownTools : words.noTools}</p>
        </Block>
      )}
      {asks === 'edit' && <ToolServerDialog server={server} onClose={() => setAsks(null)} />}
      {asks === 'remove' && (
        <ConfirmDialog
          onClose={() => setAsks(null)}
          title={words.removeTitle(name)}
          description={words.removeText}
          confirm={words.remove}
          isDanger
          isDisabled={remove.isPending}
          onConfirm={() => remove.mutate({ name })}
        >
          {remove.error && <Notice kind="problem">{remove.error.message}</Notice>}
        </ConfirmDialog>
      )}
    </Group>
  );
}

function placeOf({ server }: ToolServer): string {
  return 'url' in server ? server.url : [server.command, ...server.args].join(' ');
}

function Tool({ server, tool }: { readonly server: string | null; readonly tool: ToolEntry }) {
  const { name, title, permission, isChanged } = tool;
  const description = (server === null ? words.memoryTools[name] : undefined) ?? tool.description;
  const set = useSend('setToolPermission', ['toolServers']);
  return (
    <Row
      label={title}
      hint={isChanged ? `${words.changed} ${description}` : description}
      problem={set.error?.message}
    >
      {(props) => (
        <Segments
          {...props}
          value={permission}
          isDisabled={set.isPending}
          options={PERMISSIONS.map((value) => ({ value, label: words.permissions[value] }))}
          onChange={(permission) => set.mutate({ server, tool: name, permission })}
        />
      )}
    </Row>
  );
}
