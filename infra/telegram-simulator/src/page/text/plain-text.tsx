import type { MessageEntity } from 'grammy/types';
import type { ComponentChildren, VNode } from 'preact';
import { CodeBlock } from './code-block.tsx';
import { buildEntityTree, type EntityNode } from './entity-tree.ts';
import { Inline } from './inline.tsx';

export function PlainText({ text, entities }: { text: string; entities: readonly MessageEntity[] }): VNode {
  return <>{renderNodes(buildEntityTree(text, entities))}</>;
}

function renderNodes(nodes: readonly EntityNode[]): ComponentChildren {
  return nodes.map((node) => (typeof node === 'string' ? node : renderEntity(node)));
}

function renderEntity({ entity, text, children: inner }: Exclude<EntityNode, string>): VNode {
  const children = renderNodes(inner);
  switch (entity.type) {
    case 'pre':
      return <CodeBlock language={entity.language}>{children}</CodeBlock>;
    case 'blockquote':
    case 'expandable_blockquote':
      return <blockquote>{children}</blockquote>;
    default:
      return (
        <Inline value={entity} words={text}>
          {children}
        </Inline>
      );
  }
}
