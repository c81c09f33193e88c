import type { RichText } from 'grammy/types';
import type { ComponentChildren, VNode } from 'preact';
import { stripFormatting } from '../../rich/rich-text-form.ts';
import { Inline } from './inline.tsx';

/** Renders a RichText of the Bot API: a string, a list, or an object. */
export function renderRichText(text: RichText | undefined): ComponentChildren {
  if (Array.isArray(text)) return text.map(renderRichText);
  return text === undefined || typeof text === 'string' ? text : renderFormatting(text);
}

function renderFormatting(value: Exclude<RichText, string | RichText[]>): VNode {
  return (
    <Inline value={value} words={stripFormatting(value)}>
      {'text' in value ? renderRichText(value.text) : stripFormatting(value)}
    </Inline>
  );
}
