import type { Token, Tokens } from 'marked';
import { memo, useRef } from 'react';
import type { ReactNode } from 'react';
import { BlockLexer } from './block-lexer';
import type { Block } from './block-lexer';
import { CodeBlock } from './CodeBlock';
import { plain, safeLink } from './links';

/**
 * Markdown as elements. No HTML is ever parsed: tags in the text are shown as text, so nothing needs to be sanitized afterwards. Only blocks that changed are drawn again.
 */
export const Markdown = memo(function Markdown({ text }: { text: string }): ReactNode {
  const lexer = useRef<BlockLexer>(undefined);
  lexer.current ??= new BlockLexer();
  return (
    <div className="markdown">
      {lexer.current.read(text).map(block => (
        <BlockView key={block.at} block={block} />
      ))}
    </div>
  );
});

const BlockView = memo(function BlockView({ block }: { block: Block }): ReactNode {
  return renderBlock(block.token, 0);
});

type Heading = 'h3' | 'h4' | 'h5' | 'h6';
const HEADINGS: readonly Heading[] = ['h3', 'h3', 'h4', 'h5', 'h6', 'h6'];

function renderBlock(token: Token, key: number): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading': {
      const heading = token as Tokens.Heading;
      const Tag = HEADINGS[heading.depth - 1] ?? 'h6';
      return <Tag key={key}>{inline(heading.tokens)}</Tag>;
    }
    case 'paragraph':
      return <p key={key}>{inline((token as Tokens.Paragraph).tokens)}</p>;
    case 'text': {
      const text = token as Tokens.Text;
      return <span key={key}>{text.tokens === undefined ? plain(text.text) : inline(text.tokens)}</span>;
    }
    case 'code': {
      const code = token as Tokens.Code;
      return <CodeBlock key={key} code={code.text} language={code.lang ?? ''} />;
    }
    case 'blockquote':
      return <blockquote key={key}>{(token as Tokens.Blockquote).tokens.map(renderBlock)}</blockquote>;
    case 'list':
      return renderList(token as Tokens.List, key);
    case 'table':
      return renderTable(token as Tokens.Table, key);
    case 'hr':
      return <hr key={key} />;
    default:
      return <p key={key}>{token.raw}</p>;
  }
}

function renderList(list: Tokens.List, key: number): ReactNode {
  const items = list.items.map((item, index) => (
    <li key={index} className={item.task ? 'task' : undefined}>
      {item.task && <input type="checkbox" checked={item.checked ?? false} readOnly disabled aria-label={item.checked === true ? 'done' : 'to do'} />}
      {item.tokens.filter(each => each.type !== 'checkbox').map(renderBlock)}
    </li>
  ));
  return list.ordered ? (
    <ol key={key} start={typeof list.start === 'number' ? list.start : 1}>
      {items}
    </ol>
  ) : (
    <ul key={key}>{items}</ul>
  );
}

function renderTable(table: Tokens.Table, key: number): ReactNode {
  const align = (cell: Tokens.TableCell): string | undefined => (cell.align === null ? undefined : `align-${cell.align}`);
  return (
    <div key={key} className="table" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th key={index} scope="col" className={align(cell)}>
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} className={align(cell)}>
                  {inline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: readonly Token[]): ReactNode[] {
  return tokens.map((token, key) => {
    switch (token.type) {
      case 'strong':
        return <strong key={key}>{inline((token as Tokens.Strong).tokens)}</strong>;
      case 'em':
        return <em key={key}>{inline((token as Tokens.Em).tokens)}</em>;
      case 'del':
        return <del key={key}>{inline((token as Tokens.Del).tokens)}</del>;
      case 'codespan':
        return <code key={key}>{(token as Tokens.Codespan).text}</code>;
      case 'br':
        return <br key={key} />;
      case 'link': {
        const link = token as Tokens.Link;
        return external(key, link.href, inline(link.tokens));
      }
      case 'image': {
        const image = token as Tokens.Image; // of another site: shown as a link, so that no page is told of the reader
        return external(key, image.href, image.text === '' ? image.href : image.text);
      }
      case 'escape':
        return (token as Tokens.Escape).text;
      case 'text': {
        const text = token as Tokens.Text;
        return text.tokens === undefined ? plain(text.text) : <span key={key}>{inline(text.tokens)}</span>;
      }
      default:
        return token.raw;
    }
  });
}

function external(key: number, href: string, shown: ReactNode): ReactNode {
  const safe = safeLink(href);
  return safe === undefined ? (
    <span key={key}>{shown}</span>
  ) : (
    <a key={key} href={safe} target="_blank" rel="noopener noreferrer nofollow">
      {shown}
    </a>
  );
}
