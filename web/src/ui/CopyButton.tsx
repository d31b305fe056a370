import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { Icon } from './Icon';

const SHOWN_MILLIS = 1500;

export function CopyButton({ text, label }: { text: string; label: string }): ReactNode {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) {
      return undefined;
    }
    const timer = setTimeout(() => setCopied(false), SHOWN_MILLIS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <button
      type="button"
      className="quiet"
      aria-label={copied ? 'Copied' : label}
      title={label}
      onClick={() => void navigator.clipboard?.writeText(text).then(() => setCopied(true), () => undefined)}>
      <Icon name={copied ? 'check' : 'copy'} />
    </button>
  );
}
