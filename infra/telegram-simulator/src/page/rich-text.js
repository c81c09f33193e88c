import { renderCode } from './code-block.js';
import { element } from './element.js';
import { buildEntityTree } from './entity-tree.js';
import { renderInline } from './inline.js';
import { renderExpandable } from './quotation.js';

/** Draws a text with its entities. */
export function renderText(text, entities) {
  return renderNodes(buildEntityTree(text, entities));
}

function renderNodes(nodes) {
  return nodes.map((node) => (typeof node === 'string' ? node : renderNode(node)));
}

function renderNode({ entity, text, children: inner }) {
  const children = renderNodes(inner);
  if (entity.type === 'pre') return renderCode(children, entity.language);
  if (entity.type === 'blockquote') return element('blockquote', { dir: 'auto' }, ...children);
  if (entity.type === 'expandable_blockquote') return renderExpandable(children);
  return renderInline(entity, text, children);
}
