import type { FilePart } from '@holdfast/client';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Icon } from '../ui/Icon';
import { MAX_FILES } from './use-attachments';
import type { Choosing } from './use-attachments';

export interface ComposerProps {
  readonly files: Choosing;
  /** Whether an answer comes at the moment. */
  readonly running: boolean;
  readonly stopping: boolean;
  readonly draftKey: string;
  send(text: string, files: readonly FilePart[]): void;
  stop(): void;
}

/** Files that were left out are named up to so many. */
const NAMED = 3;

/** On a phone Enter makes a new line, as its keyboards say. */
export const isCoarse = () => window.matchMedia('(pointer: coarse)').matches;

export function Composer({ files, running, stopping, draftKey, send, stop }: ComposerProps): ReactNode {
  const [text, setText] = useState(() => readDraft(draftKey));
  const area = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  useEffect(() => {
    setText(readDraft(draftKey));
    if (!isCoarse()) {
      area.current?.focus();
    }
  }, [draftKey]);
  useEffect(() => writeDraft(draftKey, text), [draftKey, text]);
  useEffect(() => {
    const element = area.current;
    if (element !== null && !CSS.supports('field-sizing', 'content')) {
      element.style.height = 'auto';
      element.style.height = `${element.scrollHeight}px`;
    }
  }, [text]);

  const ready = files.chosen.flatMap(each => each.part ?? []);
  const uploading = files.chosen.some(each => each.status === 'uploading');
  const failed = files.chosen.some(each => each.status === 'failed'); // a message does not go without it unnoticed
  const canSend = !uploading && !failed && (text.trim() !== '' || ready.length > 0);
  const submit = () => {
    if (canSend) {
      send(text.trim(), ready);
      writeDraft(draftKey, ''); // the first message of a conversation changes the key with the text
      setText('');
      files.clear();
    }
  };
  return (
    <form
      className="composer"
      onSubmit={event => {
        event.preventDefault();
        submit();
      }}>
      {files.chosen.length > 0 && (
        <ul className="chosen" aria-label="Attached files">
          {files.chosen.map(each => (
            <li key={each.id} data-status={each.status}>
              {each.preview === undefined ? <Icon name="file" /> : <img className="thumb" src={each.preview} alt="" />} <span className="name">{each.name}</span>
              <span className="told">{each.status === 'failed' ? `${each.fault ?? 'failed'} Remove it, or choose it again.` : each.status === 'uploading' ? 'uploading …' : ''}</span>
              <button type="button" className="quiet" aria-label={`Remove ${each.name}`} onClick={() => files.remove(each.id)}>
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {files.leftOut.length > 0 && (
        <p className="left-out" role="alert">
          {MAX_FILES} files go with one message. Left out: {files.leftOut.slice(0, NAMED).join(', ')}
          {files.leftOut.length > NAMED ? ` and ${files.leftOut.length - NAMED} more` : ''}.
        </p>
      )}
      <div className="composer-row">
        <button type="button" className="quiet" aria-label="Attach files" title="Attach files" onClick={() => picker.current?.click()}>
          <Icon name="attach" />
        </button>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          tabIndex={-1}
          aria-label="Files"
          onChange={event => {
            files.add(event.target.files ?? []);
            event.target.value = '';
          }}
        />
        <textarea
          ref={area}
          rows={1}
          value={text}
          placeholder="Message"
          aria-label="Message"
          enterKeyHint={isCoarse() ? 'enter' : 'send'}
          onChange={event => setText(event.target.value)}
          onPaste={event => {
            if (event.clipboardData.files.length > 0) {
              event.preventDefault();
              files.add(event.clipboardData.files);
            }
          }}
          onKeyDown={event => {
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing && !isCoarse()) {
              event.preventDefault();
              submit();
            } else if (event.key === 'Escape' && running && text === '') {
              stop();
            }
          }}
        />
        {running && (
          <button type="button" className="round" aria-label={stopping ? 'Stopping' : 'Stop'} title="Stop (Esc)" disabled={stopping} onClick={stop}>
            <Icon name="stop" />
          </button>
        )}
        {(canSend || !running) && (
          <button type="submit" className="round primary" aria-label={running ? 'Queue message' : 'Send'} disabled={!canSend}>
            <Icon name="send" />
          </button>
        )}
      </div>
    </form>
  );
}

function readDraft(key: string): string {
  try {
    return sessionStorage.getItem(`holdfast.draft.${key}`) ?? '';
  } catch {
    return '';
  }
}

function writeDraft(key: string, text: string): void {
  try {
    if (text === '') {
      sessionStorage.removeItem(`holdfast.draft.${key}`);
    } else {
      sessionStorage.setItem(`holdfast.draft.${key}`, text);
    }
  } catch {
    // the draft lives as long as the page
  }
}
