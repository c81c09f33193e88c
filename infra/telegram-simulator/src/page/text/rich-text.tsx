import type { RichText } from 'grammy/types';
import type { ComponentChildren, VNode } from 'preact';
import { toButtonView } from '../../people/button-view.ts';
import { plainOf } from '../../rich/rich-text-form.ts';
import { showAnchor } from './anchor.ts';
import { type Formatting, Inline, Word } from './inline.tsx';
import { Key } from './keyboard.tsx';

/** Draws a RichText of the Bot API: a string, a list of them, or an object around them. */
export function renderRichText(text: RichText | undefined): ComponentChildren {
  if (Array.isArray(text)) return text.map(renderRichText);
  return text === undefined || typeof text === 'string' ? text : renderFormatting(text);
}

function renderFormatting(value: Exclude<RichText, string | RichText[]>): VNode {
  switch (value.type) {
    case 'button':
      return <Key button={toButtonView(value.button)} />;
    case 'custom_emoji':
      return <span>{value.alternative_text}</span>;
    case 'mathematical_expression':
      return <code>{value.expression}</code>;
    case 'anchor':
      return <span data-anchor={value.name} />;
    case 'reference':
      return <span data-anchor={value.name}>{renderRichText(value.text)}</span>;
    case 'anchor_link':
      return renderJump(value, value.anchor_name);
    case 'reference_link':
      return <sup>{renderJump(value, value.reference_name)}</sup>;
    default:
      return (
        <Inline value={value} words={plainOf(value.text)}>
          {renderRichText(value.text)}
        </Inline>
      );
  }
}

function renderJump(value: Formatting & { readonly text: RichText }, name: string): VNode {
  return <Word onPress={({ target }) => showAnchor(target, name)}>{renderRichText(value.text)}</Word>;
}
