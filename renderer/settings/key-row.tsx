import { useState } from 'react';
import { Button } from '../kit/button.tsx';
import { Pill } from '../kit/choice.tsx';
import { inputClass, Row } from '../kit/group.tsx';
import { storedKeyOf } from '../parts/model/services.ts';
import { useReply, useSend } from '../state/connection.tsx';
import { text } from '../strings/text.ts';

/** The attribute by which other parts of the form find the field. */
export const KEY_FIELD = 'data-key-field';

interface KeyRowProps {
  /** Of the server that the key is for. */
  readonly address: string;
  /** What asked the server before. */
  readonly onChange: () => void;
}

/** The key of a server: whether it is there, where it is kept, and a field for a new one, which no page keeps. */
export function KeyRow({ address, onChange }: KeyRowProps) {
  const words = text.settings.model;
  const key = useReply('settings', {}).data?.key;
  const save = useSend('saveKey', ['settings', 'endpointModels']);
  const [typed, setTyped] = useState('');
  if (key === undefined || !URL.canParse(address)) return null;
  const end = storedKeyOf(key, address);
  const isSet = key.isInEnvironment || end !== undefined;
  const state = (
    <Pill kind={isSet ? 'good' : 'plain'}>
      {isSet ? (end ? words.keyEnds(end) : words.keySet) : words.keyUnset}
    </Pill>
  );
  if (key.isInEnvironment)
    return (
      <Row label={words.key} hint={words.keyEnvironment(key.variable)}>
        {() => state}
      </Row>
    );
  const send = (next: string | null) =>
    save.mutate(
      { address, key: next },
      {
        onSuccess: () => {
          setTyped('');
          onChange();
        },
      },
    );
  const store = () => typed.trim() !== '' && send(typed.trim());
  return (
    <Row
      label={
        <>
          {words.key} {state}
        </>
      }
      hint={key.storage === 'system' ? words.keySystem : words.keyFile(key.file)}
      problem={save.error?.message}
      isSaved={save.isSuccess}
    >
      {(props) => (
        <>
          <input
            {...props}
            {...{ [KEY_FIELD]: '' }}
            className={inputClass}
            type="password"
            value={typed}
            maxLength={500}
            placeholder={isSet ? words.keyReplaced : words.keyField}
            autoComplete="off"
            onChange={({ target }) => setTyped(target.value)}
            onKeyDown={({ key: pressed }) => pressed === 'Enter' && store()}
          />
          <Button disabled={typed.trim() === '' || save.isPending} onClick={store}>
            {words.keySave}
          </Button>
          {isSet && (
            <Button kind="quiet" disabled={save.isPending} onClick={() => send(null)}>
              {words.keyRemove}
            </Button>
          )}
        </>
      )}
    </Row>
  );
}
