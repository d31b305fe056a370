import type { PreviewMessage } from '@holdfast/client';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Icon } from '../ui/Icon';
import { textOf } from './items';

export interface EditProps {
  readonly message: PreviewMessage;
  save(text: string): void;
  cancel(): void;
}

/** A message of the user while its text is changed. Its files stay with it. */
export function EditForm({ message, save, cancel }: EditProps): ReactNode {
  const [text, setText] = useState(() => textOf(message));
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const element = area.current;
    element?.focus({ preventScroll: true });
    element?.setSelectionRange(element.value.length, element.value.length);
    element?.form?.scrollIntoView({ block: 'nearest' });
  }, []);
  const files = message.parts.filter(part => part.type === 'file');
  const canSave = text.trim() !== '' || files.length > 0;
  return (
    <form
      className="edit"
      onSubmit={event => {
        event.preventDefault();
        if (canSave) {
          save(text.trim());
        }
      }}>
      <textarea
        ref={area}
        aria-label="Edit your message"
        rows={2}
        value={text}
        onChange={event => setText(event.target.value)}
        onKeyDown={event => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.currentTarget.form?.requestSubmit();
          } else if (event.key === 'Escape' && !event.nativeEvent.isComposing) {
            event.preventDefault();
            cancel();
          }
        }}
      />
      {files.length > 0 && (
        <ul className="kept" aria-label="Files that stay with it">
          {files.map((part, index) => (
            <li key={index}>
              <Icon name="file" /> {String(part['filename'] ?? part['mediaType'])}
            </li>
          ))}
        </ul>
      )}
      <div className="row">
        <button type="submit" className="primary" disabled={!canSave}>
          Send as a new branch
        </button>
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
