import { useState } from 'react';
import { Button } from '../kit/button.tsx';
import { Pill } from '../kit/choice.tsx';
import { inputClass, Row } from '../kit/group.tsx';
import { useReply, useSend } from '../state/connection.tsx';
import { text } from '../strings/text.ts';

/** Where the key comes from, and whether it is there; a field only where the system keeps it. */
export function KeyRow() {
  const words = text.settings.model;
  const key = useReply('settings', {}).data?.key;
  const save = useSend('saveKey', ['settings', 'endpointModels']);
  const [typed, setTyped] = useState('');
  if (key === undefined) return null;
  const state = <Pill kind={key.isSet ? 'good' : 'plain'}>{key.isSet ? words.keySet : words.keyUnset}</Pill>;
  if (key.storage === 'environment')
    return (
      <Row
        label={words.key}
        hint={`${words.keyEnvironment(key.variable)} ${key.isSet ? '' : words.keyHow(key.variable)}`}
      >
        {() => state}
      </Row>
    );
  return (
    <Row
      label={
        <>
          {words.key} {state}
        </>
      }
      hint={words.keySystem}
      problem={save.error?.message}
      isSaved={save.isSuccess}
    >
      {(props) => (
        <>
          <input
            {...props}
            className={inputClass}
            type="password"
            value={typed}
            maxLength={500}
            placeholder={words.keyField}
            autoComplete="off"
            onChange={({ target }) => setTyped(target.value)}
          />
          <Button
            disabled={typed.trim() === '' || save.isPending}
            onClick={() => save.mutate({ key: typed.trim() }, { onSuccess: () => setTyped('') })}
          >
            {words.keySave}
          </Button>
          {key.isSet && (
            <Button kind="quiet" disabled={save.isPending} onClick={() => save.mutate({ key: null })}>
              {words.keyRemove}
            </Button>
          )}
        </>
      )}
    </Row>
  );
}
