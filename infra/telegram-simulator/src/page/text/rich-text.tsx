import type { RichText } from 'grammy/types';
import type { ComponentChildren, VNode } from 'preact';
import { plainOf } from '../../rich/rich-text-form.ts';
import { Inline } from './inline.tsx';

/** Draws a RichText of the Bot API: a string, a list of them, or an object around them. */
export function renderRichText(text: RichText | undefined): ComponentChildren {
  if (Array.isArray(text)) return text.map(renderRichText);
  return text === undefined || typeof text === 'string' ? text : renderFormatting(text);
}

function renderFormatting(value: Exclude<RichText, string | RichText[]>): VNode {
  return (
    <Inline value={value} words={plainOf(value)}>
      {'text' in value ? renderRichText(value.text) : plainOf(value)}
    </Inline>
  );
}
