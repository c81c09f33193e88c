import type { RichText } from 'grammy/types';
import type { ComponentChildren, VNode } from 'preact';
import { toButtonView } from '../../people/button-view.ts';
import { plainOf } from '../../rich/rich-text-form.ts';
import { showAnchor } from './anchor.ts';
import { Inline, Word } from './inline.tsx';
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
    case 'reference':
      return <span data-anchor={value.name}>{renderRichText(value.text)}</span>;
    case 'reference_link':
      return (
        <sup>
          <Word onPress={({ target }) => showAnchor(target, value.reference_name)}>{renderRichText(value.text)}</Word>
        </sup>
      );
    default:
      return (
        <Inline value={value} words={plainOf(value)}>
          {'text' in value ? renderRichText(value.text) : plainOf(value)}
        </Inline>
      );
  }
}
