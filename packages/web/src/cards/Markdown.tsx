/**
 * Markdown as elements of the page: text nodes only, no HTML. While a text arrives, only its last blocks are read and rendered
 * again. Keeps CARD-3.
 */
import { type Block, inline, StreamedMarkdown } from '@spool/render';
import { memo, useMemo } from 'react';
import { CodeBlock } from './CodeBlock.tsx';
import { Spans } from './Spans.tsx';

/** The number of blocks that are compared at once, so that a long text is not compared block by block for each new piece. */
const GROUP_BLOCKS = 40;

export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  const streamed = useMemo(() => new StreamedMarkdown(), []);
  const groups = groupsOf(streamed.take(text));
  return (
    <div className="markdown" dir="auto" data-long={groups.length > 1 || undefined}>
      {groups.map((group, at) => (
        <BlockGroup key={at} blocks={group} />
      ))}
    </div>
  );
});

function groupsOf(blocks: readonly Block[]): readonly (readonly Block[])[] {
  const groups: (readonly Block[])[] = [];
  for (let at = 0; at < blocks.length; at += GROUP_BLOCKS) groups.push(blocks.slice(at, at + GROUP_BLOCKS));
  return groups;
}

const BlockGroup = memo(
  function BlockGroup({ blocks }: { readonly blocks: readonly Block[] }) {
    return (
      <div className="md-group">
        {blocks.map((block, at) => (
          <BlockView key={at} block={block} />
        ))}
      </div>
    );
  },
  ({ blocks: before }, { blocks }) =>
    before.length === blocks.length && before.every((block, at) => block === blocks[at]),
);

const BlockView = memo(function BlockView({ block }: { readonly block: Block }) {
  switch (block.type) {
    case 'space':
      return null;
    case 'heading':
      return (
        <p className="md-heading" data-level={block.level} role="heading" aria-level={Math.min(6, block.level + 2)}>
          <Spans line={inline(block.text)} />
        </p>
      );
    case 'paragraph':
      return (
        <p data-indent={block.indent || undefined} dir="auto">
          <Lines lines={block.lines} />
        </p>
      );
    case 'item':
      return <Item block={block} />;
    case 'code':
      return <CodeBlock language={block.language} lines={block.lines} indent={block.indent} />;
    case 'table':
      return <Table block={block} />;
    case 'quote':
      return (
        <blockquote>
          {block.blocks.map((inner, at) => (
            <BlockView key={at} block={inner} />
          ))}
        </blockquote>
      );
    case 'rule':
      return <hr />;
  }
});

function Lines({ lines }: { readonly lines: readonly string[] }) {
  return lines.map((line, at) => (
    <span key={at}>
      {at > 0 && <br />}
      <Spans line={inline(line)} />
    </span>
  ));
}

const BOX = /^\[([ xX])\] /;

function Item({ block: { marker, lines, indent } }: { readonly block: Extract<Block, { readonly type: 'item' }> }) {
  const box = BOX.exec(lines[0]!);
  const shown = box === null ? lines : [lines[0]!.slice(box[0].length), ...lines.slice(1)];
  return (
    <div className="md-item" data-indent={indent || undefined} dir="auto">
      <span className="md-mark">{box === null ? marker : box[1] === ' ' ? '☐' : '☑'}</span>
      <div>
        <Lines lines={shown} />
      </div>
    </div>
  );
}

function Table({ block: { rows, aligns } }: { readonly block: Extract<Block, { readonly type: 'table' }> }) {
  const [head = [], ...body] = rows;
  return (
    <div className="md-table" tabIndex={0} role="group" aria-label="A table">
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at} data-align={aligns[at]}>
                <Spans line={inline(cell)} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column} data-align={aligns[column]} dir="auto">
                  <Spans line={inline(cell)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
