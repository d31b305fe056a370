import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { useClient } from '../client';
import { safeLink } from '../markdown/links';
import { Icon } from '../ui/Icon';

export const SHOWN_IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);
const EMBEDDED = /^data:image\/(png|jpeg|gif|webp|avif);base64,/;

interface FileProps {
  readonly url: string;
  readonly mediaType: string;
  readonly filename: string | undefined;
}

/** A file of a message: images are shown, others can be saved. */
export function FileView({ url, mediaType, filename }: FileProps): ReactNode {
  const name = filename ?? mediaType;
  const isImage = SHOWN_IMAGES.has(mediaType);
  if (url.startsWith('data:')) {
    return isImage && EMBEDDED.test(url) ? <img className="picture" src={url} alt={name} /> : <span className="file">{name}</span>;
  }
  if (/^https?:/.test(url) && !url.startsWith(`${location.origin}/`)) {
    const safe = safeLink(url);
    return (
      <a className="file" href={safe} target="_blank" rel="noopener noreferrer nofollow">
        <Icon name="file" /> {name}
      </a>
    );
  }
  return isImage ? <Picture url={url} name={name} /> : <Download url={url} name={name} />;
}

function Picture({ url, name }: { url: string; name: string }): ReactNode {
  const client = useClient();
  const [source, setSource] = useState<string>();
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    const abort = new AbortController();
    let made: string | undefined;
    client.attachments.load(url, { signal: abort.signal }).then(
      blob => {
        made = URL.createObjectURL(blob);
        setSource(made);
      },
      () => setFailed(!abort.signal.aborted),
    );
    return () => {
      abort.abort();
      if (made !== undefined) {
        URL.revokeObjectURL(made);
      }
    };
  }, [client, url]);
  if (failed) {
    return <Download url={url} name={name} />;
  }
  return source === undefined ? (
    <span className="picture" role="img" aria-label={`${name}, loading`} />
  ) : (
    <a href={source} target="_blank" rel="noopener" className="picture-link">
      <img className="picture" src={source} alt={name} />
    </a>
  );
}

function Download({ url, name }: { url: string; name: string }): ReactNode {
  const client = useClient();
  const [fault, setFault] = useState(false);
  const save = async () => {
    try {
      saveAs(await client.attachments.load(url), name);
      setFault(false);
    } catch {
      setFault(true);
    }
  };
  return (
    <button type="button" className="file" onClick={() => void save()}>
      <Icon name="download" /> {name}
      {fault && <span className="fault"> could not be loaded</span>}
    </button>
  );
}

/** Hands a file to the browser to be saved. */
export function saveAs(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
