import { useState } from 'react';
import { toast } from 'sonner';
import { useLocation } from 'wouter';
import type { Conversation } from '../../../main/contract.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Notice } from '../../kit/feedback.tsx';
import { refresh, useClient } from '../../state/connection.tsx';
import { messageOf, text } from '../../strings/text.ts';
import { namedFor } from './conversation-place.ts';
import { titleOf } from './title-of.ts';

interface DeleteProps {
  readonly conversation: Conversation;
  readonly isHere: boolean;
  readonly onClose: () => void;
}

/** Deletes a conversation, and asks what memory does with it. */
export function DeleteDialog({ conversation, isHere, onClose }: DeleteProps) {
  const client = useClient();
  const isImported = conversation.session !== null;
  const [, navigate] = useLocation();
  const [step, setStep] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const remove = async (memory: 'keep' | 'forget') => {
    setStep(memory === 'forget' ? text.deleting.forgetting : text.app.loading);
    setProblem(null);
    try {
      if (isImported) await client.saveConversation(namedFor(conversation));
      for await (const event of client.deleteConversation({ conversation: conversation.id, memory }))
        if (event.type === 'progress') setStep(event.text);
        else toast(text.deleting.done(event.forgotten));
      onClose();
      if (isHere) navigate('/');
      refresh('conversations', 'imported', 'folders');
    } catch (error) {
      setProblem(messageOf(error));
      setStep(null);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={isImported ? text.deleting.importedTitle : text.deleting.title}
      description={
        <>
          <strong>{titleOf(conversation)}</strong>
          <br />
          {isImported ? text.deleting.importedText : text.deleting.text}
        </>
      }
      actions={
        <>
          <Button onClick={onClose}>{text.app.cancel}</Button>
          <Button disabled={step !== null} onClick={() => void remove('forget')} kind="danger">
            {isImported ? text.side.forgetImported : text.deleting.forget}
          </Button>
          {!isImported && (
            <Button disabled={step !== null} onClick={() => void remove('keep')} kind="primary">
              {text.deleting.keep}
            </Button>
          )}
        </>
      }
    >
      {step !== null && <p role="status">{step}</p>}
      {problem !== null && <Notice kind="problem">{problem}</Notice>}
    </Dialog>
  );
}
