import { memo, useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { CopyButton } from '../ui/CopyButton';

/** Longer code is shown as it is: colours are not worth a page that waits. */
const MAX_HIGHLIGHTED_CHARS = 50_000;

/** Code that grows is coloured once it has stood still for so long. */
const STILL_MILLIS = 150;

export const CodeBlock = memo(function CodeBlock({ code, language }: { code: string; language: string }): ReactNode {
  const name = language.split(/\s/, 1)[0] ?? '';
  const [coloured, setColoured] = useState<{ code: string; nodes: ReactNode }>();
  useEffect(() => {
    if (name === '' || code.length > MAX_HIGHLIGHTED_CHARS) {
      return undefined;
    }
    let wanted = true;
    const timer = setTimeout(() => {
      void import('./highlight').then(({ highlight }) => {
        const nodes = highlight(code, name);
        if (wanted && nodes !== undefined) {
          setColoured({ code, nodes });
        }
      }, () => undefined); // a server that is away: the code stays as it is
    }, STILL_MILLIS);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [code, name]);
  return (
    <div className="code">
      <div className="code-head">
        <span>{name === '' ? 'text' : name}</span>
        <CopyButton text={code} label="Copy code" />
      </div>
      <pre tabIndex={0} aria-label={name === '' ? 'Code' : `Code, ${name}`}>
        <code>{coloured?.code === code ? coloured.nodes : code}</code>
      </pre>
    </div>
  );
});
