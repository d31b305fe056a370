import { common, createLowlight } from 'lowlight';
import type { ReactNode } from 'react';

const lowlight = createLowlight(common);

type Node = ReturnType<typeof lowlight.highlight>['children'][number];

/** Code as coloured elements; undefined for a language that is not known. */
export function highlight(code: string, language: string): ReactNode {
  return lowlight.registered(language) ? lowlight.highlight(language, code).children.map(render) : undefined;
}

function render(node: Node, key: number): ReactNode {
  if (node.type === 'text') {
    return node.value;
  }
  if (node.type === 'element') {
    const names = node.properties['className'];
    return (
      <span key={key} className={Array.isArray(names) ? names.join(' ') : undefined}>
        {node.children.map((child, index) => render(child as Node, index))}
      </span>
    );
  }
  return null;
}
