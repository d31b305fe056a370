import { HoldfastError } from '@holdfast/client';
import type { ExportFormat } from '@holdfast/client';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { saveAs } from '../chat/FileView';
import { useClient } from '../client';
import { go } from '../route';
import { Icon } from '../ui/Icon';
import type { SessionsShown } from './use-sessions';

interface MenuProps {
  readonly session: string;
  readonly title: string | null;
  /** The end of the branch that is shown, and exported; null for the one that is live. */
  readonly leaf: string | null;
  readonly sessions: SessionsShown;
}

/** What can be done with a conversation as a whole. */
export function SessionMenu({ session, title, leaf, sessions }: MenuProps): ReactNode {
  const client = useClient();
  const dialog = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  const [name, setName] = useState('');
  const [sure, setSure] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    if (open) {
      setName(title ?? '');
      setSure(false);
      setFault(null);
      dialog.current?.showModal();
    }
  }, [open]);
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
      sessions.refresh();
      dialog.current?.close();
    } catch (error) {
      setFault(error instanceof HoldfastError ? error.message : String(error));
    }
  };
  const save = (format: ExportFormat, ending: string) =>
    attempt(async () => saveAs(await client.sessions.export(session, format, leaf === null ? {} : { leaf }), `${fileName(title ?? session)}.${ending}`));
  return (
    <>
      <button type="button" className="quiet" aria-label="Title, export, delete" title="Title, export, delete" onClick={() => setOpen(true)}>
        <Icon name="more" />
      </button>
      {open && (
        <dialog ref={dialog} className="panel" aria-label="Conversation" onClose={() => setOpen(false)}>
          <form
            onSubmit={event => {
              event.preventDefault();
              void attempt(() => client.sessions.setTitle(session, name.trim()));
            }}>
            <label htmlFor="title">Title</label>
            <input id="title" value={name} maxLength={200} required onChange={event => setName(event.target.value)} />
            <button type="submit" className="primary" disabled={name.trim() === ''}>
              Rename
            </button>
          </form>
          <h2>Export</h2>
          <div className="row">
            <button type="button" onClick={() => void save('markdown', 'md')}>
              <Icon name="download" /> Markdown
            </button>
            <button type="button" onClick={() => void save('json', 'json')}>
              <Icon name="download" /> JSON
            </button>
          </div>
          <h2>Delete</h2>
          <div className="row">
            {sure ? (
              <button
                type="button"
                className="danger"
                onClick={() =>
                  void attempt(async () => {
                    await client.sessions.delete(session);
                    go({ page: 'new' });
                  })
                }>
                Delete for good, with all messages
              </button>
            ) : (
              <button type="button" onClick={() => setSure(true)}>
                <Icon name="trash" /> Delete this conversation
              </button>
            )}
          </div>
          {fault !== null && (
            <p className="fault" role="alert">
              {fault}
            </p>
          )}
          <div className="row end">
            <button type="button" onClick={() => dialog.current?.close()}>
              Close
            </button>
          </div>
        </dialog>
      )}
    </>
  );
}

function fileName(title: string): string {
  return title.replace(/[^\p{L}\p{N} _-]+/gu, '').trim().slice(0, 60) || 'conversation';
}
